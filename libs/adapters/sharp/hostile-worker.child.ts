import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { PictureAnswer } from './picture-job.ts';

/**
 * A worker that a picture took over. The picture names a file that it tries to read and to write beside, and a port
 * that it tries to reach. It answers which of its attempts succeeded.
 */
process.stdin.once('data', (chunk: Buffer) => {
  const [, named = ''] = chunk.toString('utf8').split('\n');
  const { path, port } = JSON.parse(named) as { readonly path: string; readonly port: number };
  const attempts: Readonly<Record<string, () => unknown>> = {
    read: () => readFileSync(path),
    written: () => writeFileSync(`${path}.new`, 'made'),
    environment: () => readFileSync(`/proc/${process.ppid}/environ`),
    signalled: () => process.kill(process.ppid, 'SIGCONT'),
    started: () => {
      const { error } = spawnSync('/bin/true');
      if (error !== undefined) throw error;
    },
  };
  const done = Object.keys(attempts).filter((name) => succeeds(attempts[name]!));
  const socket = connect({ host: '127.0.0.1', port });
  const tell = (more: readonly string[]) =>
    process.stdout.write(
      `${JSON.stringify({ kind: 'refused', words: [...done, ...more].join(' ') } satisfies PictureAnswer)}\n`,
    );
  socket.once('connect', () => tell(['connected'])).once('error', () => tell([]));
});

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
