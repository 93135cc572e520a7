import { rm } from 'node:fs/promises';
import { PortError } from '#ports/errors.ts';
import type { PictureTools, PictureType, MediaRefusal } from '#ports/media-tools.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { WorkerProcess } from './worker-process.ts';

/** What the conversion of one picture may take. */
export const PICTURE_MEMORY_BYTES = 1.9e9;

export interface PictureOptions {
  /** Memory of each worker. Node itself counts for 700 MB of it, which it reserves and hardly uses. */
  readonly memoryBytes?: number;
  readonly timeMs?: number;
  /** How many idle workers are kept; more pictures at once start more workers. */
  readonly idleWorkers?: number;
}

const BROKEN: MediaRefusal = {
  kind: 'refused',
  words:
    'The picture can not be opened: it is damaged, or needs more memory than there is for one. Save it again, smaller.',
};
const LATE: MediaRefusal = { kind: 'refused', words: 'The picture takes too long to prepare. Save it again, smaller.' };

/** Pictures by sharp, in separate processes: a decoder that a picture crashes, or that does not end, is killed. */
export function createPictures({
  memoryBytes = PICTURE_MEMORY_BYTES,
  timeMs = 120_000,
  idleWorkers = 1,
}: PictureOptions = {}): PictureTools {
  const workers = new Set<WorkerProcess>();

  async function run(
    job: PictureJob,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<PictureAnswer, { kind: 'trouble' }>> {
    const worker = [...workers].find(({ isIdle }) => isIdle) ?? new WorkerProcess(memoryBytes);
    workers.add(worker);
    try {
      const answer = await worker.run(job, timeMs, signal);
      if (answer.kind === 'broken') return BROKEN;
      if (answer.kind === 'late') return LATE;
      if (answer.kind === 'killed') throw new PortError('unavailable', `the picture worker was killed: ${answer.by}`);
      if (answer.kind === 'trouble') throw new PortError('unavailable', answer.message);
      return answer;
    } finally {
      await release(worker);
    }
  }

  async function release(worker: WorkerProcess): Promise<void> {
    const idle = [...workers].filter(({ isIdle }) => isIdle);
    if (worker.isIdle && idle.length <= idleWorkers) return;
    workers.delete(worker);
    await worker.end();
  }

  return {
    async probe({ path, signal }, contentType) {
      const answer = await run({ kind: 'look', path, contentType }, signal);
      if (answer.kind === 'refused') return answer;
      if (answer.kind !== 'seen') throw new Error(`a look ended as ${answer.kind}`);
      const { width, height } = answer;
      return { kind: 'known', facts: { width, height } };
    },
    async convert({ source: { path, facts }, target, into, signal, onProgress }) {
      const job = {
        kind: 'make',
        path,
        contentType: facts.contentType as PictureType,
        bytes: facts.bytes,
        target,
        into,
      } as const;
      let isKept = false;
      try {
        const answer = await run(job, signal);
        onProgress?.(1);
        if (answer.kind === 'refused') return answer;
        if (answer.kind === 'seen') throw new Error('a picture was seen, not made');
        isKept = answer.kind === 'made';
        const { contentType, bytes, sha256, width, height } = answer.kind === 'fits' ? facts : answer;
        return {
          kind: 'converted',
          contentType,
          bytes,
          sha256,
          width,
          height,
          durationMs: null,
          reused: answer.kind === 'fits',
        };
      } finally {
        if (!isKept) await rm(into, { force: true });
      }
    },
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.end()));
      workers.clear();
    },
  };
}
