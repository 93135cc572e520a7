import { mkdir, rm } from 'node:fs/promises';
import { PortError } from '#ports/errors.ts';
import { KeyedConsumer } from '#consumer/keyed-consumer.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#consumer/workload.ts';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import { createMediaPools, type MediaServiceOptions } from './dependencies.ts';
import { preparePost } from './prepare-post.ts';

/** Records of one partition held in memory. */
const MAX_WAITING = 5_000;
/**
 * All that are held: what a Post waits for is given out by Workspace (`MediaPools`), in which no Workspace waits behind
 * all Posts of another.
 */
const POSTS_AT_ONCE = MEDIA_JOBS.partitions * MAX_WAITING;

/** Makes the files of Posts ready: one mailbox a Post. */
export function createMediaService(parts: MediaServiceOptions): Service & Workload {
  return new MediaService(parts);
}

/**
 * Modes as of any consumer, but that draining lets go at once: a conversion may take longer than a process is given to
 * end. What is under way is cut off and not acknowledged, and whoever has its partition next begins it anew.
 */
class MediaService extends KeyedConsumer {
  readonly #scratchFolder: string;
  readonly #ending: AbortController;
  readonly #underWay: ReadonlySet<Promise<void>>;

  constructor(parts: MediaServiceOptions) {
    const ending = new AbortController();
    const pools = createMediaPools(parts.cores);
    const underWay = new Set<Promise<void>>();
    super(
      {
        name: 'media',
        group: 'media',
        topics: [MEDIA_JOBS.name],
        maxBatch: 8,
        concurrency: POSTS_AT_ONCE,
        maxWaiting: MAX_WAITING,
        marks: 'by_handler',
        handle: async (_postId, messages, { marked }) => {
          const job = messages.at(-1);
          for (const message of messages)
            if (message.type !== 'PrepareMedia') throw new Error(`${message.type} is no job for media`);
          // Each of them says the same; the last is the youngest.
          if (job?.type !== 'PrepareMedia') return;
          const work = preparePost({ ...parts, pools, marked, signal: ending.signal }, job);
          underWay.add(work);
          await work.finally(() => underWay.delete(work));
        },
      },
      parts,
    );
    this.#scratchFolder = parts.scratchFolder;
    this.#ending = ending;
    this.#underWay = underWay;
  }

  /** What a crash left half-done is begun anew from what is in the store. */
  override async start(): Promise<void> {
    await rm(this.#scratchFolder, { recursive: true, force: true });
    await mkdir(this.#scratchFolder, { recursive: true, mode: 0o700 });
    await super.start();
  }

  /** Resolves when nothing is under way any more: no tool runs, and its files are gone. */
  override async drain(): Promise<void> {
    await this.stop();
    await Promise.allSettled(this.#underWay);
  }

  override async stop(): Promise<void> {
    this.#ending.abort(new PortError('unavailable', 'this process is ending'));
    await super.stop();
  }
}
