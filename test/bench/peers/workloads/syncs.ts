import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUs } from '#testing/engines/process.ts';
import { until } from '#testing/until.ts';
import { familyOf } from '../../family-memory.ts';
import type { Home } from '../peer.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { settled } from './plan.ts';

const CALLS = 'fsync,fdatasync,sync_file_range,msync';
const DAY_MS = 86_400_000;
const SOON_MS = 150;
const WITHIN_MS = 60_000;

/**
 * How often a lone Post of one Variant has the disk synced, counted by strace in all processes: when it is created, and
 * from its creation to its end. A sync is what a write costs that does not depend on the machine.
 */
export async function countSyncs(run: PeerRun, folder: string): Promise<Figures> {
  const { syncedPosts } = run.sizes;
  const home = await run.peer.openHome(1);
  let number = 0;
  const each = async (work: () => Promise<void>): Promise<void> => {
    for (let post = 0; post < syncedPosts; post++) await work();
  };
  const create = (afterMs: number): Promise<void> =>
    home.schedule([{ text: `Synced ${number++}`, channels: [0], dueAt: Date.now() + afterMs }]);
  // The first of them opens files and connections.
  await create(DAY_MS);
  const created = await syncsDuring(run, join(folder, 'created.trace'), () => each(() => create(DAY_MS)));
  const waiting = await run.peer.openHome(1);
  const lived = await syncsDuring(run, join(folder, 'lived.trace'), () =>
    each(() => live(run, waiting, `Lived ${number++}`)),
  );
  return { 'created, syncs a Post': created / syncedPosts, 'published too, syncs a Post': lived / syncedPosts };
}

async function live(run: PeerRun, home: Home, text: string): Promise<void> {
  await run.sink.clear();
  await home.schedule([{ text, channels: [0], dueAt: Date.now() + SOON_MS }]);
  if (!(await run.sink.reached('published', 1, WITHIN_MS))) throw new Error(`${text} did not arrive`);
  if (run.peer.api !== null && !(await settled(home, WITHIN_MS))) throw new Error(`${text} did not end`);
}

async function syncsDuring(run: PeerRun, file: string, work: () => Promise<void>): Promise<number> {
  const pids = run.peer.pids().flatMap((pid) => familyOf(pid));
  const tracer = await attach(pids, file);
  try {
    await work();
  } finally {
    const ended = once(tracer, 'exit');
    tracer.kill('SIGINT');
    await ended;
  }
  // A call that another thread's call interrupts is written in two lines, of which the first names it.
  return [...readFileSync(file, 'utf8').matchAll(new RegExp(`^\\d+ +(${CALLS.replaceAll(',', '|')})\\(`, 'gm'))].length;
}

/** Resolves when all of these processes are traced, and any that they start. Detaching leaves them running. */
async function attach(pids: readonly number[], file: string): Promise<ChildProcess> {
  const tracer = spawn(
    'strace',
    ['-f', '-e', `trace=${CALLS}`, '-o', file, ...pids.flatMap((pid) => ['-p', `${pid}`])],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  await once(tracer, 'spawn');
  endWithUs(tracer);
  let said = '';
  tracer.stderr!.on('data', (words: Buffer) => {
    said += words.toString();
  });
  const isAttached = (pid: number): boolean => new RegExp(`Process ${pid} attached`).test(said);
  await until(() => tracer.exitCode !== null || pids.every(isAttached), { what: `strace at ${pids.join(', ')}` });
  if (tracer.exitCode !== null) throw new Error(`strace ended: ${said}`);
  return tracer;
}
