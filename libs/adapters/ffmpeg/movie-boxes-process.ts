import { fileURLToPath } from 'node:url';
import { PortError } from '#ports/errors.ts';
import type { MediaRefusal } from '#ports/media-tools.ts';
import { codeIn } from '../child-process/confinement.ts';
import { runLimited } from '../child-process/limited-run.ts';
import type { BoxesRead } from './movie-boxes.ts';

const PROGRAM = fileURLToPath(new URL('./movie-boxes-program.ts', import.meta.url));
/** The program, and what it imports. */
const CODE = codeIn(new URL('.', import.meta.url));
/** Node reserves 700 MB of address space, of which it uses little. */
const LIMITS = { memoryBytes: 1e9, threads: 1, fileBytes: 0 } as const;

const WHY_NOT: Readonly<Record<Exclude<BoxesRead['kind'], 'read'>, string>> = {
  'no index': 'The video is damaged or was not copied whole: it has no index.',
  'too many tracks':
    'The video has more tracks than any camera or program makes. Export it with one picture and one sound.',
  'too many boxes': 'The video has more parts than any camera or program makes. Export it again as an MP4.',
  'too large an index': 'The index of the video is larger than that of hours of film. Export it again as an MP4.',
};
const LATE: MediaRefusal = {
  kind: 'refused',
  words: 'The video takes too long to look into: its index is not as it should be.',
};

/**
 * Reads the boxes of a file in a separate process, which is killed after `timeMs` or when aborted: no file can block
 * the event loop of the server. Rejects with `PortError` `unavailable` when the file can't be opened, or the process
 * ended for a reason other than the file.
 */
export async function movieBoxesOf(
  path: string,
  timeMs: number,
  signal?: AbortSignal,
): Promise<Extract<BoxesRead, { kind: 'read' }> | MediaRefusal> {
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM, path];
  const ended = await runLimited({
    program: process.execPath,
    args,
    reach: { reads: [path, ...CODE], writes: [] },
    timeMs,
    ...LIMITS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (ended.kind === 'over') return LATE;
  // The reader's work is bounded for every file, so it fails only because the file is missing or the machine lacks
  // resources.
  if (ended.kind !== 'ended' || ended.code !== 0)
    throw new PortError(
      'unavailable',
      `the boxes of a video were not read: ${ended.kind === 'ended' ? ended.errors.slice(-300) : ended.kind}`,
    );
  const read = JSON.parse(ended.output) as BoxesRead;
  return read.kind === 'read' ? read : { kind: 'refused', words: WHY_NOT[read.kind] };
}
