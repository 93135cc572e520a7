import { openPool } from '../engines/postgres-pool.ts';
import { installedPackage } from '../installed-package.ts';
import { JOB_NAME, JOBS_AT_ONCE, type DueJob, type Scheduler } from './scheduler.ts';

interface WorkerUtils {
  migrate(): Promise<void>;
  addJobs(jobs: readonly object[]): Promise<unknown>;
  forceUnlockWorkers(workerIds: readonly string[]): Promise<void>;
  release(): Promise<void>;
}

interface GraphileWorkerPackage {
  readonly makeWorkerUtils: (options: object) => Promise<WorkerUtils>;
  readonly run: (options: object) => Promise<{ stop(): Promise<void> }>;
  readonly Logger: new (factory: () => (level: string, message: string) => void) => object;
}

/** How often each of the workers looks for jobs that came due; two seconds by default. */
const POLL_MS = 500;

/** A job for each, which runs at its due time. Each of the workers asks for one job at a time. */
export async function openGraphileWorker(url: string): Promise<Scheduler> {
  const { makeWorkerUtils, run, Logger } = await installedPackage<GraphileWorkerPackage>('graphile-worker');
  const pool = await openPool(url, JOBS_AT_ONCE + 2);
  const logger = new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') console.error(message);
  });
  const shared = { pgPool: pool, logger };
  const utils = await makeWorkerUtils(shared);
  await utils.migrate();
  let runner: { stop(): Promise<void> } | null = null;
  const jobs = 'graphile_worker._private_jobs';
  return {
    add: async (added) => {
      await utils.addJobs(
        added.map((job) => ({ identifier: JOB_NAME, payload: job, runAt: new Date(job.dueAt), maxAttempts: 5 })),
      );
    },
    unfinished: async () => {
      const text = `SELECT count(*)::int AS count FROM ${jobs} WHERE attempts < max_attempts OR locked_at IS NOT NULL`;
      return (await pool.query<{ count: number }>({ text })).rows[0]!.count;
    },
    work: async (publish) => {
      // Jobs of a dead worker stay locked for four hours by default. This process is the only one, so at its start all
      // that is locked is a dead one's.
      const text = `SELECT DISTINCT locked_by AS id FROM ${jobs} WHERE locked_by IS NOT NULL`;
      const dead = (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => id);
      if (dead.length > 0) await utils.forceUnlockWorkers(dead);
      runner = await run({
        ...shared,
        concurrency: JOBS_AT_ONCE,
        pollInterval: POLL_MS,
        noHandleSignals: true,
        crontab: '',
        taskList: { [JOB_NAME]: (job: DueJob) => publish(job) },
      });
    },
    close: async () => {
      await runner?.stop();
      await utils.release();
      await pool.end();
    },
  };
}
