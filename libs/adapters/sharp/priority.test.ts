import { execFile } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { openMediaFolder } from '#media/made-files.fixture.ts';
import { createPictures } from './pictures.ts';

const LARGE_BYTES = 240_000_000;
const WITHIN_MS = 30_000;
const lowered = (by: number): number => Math.min(constants.priority.PRIORITY_LOW, getPriority() + by);

/** The priorities of the workers that this process runs, lowest number first. */
async function priorities(): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,nice=,args=']);
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(-?\d+)\s.*picture-worker\./.exec(line))
    .flatMap((found) => (found !== null && Number(found[1]) === process.pid ? [Number(found[2])] : []))
    .sort((a, b) => a - b);
}

test('a further picture of a Workspace gives way to the first of another', { timeout: 2 * WITHIN_MS }, async () => {
  await using folder = await openMediaFolder('priority');
  // A worker that gets so much is at work for a while, whatever it is.
  const path = folder.path('large.png');
  await writeFile(path, '');
  await truncate(path, LARGE_BYTES);
  const pictures = createPictures({ idleWorkers: 0 });
  const ending = new AbortController();
  const probe = (workspaceId: string) => pictures.probe({ workspaceId, path, signal: ending.signal }, 'image/png');
  const all = Promise.allSettled(['one', 'one', 'other'].map(probe));
  const expected = [lowered(3), lowered(3), lowered(10)];
  await vi.waitFor(async () => expect(await priorities()).toEqual(expected), { timeout: WITHIN_MS, interval: 20 });
  ending.abort();
  await all;
  await pictures.close();
});
