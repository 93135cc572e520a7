import { installedPackage } from '../installed-package.ts';

export interface QueueJob {
  readonly name: string;
  readonly data: object;
  readonly opts?: { readonly jobId?: string; readonly delay?: number; readonly timestamp?: number };
}

export interface TakenJob<Data> {
  readonly data: Data;
  readonly attemptsMade: number;
  readonly opts: { readonly attempts?: number };
}

export interface Queue {
  add(name: string, data: object, options?: QueueJob['opts']): Promise<unknown>;
  addBulk(jobs: readonly QueueJob[]): Promise<unknown>;
  getJobCounts(...states: readonly string[]): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export interface QueueWorker<Data> {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'failed', listener: (job: TakenJob<Data> | undefined, error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

interface BullmqPackage {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new <Data>(
    name: string,
    work: (job: TakenJob<Data>) => Promise<void>,
    options: object,
  ) => QueueWorker<Data>;
}

/** A job that failed is tried again, as a service that publishes would have it. What is done leaves Redis. */
const JOBS = {
  removeOnComplete: true,
  removeOnFail: 1_000,
  attempts: 5,
  backoff: { type: 'exponential', delay: 5_000 },
};

const connectionTo = (port: number): object => ({ host: '127.0.0.1', port, maxRetriesPerRequest: null });

export async function openQueue(name: string, redisPort: number): Promise<Queue> {
  const { Queue: BullQueue } = await installedPackage<BullmqPackage>('bullmq');
  return new BullQueue(name, { connection: connectionTo(redisPort), defaultJobOptions: JOBS });
}

/** Up to `concurrency` jobs at once. The rest is BullMQ's default: a lock of 30 s, looked after every 30 s. */
export async function openQueueWorker<Data>(
  name: string,
  redisPort: number,
  concurrency: number,
  work: (job: TakenJob<Data>) => Promise<void>,
): Promise<QueueWorker<Data>> {
  const { Worker } = await installedPackage<BullmqPackage>('bullmq');
  const worker = new Worker<Data>(name, work, { connection: connectionTo(redisPort), concurrency });
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  return worker;
}
