import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { newLogFile } from '#testing/engines/cache-folder.ts';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';
import type { PeerPrograms } from './programs.ts';

const READY_WITHIN_MS = 30_000;

export const REDIS_DURABILITY = 'Redis appendfsync always';

export interface Redis {
  readonly port: number;
  pid(): number | null;
  stop(): Promise<void>;
}

/** A server of our own, every write on disk before its answer. */
export async function startRedis(folder: string, { redis, env }: PeerPrograms): Promise<Redis> {
  const data = join(folder, 'redis');
  mkdirSync(data);
  const [port] = (await freePorts(1)) as [number];
  const server = new EngineProcess({
    name: 'Redis',
    command: redis,
    args: [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', data, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
      // BullMQ waits for its next delayed job in a read with a timeout, which Redis looks at so often a second: ten
      // times by default, and jobs would be up to a tenth of a second late by that alone.
      ...['--hz', '500', '--dynamic-hz', 'no'],
    ],
    env,
    logFile: newLogFile(`${folder}-redis`),
    probe: () => answers(port),
    readyWithinMs: READY_WITHIN_MS,
  });
  await server.start();
  return { port, pid: () => server.pid, stop: () => server.kill('SIGTERM') };
}

async function answers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [said] = (await once(socket, 'data')) as [Buffer];
    if (!said.toString().startsWith('+PONG')) throw new Error(`Redis says ${said}`);
  } finally {
    socket.destroy();
  }
}
