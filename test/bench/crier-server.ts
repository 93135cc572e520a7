import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAdminClient } from '#services/admin/client.ts';
import { newLogFile } from '#testing/engines/cache-folder.ts';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';
import { MAIN } from './program.ts';

const READY_WITHIN_MS = 120_000;

export type Settings = Readonly<Record<string, string>>;
export type BenchAdmin = ReturnType<typeof createAdminClient>;

/** `crier start` in a process of its own. */
export interface CrierServer {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly admin: BenchAdmin;
  readonly pid: number;
  /** Attempts at Variants that ended since it started, with any outcome. */
  attemptsEnded(): Promise<number>;
  /**
   * The sum of a metric over all of its labels, or of those with this one (`outcome="published"`); for a histogram,
   * name the summed series (`..._sum`).
   */
  metric(name: string, label?: string): Promise<number>;
  /** Drains and ends it; profiles are written then. */
  stop(): Promise<void>;
}

interface Ready {
  readonly baseUrl: string | null;
  readonly adminUrl: string;
  readonly sandboxUrl: string | null;
  readonly adminToken: string;
}

export interface ServerOptions {
  readonly folder: string;
  readonly settings: Settings;
  /** The folder of a processor profile; null: none is made. */
  readonly profile: string | null;
  /** Script and arguments in place of `crier start`. */
  readonly program?: readonly string[];
}

/** Resolves when it is ready. It ends with this process, for any reason. */
export async function startCrier({
  folder,
  settings,
  profile,
  program = [MAIN, 'start'],
}: ServerOptions): Promise<CrierServer> {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  mkdirSync(folder, { recursive: true });
  // Not port 0: the kernel takes such ports from the range of outgoing connections, and one may get it before Crier
  // listens.
  const [api, admin, sandbox] = await freePorts(3);
  const ports = { CRIER_PORT: `${api}`, CRIER_ADMIN_PORT: `${admin}`, CRIER_SANDBOX_PORT: `${sandbox}` };
  const server = new EngineProcess({
    name: 'crier start',
    command: process.execPath,
    // Memory as bin/crier bounds it, as many threads, and compiled code where it keeps it.
    args: [
      '--max-semi-space-size=16',
      ...(profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      ...program,
    ],
    env: {
      NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../.cache/compiled'),
      MALLOC_ARENA_MAX: '2',
      UV_THREADPOOL_SIZE: '16',
      ...settings,
      ...ports,
      CRIER_DATA_DIR: join(folder, 'data'),
      CRIER_READY_FILE: readyFile,
    },
    logFile: newLogFile(folder),
    probe: async () => {
      if (!existsSync(readyFile)) throw new Error('it has not said that it is ready');
    },
    readyWithinMs: READY_WITHIN_MS,
  });
  await server.start();
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Ready;
  return {
    // A process without the REST API names no address, though it may serve the app.
    baseUrl: ready.baseUrl ?? `http://127.0.0.1:${api}`,
    sandboxUrl: ready.sandboxUrl ?? settings['CRIER_SANDBOX_URL']!,
    admin: createAdminClient({ url: ready.adminUrl, token: ready.adminToken }),
    pid: server.pid!,
    attemptsEnded: () => metric(ready.adminUrl, 'crier_attempts_ended_total'),
    metric: (name, label) => metric(ready.adminUrl, name, label),
    stop: () => server.kill('SIGTERM'),
  };
}

async function metric(adminUrl: string, name: string, label = ''): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return [...metrics.matchAll(new RegExp(`^${name}((?:\\{[^}]*\\})?) (\\S+)$`, 'gm'))].reduce(
    (sum, [, labels, value]) => (labels!.includes(label) ? sum + Number(value) : sum),
    0,
  );
}
