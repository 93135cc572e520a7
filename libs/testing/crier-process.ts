import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freshBundle } from './bundle/fresh-bundle.ts';
import { AdminClient, ApiClient, SandboxClient } from './crier-clients.ts';
import { inheritedEnvironment } from './engines/environment.ts';
import { endWithUs, freePorts } from './engines/process.ts';
import { until } from './until.ts';

export interface ListenPorts {
  readonly api: number;
  readonly admin: number;
  readonly sandbox: number;
}

export interface CrierOptions {
  /** The name in error texts and in the names of log files. */
  readonly name?: string;
  readonly engine?: 'embedded' | 'cluster';
  /** Default: all roles. */
  readonly roles?: readonly string[];
  /** Default: a new folder that is removed at the end. */
  readonly dataDir?: string;
  /** The file that keeps the process's output. Default: beside the data folder. */
  readonly logDir?: string;
  /**
   * Default: free ports, chosen once, so that addresses are the same after restarts. 0 = chosen anew at every start.
   */
  readonly ports?: ListenPorts;
  /** Further settings: CRIER_ variables. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * A command before `crier`, for example `['prlimit', '--fsize=1000000']`. It must replace itself by the process
   * (exec).
   */
  readonly through?: readonly string[];
  /** A program that starts Crier with substitutes, in place of `crier start`. */
  readonly program?: readonly string[];
}

/** The content of the file named by CRIER_READY_FILE. */
export interface ReadyFile {
  readonly baseUrl: string | null;
  readonly adminUrl: string;
  readonly sandboxUrl: string | null;
  readonly adminToken: string;
  readonly demo: {
    readonly workspaceId: string;
    readonly memberId: string;
    readonly email: string;
    readonly signInUrl: string | null;
    readonly apiKey: string;
    readonly channels: Readonly<Record<string, string>>;
  } | null;
}

