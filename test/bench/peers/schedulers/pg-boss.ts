import { openPool } from '../engines/postgres-pool.ts';
import { installedPackage } from '../installed-package.ts';
import { JOB_NAME, JOBS_AT_ONCE, type DueJob, type Scheduler } from './scheduler.ts';

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  insert(name: string, jobs: readonly object[]): Promise<unknown>;
  work<Data>(
    name: string,
    options: object,
    handler: (jobs: readonly { readonly id: string; readonly data: Data }[]) => Promise<unknown>,
  ): Promise<string>;
}

interface PgBossPackage {
  readonly PgBoss: new (options: object) => Boss;
}

/** The shortest that it takes. Without it, a job of a dead worker is tried again after a quarter of an hour. */
const HEARTBEAT_SECONDS = 10;
/** The shortest that it takes. */
const POLL_SECONDS = 0.5;

/** A job for each, which starts after its due time. Workers ask for jobs, a batch at a time. */
export async function openPgBoss(url: string): Promise<Scheduler> {
  const { PgBoss } = await installedPackage<PgBossPackage>('pg-boss');
  const looks = { superviseIntervalSeconds: HEARTBEAT_SECONDS, monitorIntervalSeconds: HEARTBEAT_SECONDS };
  const boss = new PgBoss({ connectionString: url, max: 20, ...looks, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(JOB_NAME, { heartbeatSeconds: HEARTBEAT_SECONDS, retryLimit: 5 });
  const pool = await openPool(url, 1);
  return {
    add: async (jobs) => {
      await boss.insert(
        JOB_NAME,
        jobs.map((job) => ({ data: job, startAfter: new Date(job.dueAt) })),
      );
    },
    unfinished: async () => {
      const text = `SELECT count(*)::int AS count FROM pgboss.job WHERE name = $1 AND state < 'completed'`;
      return (await pool.query<{ count: number }>({ text, values: [JOB_NAME] })).rows[0]!.count;
    },
    work: async (publish) => {
      const options = {
        batchSize: JOBS_AT_ONCE,
        pollingIntervalSeconds: POLL_SECONDS,
        burstWhenBatchFull: true,
        perJobResults: true,
      };
      await boss.work<DueJob>(JOB_NAME, options, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            await publish(data);
            return { id, status: 'completed' };
          }),
        ),
      );
    },
    close: async () => {
      await boss.stop({ graceful: true, timeout: 5_000 });
      await pool.end();
    },
  };
}
