import { rm, stat, writeFile } from 'node:fs/promises';
import { PortError } from '#ports/errors.ts';
import type { PictureTools, PictureType, MediaRefusal } from '#ports/media-tools.ts';
import type { ReadAnswer } from './answer-reader.ts';
import type { JobWithoutBytes, PictureJob } from './picture-job.ts';
import { WorkPlaces } from './work-places.ts';
import { WorkerProcess, type WorkerAnswer } from './worker-process.ts';

/** What the conversion of one picture may take. */
export const PICTURE_MEMORY_BYTES = 1.9e9;

export interface PictureOptions {
  /** Memory of each worker. Node itself counts for 700 MB of it, which it reserves and hardly uses. */
  readonly memoryBytes?: number;
  readonly timeMs?: number;
  /** How many workers are started ahead of the next pictures. */
  readonly idleWorkers?: number;
  /** As of `WorkerLimits`. */
  readonly longMs?: number;
  /** How long a worker waits for another picture of its Workspace. */
  readonly restMs?: number;
  /** As of `WorkPlacesOptions`. */
  readonly mostAlone?: number;
}

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

/** Workers that wait for another picture take memory. */
const MAX_RESTING = 2;

/**
 * Pictures by sharp, in processes that work for one Workspace each: a decoder that a picture crashes, or that does not
 * end, is killed, and one that a picture takes over can reach nothing but that Workspace's next pictures
 * (worker-process.ts). The start of a process costs more than a small picture, and pictures of a Workspace come
 * together, so a worker rests for a moment before it ends.
 */
export function createPictures({
  memoryBytes = PICTURE_MEMORY_BYTES,
  timeMs = 120_000,
  idleWorkers = 1,
  longMs,
  restMs = 3_000,
  mostAlone,
}: PictureOptions = {}): PictureTools {
  const workers = new Set<WorkerProcess>();
  const places = new WorkPlaces({
    isAlone: (own) => [...workers].every(({ isGone, workspaceId: id }) => isGone || id === null || id === own),
    mostAlone,
  });
  /** Workers between two pictures, each with the timer that ends it; those that rest longest first. */
  const resting = new Map<WorkerProcess, NodeJS.Timeout>();
  let isClosed = false;

  const startWorker = (isFurther = false): WorkerProcess => {
    const worker = new WorkerProcess({ memoryBytes, timeMs, isFurther, longMs });
    workers.add(worker);
    return worker;
  };

  async function run(
    workspaceId: string,
    job: JobWithoutBytes,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<ReadAnswer, { kind: 'trouble' }>> {
    const { size } = await stat(path);
    if (size > MAX_SOURCE_BYTES) return TOO_LARGE;
    const leave = await places.take(workspaceId, signal);
    const answer = await runInWorker(workspaceId, { ...job, bytes: size }, path, signal).finally(leave);
    if (answer.kind === 'broken') return BROKEN;
    if (answer.kind === 'late') return LATE;
    if (answer.kind === 'killed') throw new PortError('unavailable', `the picture worker was killed: ${answer.by}`);
    if (answer.kind === 'trouble') throw new PortError('unavailable', answer.message);
    return answer;
  }

  async function runInWorker(
    workspaceId: string,
    job: PictureJob,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<WorkerAnswer> {
    signal?.throwIfAborted();
    const worker = idleWorkerOf(workspaceId) ?? newWorkerFor(workspaceId);
    clearTimeout(resting.get(worker));
    resting.delete(worker);
    const answer = await worker.run(workspaceId, job, path, signal).finally(() => keep(worker));
    startAhead();
    return answer;
  }

  /**
   * The one that was started ahead is for the first picture of a Workspace, whoever has many in work. Further ones of
   * the same Workspace have all of the processors that others leave.
   */
  function newWorkerFor(workspaceId: string): WorkerProcess {
    return workersOf(workspaceId).length > 0 ? startWorker(true) : (idleWorkerOf(null) ?? startWorker());
  }

  function workersOf(workspaceId: string | null): readonly WorkerProcess[] {
    return [...workers].filter((worker) => !worker.isGone && worker.workspaceId === workspaceId);
  }

  /** `null`: one that has seen no picture yet. */
  function idleWorkerOf(workspaceId: string | null): WorkerProcess | undefined {
    return [...workers].find((worker) => worker.isIdle && worker.workspaceId === workspaceId);
  }

  /**
   * Lets a worker rest that can work on. Where too many rest, one ends whose Workspace has another worker, so that none
   * with many pictures takes away the worker of one with few; where there is no such one, the one that rests longest.
   */
  function keep(worker: WorkerProcess): void {
    if (!worker.isIdle || isClosed) return void end(worker);
    const timer = setTimeout(() => void end(worker), restMs).unref();
    resting.set(worker, timer);
    if (resting.size <= MAX_RESTING) return;
    const [longest] = resting.keys();
    const surplus = [...resting.keys()].find(({ workspaceId }) => workersOf(workspaceId).length > 1) ?? longest;
    if (surplus !== undefined) void end(surplus);
  }

  async function end(worker: WorkerProcess): Promise<void> {
    clearTimeout(resting.get(worker));
    resting.delete(worker);
    await worker.end();
    workers.delete(worker);
  }

  /** Workers for the pictures to come: where pictures come, the start of a process is not waited for. */
  function startAhead(): void {
    for (const worker of workers) if (worker.isGone) workers.delete(worker);
    const idle = [...workers].filter((worker) => worker.isIdle && worker.workspaceId === null).length;
    if (!isClosed && idle < idleWorkers) startWorker();
  }

  return {
    async probe({ workspaceId, path, signal }, contentType) {
      const answer = await run(workspaceId, { kind: 'look', contentType }, path, signal);
      if (answer.kind === 'refused') return answer;
      // The worker is no longer what we started.
      if (answer.kind !== 'seen') return BROKEN;
      const { width, height, privateParts } = answer;
      return { kind: 'known', facts: { width, height }, privateParts };
    },
    async convert({ workspaceId, source: { path, facts }, target, into, signal, onProgress }) {
      const job = { kind: 'make', contentType: facts.contentType as PictureType, target } as const;
      let isKept = false;
      try {
        const answer = await run(workspaceId, job, path, signal);
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
      await Promise.all([...workers].map(end));
    },
  };
}
