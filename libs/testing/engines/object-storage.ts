import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { alone, cacheFolder, newLogFile, newRunFolder } from './cache-folder.ts';
import { EngineProcess, freePorts } from './process.ts';

const run = promisify(execFile);
const VERSION = '5.2.5';
const FETCH_DEADLINE_MS = 5 * 60_000;

export interface ObjectStorageEngine {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/**
 * An S3-compatible store from another project (moto), in memory, with an empty bucket. Rejects when it can't be fetched
 * or started here.
 */
export async function startObjectStorage(host = '127.0.0.1'): Promise<ObjectStorageEngine> {
  const home = await ensureMoto();
  const folder = newRunFolder('object-storage');
  const [port] = (await freePorts(1)) as [number];
  const endpoint = `http://${host}:${port}`;
  const server = new EngineProcess({
    name: 'object storage',
    command: resolve(home, 'bin/python'),
    args: ['-m', 'moto.server', '-H', host, '-p', String(port)],
    env: { PYTHONUNBUFFERED: '1' },
    logFile: newLogFile(folder),
    probe: async () => {
      const answer = await fetch(`${endpoint}/crier-test`, { method: 'PUT', signal: AbortSignal.timeout(10_000) });
      if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    },
    readyWithinMs: 240_000,
  });
  await server.start();
  return {
    endpoint,
    region: 'us-east-1',
    bucket: 'crier-test',
    accessKeyId: 'test',
    secretAccessKey: 'test-secret',
    stop: async () => {
      await server.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Python environment with it, made once and cached beside the other engines. */
async function ensureMoto(): Promise<string> {
  const home = resolve(cacheFolder(), `moto-${VERSION}`);
  if (!existsSync(home)) {
    await alone(resolve(cacheFolder(), 'moto.lock'), () => (existsSync(home) ? Promise.resolve() : fetchMoto(home)));
  }
  return home;
}

async function fetchMoto(home: string): Promise<void> {
  const fresh = `${home}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(resolve(home, '..'), { recursive: true });
  try {
    await run('python3', ['-m', 'venv', fresh], { timeout: FETCH_DEADLINE_MS });
    await run(
      resolve(fresh, 'bin/python'),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `moto[server]==${VERSION}`],
      { timeout: FETCH_DEADLINE_MS },
    );
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  await rename(fresh, home);
}
