import { open, rm, writeFile } from 'node:fs/promises';
import { PortError } from '#ports/errors.ts';
import type { PictureTools, PictureType, MediaRefusal } from '#ports/media-tools.ts';
import type { ReadAnswer } from './answer-reader.ts';
import type { PictureJob } from './picture-job.ts';
import { WorkerProcess } from './worker-process.ts';

/** What the conversion of one picture may take. */
export const PICTURE_MEMORY_BYTES = 1.9e9;

export interface PictureOptions {
  /** Memory of each worker. Node itself counts for 700 MB of it, which it reserves and hardly uses. */
  readonly memoryBytes?: number;
  readonly timeMs?: number;
  /** How many workers are started ahead of the next pictures. */
  readonly idleWorkers?: number;
}

type WithoutBytes<Job> = Job extends PictureJob ? Omit<Job, 'bytes'> : never;
type JobWithoutBytes = WithoutBytes<PictureJob>;

const BROKEN: MediaRefusal = {
  kind: 'refused',
  words:
    'The picture can not be opened: it is damaged, or needs more memory than there is for one. Save it again, smaller.',
};
const LATE: MediaRefusal = { kind: 'refused', words: 'The picture takes too long to prepare. Save it again, smaller.' };

/** A file is held in memory as a whole while its picture is opened. */
const MAX_SOURCE_BYTES = 250_000_000;
const TOO_LARGE: MediaRefusal = {
  kind: 'refused',
  words: `The file of the picture is larger than ${MAX_SOURCE_BYTES / 1e6} MB. Save it again, as a JPEG.`,
};

/**
 * Pictures by sharp, in a separate process for each: a decoder that a picture crashes, or that does not end, is killed,
 * and one that a picture takes over can reach nothing (worker-process.ts).
 */
export function createPictures({
  memoryBytes = PICTURE_MEMORY_BYTES,
  timeMs = 120_000,
  idleWorkers = 1,
}: PictureOptions = {}): PictureTools {
  const workers = new Set<WorkerProcess>();
  let isClosed = false;

  const startWorker = (): WorkerProcess => {
    const worker = new WorkerProcess({ memoryBytes, timeMs });
    workers.add(worker);
    return worker;
  };

  async function run(
    job: JobWithoutBytes,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<ReadAnswer, { kind: 'trouble' }>> {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > MAX_SOURCE_BYTES) return TOO_LARGE;
    signal?.throwIfAborted();
    const worker = [...workers].find(({ isIdle }) => isIdle) ?? startWorker();
    const source = file.createReadStream({ autoClose: false });
    const answer = await worker.run({ ...job, bytes: size }, source, signal).finally(() => workers.delete(worker));
    startAhead();
    if (answer.kind === 'broken') return BROKEN;
    if (answer.kind === 'late') return LATE;
    if (answer.kind === 'killed') throw new PortError('unavailable', `the picture worker was killed: ${answer.by}`);
    if (answer.kind === 'trouble') throw new PortError('unavailable', answer.message);
    return answer;
  }

  /** Workers for the pictures to come: where pictures come, the start of a process is not waited for. */
  function startAhead(): void {
    const idle = [...workers].filter(({ isIdle }) => isIdle).length;
    if (!isClosed && idle < idleWorkers) startWorker();
  }

  return {
    async probe({ path, signal }, contentType) {
      const answer = await run({ kind: 'look', contentType }, path, signal);
      if (answer.kind === 'refused') return answer;
      // The worker is no longer what we started.
      if (answer.kind !== 'seen') return BROKEN;
      const { width, height, privateParts } = answer;
      return { kind: 'known', facts: { width, height }, privateParts };
    },
    async convert({ source: { path, facts }, target, into, signal, onProgress }) {
      const job = { kind: 'make', contentType: facts.contentType as PictureType, target } as const;
      let isKept = false;
      try {
        const answer = await run(job, path, signal);
        onProgress?.(1);
        if (answer.kind === 'refused') return answer;
        if (answer.kind === 'seen') return BROKEN;
        const { contentType, bytes, width, height } = answer.kind === 'fits' ? facts : answer;
        const { sha256 } = answer.kind === 'fits' ? facts : answer.picture;
        if (answer.kind === 'made') await writeFile(into, answer.picture.chunks, { mode: 0o600 });
        isKept = answer.kind === 'made';
        const reused = answer.kind === 'fits';
        return { kind: 'converted', contentType, bytes, sha256, width, height, durationMs: null, reused };
      } finally {
        if (!isKept) await rm(into, { force: true });
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...workers].map((worker) => worker.end()));
      workers.clear();
    },
  };
}
