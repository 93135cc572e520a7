import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alive } from './cache-folder.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Rejects while the engine does not serve. Called repeatedly. */
  readonly probe: () => Promise<void>;
  readonly readyWithinMs: number;
  /** The user that it runs as; ours when left out. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** The process ended by itself before it served. The message holds the end of its log. */
export class EndedWhileStarting extends Error {}

const PROBE_EVERY_MS = 100;
const GRACE_MS = 20_000;

/**
 * An engine as a child process. Modes: *down* (never started, or its process has ended), *up* (its process exists,
 * perhaps stopped by SIGSTOP). `start` leads from down to up and returns once the probe succeeds; `kill` with SIGKILL
 * or SIGTERM leads back to down. Starting an engine that is up is a programming error.
 *
 * The engine ends with this process, however that ends: a watchdog shell reads a pipe that only this process holds
 * open, and kills the engine when the pipe closes. Both have sessions of their own, so that Ctrl-C reaches only this
 * process, which then ends them in order.
 */
export class EngineProcess {
  readonly #plan: ProcessPlan;
  #child: ChildProcess | null = null;
  #watchdog: ChildProcess | null = null;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    if (this.#child !== null) throw new Error(`${this.#plan.name} already runs as ${this.#child.pid}`);
    const log = openSync(this.#plan.logFile, 'a');
    const child = spawn(this.#plan.command, this.#plan.args, {
      detached: true,
      env: { ...process.env, ...this.#plan.env },
      stdio: ['ignore', log, log],
      ...this.#plan.user,
    });
    closeSync(log);
    await once(child, 'spawn');
    child.unref();
    this.#child = child;
    this.#watchdog = endWithUs(child);
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
    await this.#ready(child);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    if (signal !== 'SIGKILL' && signal !== 'SIGTERM') {
      child.kill(signal);
      return;
    }
    const gone = once(child, 'exit');
    // A stopped process reacts to SIGKILL only; SIGTERM would wait for SIGCONT for ever.
    child.ref();
    child.kill(signal);
    if (signal === 'SIGTERM') child.kill('SIGCONT');
    const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await gone;
    clearTimeout(late);
    this.#child = null;
    // At once, before the kernel can give the pid to another process.
    this.#watchdog?.kill('SIGKILL');
    this.#watchdog = null;
  }

  async #ready(child: ChildProcess): Promise<void> {
    const giveUpAt = performance.now() + this.#plan.readyWithinMs;
    for (;;) {
      if (this.#child !== child)
        throw new EndedWhileStarting(`${this.#plan.name} ended while starting\n${this.#logTail()}`);
      try {
        return await this.#plan.probe();
      } catch (error) {
        if (performance.now() > giveUpAt) {
          await this.kill('SIGKILL');
          throw new Error(
            `${this.#plan.name} did not serve within ${this.#plan.readyWithinMs} ms: ${error}\n${this.#logTail()}`,
            { cause: error },
          );
        }
      }
      await sleep(PROBE_EVERY_MS);
    }
  }

  #logTail(): string {
    const lines = readFileSync(this.#plan.logFile, 'utf8').split('\n');
    return lines
      .filter((line) => !line.includes('[cds]'))
      .slice(-40)
      .join('\n');
  }
}

/** Kills `child` when this process ends, for any reason. Returns the watchdog, which ends with the child. */
export function endWithUs(child: ChildProcess): ChildProcess {
  const watchdog = spawn('sh', ['-c', `read -r _; kill -9 ${child.pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  // Neither the shell nor its pipe keeps our event loop alive; when this process is gone the kernel closes the pipe.
  (watchdog.stdin as unknown as { unref(): void }).unref();
  child.once('exit', () => watchdog.kill('SIGKILL'));
  return watchdog;
}

/**
 * Starts an engine, and once more, on ports of its own again, if its process ended by itself: another process may have
 * taken a port between the choice of it and the engine's own use, which a JVM needs ten seconds for.
 */
export async function startedOnFreePorts<Engine>(start: () => Promise<Engine>): Promise<Engine> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof EndedWhileStarting)) throw error;
    console.error(`${error.message}\nIt is started once more, on other ports.`);
    return start();
  }
}

/**
 * Free ports of 127.0.0.1, below the range of outgoing connections: an engine that is down for a while still finds its
 * port free when it restarts. Each is reserved as long as this process lives: else another test that chooses ports
 * before ours are listened at, or while their process is down, might take them.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if ((await isFree(port)) && reserve(port)) found.push(port);
  }
  return found;
}

/** A file for each port that tests of this machine have, named after it, with the id of the process that has it. */
const RESERVED = join(tmpdir(), `crier-test-ports-${process.getuid?.() ?? 0}`);
let isSwept = false;

/** False: another test has it. */
function reserve(port: number): boolean {
  if (!isSwept) releaseThoseOfTheDead();
  isSwept = true;
  try {
    writeFileSync(join(RESERVED, String(port)), String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function releaseThoseOfTheDead(): void {
  mkdirSync(RESERVED, { recursive: true });
  for (const name of readdirSync(RESERVED)) {
    const file = join(RESERVED, name);
    let holder = '';
    try {
      holder = readFileSync(file, 'utf8');
    } catch (error) {
      // Another test releases them, too.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    // Empty: its holder is about to write.
    if (holder !== '' && !alive(Number(holder))) rmSync(file, { force: true });
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
