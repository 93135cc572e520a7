import { openQueue, openQueueWorker, type QueueWorker } from '../engines/bullmq.ts';
import { JOB_NAME, JOBS_AT_ONCE, type DueJob, type Scheduler } from './scheduler.ts';

/** A delayed job for each. */
export async function openBullmq(redisPort: number): Promise<Scheduler> {
  const queue = await openQueue(JOB_NAME, redisPort);
  let worker: QueueWorker<DueJob> | null = null;
  return {
    add: async (jobs) => {
      const now = Date.now();
      await queue.addBulk(
        jobs.map((job) => ({
          name: JOB_NAME,
          data: job,
          opts: { timestamp: now, delay: Math.max(0, job.dueAt - now) },
        })),
      );
    },
    unfinished: async () => {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized', 'paused');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    work: async (publish) => {
      worker = await openQueueWorker<DueJob>(JOB_NAME, redisPort, JOBS_AT_ONCE, ({ data }) => publish(data));
    },
    close: async () => {
      await worker?.close();
      await queue.close();
    },
  };
}
