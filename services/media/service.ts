import { PortError } from '#ports/errors.ts';
import { createTopicConsumer, MAX_WAITING } from '#consumer/topic-consumer.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#consumer/workload.ts';
import { MEDIA_JOBS } from '#tables/declarations/topics.ts';
import { createMediaPools, type MediaServiceOptions } from './dependencies.ts';
import { preparePost } from './prepare-post.ts';

/**
 * All jobs that are held in memory. What a job waits for is shared by Workspace (`MediaPools`), so that no Workspace
 * waits behind all Posts of another.
 */
const POSTS_AT_ONCE = MEDIA_JOBS.partitions * MAX_WAITING;

/**
 * Makes the files of Posts ready, with one mailbox for each Post. The modes are those of any consumer, but draining
 * stops: a conversion may take longer than a process is given to end. What is under way is aborted and not
 * acknowledged, and the next owner of its partition begins it anew.
 */
export function createMediaService(options: MediaServiceOptions): Service & Workload {
  const ending = new AbortController();
  const pools = createMediaPools(options.shared);
  const underWay = new Set<Promise<void>>();
  const consumer = createTopicConsumer(
    {
      name: 'media',
      topic: MEDIA_JOBS,
      concurrency: POSTS_AT_ONCE,
      marks: 'by_handler',
      handle: async (_postId, jobs, { marked }) => {
        // All of them ask for the same; the last is the newest.
        const work = preparePost({ ...options, pools, marked, signal: ending.signal }, jobs.at(-1)!);
        underWay.add(work);
        await work.finally(() => underWay.delete(work));
      },
      onStart: () => emptyFolder(options),
      onStop: () => ending.abort(new PortError('unavailable', 'this process is ending')),
    },
    options,
  );
  const drain = async (): Promise<void> => {
    await consumer.stop();
    // Until no tool runs any more and its files are gone.
    await Promise.allSettled(underWay);
  };
  return { ...consumer, drain };
}

/** What a crash left half-done is begun anew from what is in the store. */
async function emptyFolder({ disk, scratchFolder }: MediaServiceOptions): Promise<void> {
  await disk.remove(scratchFolder);
  await disk.makeFolder(scratchFolder);
}
