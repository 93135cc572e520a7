import { execFile } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newLogFile } from '#testing/engines/cache-folder.ts';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';
import { openPool } from './postgres-pool.ts';
import type { PeerPrograms } from './programs.ts';

const READY_WITHIN_MS = 60_000;

/**
 * On disk before a commit is acknowledged, which is PostgreSQL's default. The rest is what a service on a machine of
 * this size would set: more memory than the defaults of 2005, no checkpoint amid a run, no compiler for short queries.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  max_connections: '150',
  random_page_cost: '1.1',
  jit: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

export const POSTGRES_DURABILITY = 'PostgreSQL fsync, synchronous_commit';

export interface Postgres {
  readonly url: string;
  pid(): number | null;
  stop(): Promise<void>;
}

/** A server of our own with an empty database, its data below `folder`. */
export async function startPostgres(folder: string, { postgres, user, env }: PeerPrograms): Promise<Postgres> {
  const data = join(folder, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  if (user !== null) chownSync(data, user.uid, user.gid);
  const initdb = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(postgres, 'initdb'), initdb, { ...user, cwd: '/', env: { ...process.env, ...env } });
  const [port] = await freePorts(1);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const server = new EngineProcess({
    name: 'PostgreSQL',
    command: join(postgres, 'postgres'),
    args: [
      '-D',
      data,
      '-p',
      `${port}`,
      ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env,
    ...(user !== null && { user }),
    logFile: newLogFile(`${folder}-postgres`),
    probe: async () => {
      const pool = await openPool(url, 1);
      await pool.query({ text: 'SELECT 1' }).finally(() => pool.end());
    },
    readyWithinMs: READY_WITHIN_MS,
  });
  await server.start();
  return {
    url,
    pid: () => server.pid,
    stop: async () => {
      // The fast shutdown, which does not wait for clients; the second signal waits for its end.
      await server.kill('SIGINT');
      await server.kill('SIGTERM');
    },
  };
}
