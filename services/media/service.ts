import { mkdir, rm } from 'node:fs/promises';
import { KeyedConsumer } from '#runtime/consumer/keyed-consumer.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#runtime/workload.ts';
import { MEDIA_JOBS } from '#tables/topics.ts';
import type { MediaParts, Workshop } from './needs.ts';
import { preparePost } from './prepare-post.ts';
import { Slots } from '#runtime/slots.ts';

/** Posts at once in one process: most of them fetch or wait for a core. */
const POSTS_AT_ONCE = 16;

/** Makes the files of Posts ready: one mailbox a Post. */
export function createMediaService(parts: MediaParts): Service & Workload {
  return new MediaService({ ...parts, slots: new Slots(parts.cores) });
}

class MediaService extends KeyedConsumer {
  readonly #scratchFolder: string;

  constructor(workshop: Workshop) {
    super(
      {
        name: 'media',
        group: 'media',
        topics: [MEDIA_JOBS.name],
        maxBatch: 8,
        concurrency: POSTS_AT_ONCE,
        maxWaiting: 5_000,
        handle: async (_postId, messages) => {
          const job = messages.at(-1);
          for (const message of messages) if (message.type !== 'PrepareMedia') throw new Error(`${message.type} is no job for media`);
          // Each of them says the same; the last is the youngest.
          if (job?.type === 'PrepareMedia') await preparePost(workshop, job);
        },
      },
      workshop,
    );
    this.#scratchFolder = workshop.scratchFolder;
  }

  /** What a crash left half-done is begun anew from what is in the store. */
  override async start(): Promise<void> {
    await rm(this.#scratchFolder, { recursive: true, force: true });
    await mkdir(this.#scratchFolder, { recursive: true, mode: 0o700 });
    await super.start();
  }
}
