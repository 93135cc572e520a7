import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { AnswerReader } from './answer-reader.ts';
import type { JobWithoutBytes } from './picture-job.ts';
import { WorkerProcess } from './worker-process.ts';

const TARGET = {
  kind: 'image',
  format: 'jpeg',
  qualities: [80],
  canvas: { width: 30, height: 10 },
  picture: { width: 30, height: 10 },
  background: 'white',
  maxBytes: 100_000,
} as const;

const DISOBEDIENT = fileURLToPath(new URL('./disobedient-worker.child.ts', import.meta.url));
const HOSTILE = fileURLToPath(new URL('./hostile-worker.child.ts', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crier-worker-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Gives the worker a picture as a file. */
async function give(one: WorkerProcess, workspaceId: string, job: JobWithoutBytes, picture: Uint8Array) {
  const path = join(folder, 'picture');
  await writeFile(path, picture);
  return one.run(workspaceId, { ...job, bytes: picture.length }, path);
}

test('a worker that a picture took over reads no file of ours, writes none, and reaches no process or server', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const path = join(folder, 'secrets.json');
    await writeFile(path, 'a secret');
    const picture = Buffer.from(JSON.stringify({ path, port: (server.address() as { port: number }).port }));
    const worker = new WorkerProcess({ memoryBytes: 1.9e9, timeMs: 20_000, program: HOSTILE });
    const job = { kind: 'look', contentType: 'image/jpeg' } as const;
    expect(await give(worker, 'w1', job, picture)).toEqual({ kind: 'refused', words: '' });
    expect(connections).toBe(0);
    expect(await readdir(folder)).toEqual(['picture', 'secrets.json']);
  } finally {
    server.close();
  }
});

describe('a worker that did as it was asked', () => {
  const worker = () => new WorkerProcess({ memoryBytes: 1.9e9, timeMs: 20_000 });
  const look = (one: WorkerProcess, workspaceId: string, picture: Buffer) =>
    give(one, workspaceId, { kind: 'look', contentType: 'image/png' }, picture);
  const png = (width: number) =>
    sharp({ create: { width, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

  test('takes the next picture of the same Workspace, also after one that it refused', async () => {
    const one = worker();
    try {
      expect(await look(one, 'w1', await png(20))).toMatchObject({ kind: 'seen', width: 20 });
      expect(await look(one, 'w1', Buffer.from('no picture'))).toMatchObject({ kind: 'refused' });
      const job = { kind: 'make', contentType: 'image/png', target: TARGET } as const;
      expect(await give(one, 'w1', job, await png(30))).toMatchObject({ kind: 'made', width: 30 });
      expect(await look(one, 'w1', await png(40))).toMatchObject({ kind: 'seen', width: 40 });
      expect(one.isIdle).toBe(true);
    } finally {
      await one.end();
    }
  });

  test('takes no picture of another Workspace', async () => {
    const one = worker();
    try {
      await look(one, 'w1', await png(20));
      await expect(look(one, 'w2', await png(20))).rejects.toThrow('another Workspace');
    } finally {
      await one.end();
    }
  });
});

test.each([
  ['that answers before it has all of its picture', 'early'],
  ['that writes more than its answer', 'talkative'],
])('a worker %s takes no further picture', async (_, way) => {
  const one = new WorkerProcess({ memoryBytes: 1.9e9, timeMs: 20_000, program: DISOBEDIENT });
  // More than the pipe to the process holds.
  const picture = Buffer.alloc(1_200_000);
  picture.write(way);
  const answer = await give(one, 'w1', { kind: 'look', contentType: 'image/png' }, picture);
  expect(answer).toEqual({ kind: 'refused', words: way });
  await until(() => one.isGone, { what: 'it is gone' });
});

const MADE = { kind: 'made', contentType: 'image/png', bytes: 4, width: 1, height: 1 };

test('a picture whose file is gone, or became shorter, is not worked on', async () => {
  const one = () => new WorkerProcess({ memoryBytes: 1.9e9, timeMs: 20_000 });
  const path = join(folder, 'gone');
  const job = { kind: 'look', contentType: 'image/png', bytes: 10 } as const;
  await expect(one().run('w1', job, path)).rejects.toThrow('ENOENT');
  await writeFile(path, 'short');
  await expect(one().run('w1', job, path)).rejects.toThrow(`${path} is 5 bytes shorter than it was`);
});

test.each<[string, string]>([
  ['a line that never ends', '{'.repeat(600_000)],
  ['what is no JSON', 'made\n'],
  ['an answer that does not exist', '{"kind":"sent"}\n'],
  ['a picture of a type that nothing was asked for', `${JSON.stringify({ ...MADE, contentType: 'text/html' })}\nhtml`],
  ['a picture that is larger than asked for', `${JSON.stringify({ ...MADE, bytes: 2_000 })}\n`],
  ['more bytes than it says', `${JSON.stringify(MADE)}\nabcde`],
])('a worker that writes %s is broken', (_, written) => {
  expect(new AnswerReader(1_000).take(Buffer.from(written))).toBe('broken');
});

test('an answer that comes in pieces is put together', () => {
  const reader = new AnswerReader(1_000);
  const [first, second] = [JSON.stringify(MADE).slice(0, 10), `${JSON.stringify(MADE).slice(10)}\nab`];
  expect([first, second].map((piece) => reader.take(Buffer.from(piece)))).toEqual([null, null]);
  const sha256 = '88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589';
  const picture = { chunks: [Buffer.from('ab'), Buffer.from('cd')], sha256 };
  expect(reader.take(Buffer.from('cd'))).toEqual({ ...MADE, picture });
});