/** The demo's two Channels that accept Posts without files. */
export function textChannels({ channels }: NonNullable<ReadyFile['demo']>): readonly string[] {
  return [channels['x']!, channels['threads']!];
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What users start. */
export const BIN_CRIER = resolve(import.meta.dirname, '../../bin/crier');
/** The same as a bundle, which starts in half the time; where a source has changed since it was built, `bin/crier`. */
export const CRIER = freshBundle() ?? BIN_CRIER;
/** A drain may take half a minute, and a busy machine more. */
const GRACE_MS = 120_000;
/** After a kill -9 on a cluster a process waits until the session of its former self is over, as well. */
const READY_WITHIN_MS = 150_000;

/**
 * One real process of Crier. Modes: *down* (never launched, or ended) and *up* (launched: starting, ready, draining or
 * stopped by SIGSTOP; only the process itself knows which). `launch` leads to up; the end of the process, for any
 * reason, leads to down. Its output is kept over restarts. It ends when this process ends.
 */
export class CrierUnderTest {
  readonly name: string;
  readonly dataDir: string;
  readonly ports: ListenPorts;
  readonly readyFile: string;
  /** Time from spawning to the ready file, at the last `start`. */
  readyAfterMs = 0;
  readonly #options: CrierOptions;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #ended: Promise<ProcessEnd> = Promise.resolve({ code: null, signal: null });
  #ready: ReadyFile | null = null;

  private constructor(options: CrierOptions, ports: ListenPorts) {
    this.#options = options;
    this.name = options.name ?? 'crier';
    this.#folder = mkdtempSync(join(tmpdir(), `crier-test-${this.name}-`));
    this.dataDir = options.dataDir ?? join(this.#folder, 'data');
    this.ports = ports;
    this.readyFile = join(this.#folder, 'ready.json');
  }

  /** An object without a launched process. */
  static async make(options: CrierOptions = {}): Promise<CrierUnderTest> {
    if (options.ports !== undefined) return new CrierUnderTest(options, options.ports);
    const [api, admin, sandbox] = (await freePorts(3)) as [number, number, number];
    return new CrierUnderTest(options, { api, admin, sandbox });
  }

  /** An object whose process is launched and ready. */
  static async start(options: CrierOptions = {}): Promise<CrierUnderTest> {
    const made = await CrierUnderTest.make(options);
    await made.start();
    return made;
  }

  /** Null when down. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How long its main thread has waited so far for a core that others had; 0 where the system does not say. */
  get hinderedMs(): number {
    const file = `/proc/${this.pid}/schedstat`;
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1_000_000 : 0;
  }

  /** Resolves when the process of the last `launch` has ended. */
  get ended(): Promise<ProcessEnd> {
    return this.#ended;
  }

  /** The content of the ready file; throws before it is written. */
  get ready(): ReadyFile {
    if (this.#ready === null) throw new Error(`${this.name} was never ready`);
    return this.#ready;
  }

  /** Spawns the process and returns without waiting for readiness. */
  launch(): void {
    if (this.#child !== null) throw new Error(`${this.name} already runs as ${this.#child.pid}`);
    rmSync(this.readyFile, { force: true });
    const { through = [], env = {}, engine = 'embedded', roles = ['all'], program = [CRIER, 'start'] } = this.#options;
    const [command = CRIER, ...args] = [...through, ...program];
    const settings = {
      CRIER_ENGINE: engine,
      CRIER_ROLES: roles.join(','),
      CRIER_DATA_DIR: this.dataDir,
      CRIER_READY_FILE: this.readyFile,
      CRIER_PORT: String(this.ports.api),
      CRIER_ADMIN_PORT: String(this.ports.admin),
      CRIER_SANDBOX_PORT: String(this.ports.sandbox),
      // Defects that production reports and survives must end the process in a test.
      CRIER_VERIFY_ROWS: 'true',
    };
    const [out, err] = [openSync(this.#file('out'), 'a'), openSync(this.#file('err'), 'a')];
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', out, err],
      env: { ...inheritedEnvironment(), ...settings, ...env },
    });
    closeSync(out);
    closeSync(err);
    endWithUs(child);
    this.#child = child;
    this.#ended = new Promise((done) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#child === child) this.#child = null;
        done({ code, signal });
      };
      child.once('exit', end);
      child.once('error', () => end(null, null));
    });
  }

  /** Launches the process and waits until every role is ready. */
  async start(withinMs = READY_WITHIN_MS): Promise<ReadyFile> {
    const from = performance.now();
    this.launch();
    const ready = await this.whenReady(withinMs);
    this.readyAfterMs = performance.now() - from;
    return ready;
  }

  async whenReady(withinMs = READY_WITHIN_MS): Promise<ReadyFile> {
    const child = this.#child;
    await until(() => this.#child !== child || existsSync(this.readyFile), {
      what: `${this.name} ready`,
      withinMs,
      everyMs: 10,
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output().slice(-3_000)}`);
    });
    if (!existsSync(this.readyFile))
      throw new Error(`${this.name} ended while starting\n${this.output().slice(-3_000)}`);
    this.#ready = JSON.parse(readFileSync(this.readyFile, 'utf8')) as ReadyFile;
    return this.#ready;
  }

  /** Sends SIGTERM; resolves when the process has ended. */
  async stop(): Promise<ProcessEnd> {
    return this.#end('SIGTERM');
  }

  /** Sends SIGKILL; resolves when the kernel has removed the process. */
  async kill(): Promise<ProcessEnd> {
    return this.#end('SIGKILL');
  }

  /** Ends the process and starts it again on the same folder and ports. */
  async restart(how: 'stop' | 'kill'): Promise<ReadyFile> {
    await this[how]();
    return this.start();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child === null) throw new Error(`${this.name} is down`);
    this.#child.kill(signal);
  }

  /** All output so far, over all its launches. */
  output(): string {
    return `${this.#text('out')}${this.#text('err')}`;
  }

  /** What it said to a person who reads its stderr: the lines that are not the log's. */
  errorLines(): readonly string[] {
    return this.stderr()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'));
  }

  stdout(): string {
    return this.#text('out');
  }

  stderr(): string {
    return this.#text('err');
  }

  /** Default of `apiKey`: the demo's. */
  api(apiKey?: string): ApiClient {
    const key = apiKey ?? this.ready.demo?.apiKey;
    if (key === undefined || this.ready.baseUrl === null) throw new Error(`${this.name} has no API, or no demo key`);
    return new ApiClient(this.ready.baseUrl, key);
  }

  admin(): AdminClient {
    return new AdminClient(this.ready.adminUrl, this.ready.adminToken);
  }

  sandbox(): SandboxClient {
    if (this.ready.sandboxUrl === null) throw new Error(`${this.name} has no sandbox`);
    return new SandboxClient(this.ready.sandboxUrl);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<ProcessEnd> {
    const child = this.#child;
    if (child === null) return this.#ended;
    child.kill(signal);
    // A process stopped by SIGSTOP handles SIGTERM only after SIGCONT.
    if (signal === 'SIGTERM') child.kill('SIGCONT');
    const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    const ended = await this.#ended;
    clearTimeout(late);
    return ended;
  }

  #file(stream: 'out' | 'err'): string {
    return join(this.#options.logDir ?? this.#folder, `std${stream}.log`);
  }

  #text(stream: 'out' | 'err'): string {
    return existsSync(this.#file(stream)) ? readFileSync(this.#file(stream), 'utf8') : '';
  }
}
