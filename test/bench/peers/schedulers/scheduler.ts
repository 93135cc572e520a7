/** What is to be published once, at an instant. */
export interface DueJob {
  readonly text: string;
  readonly account: string;
  readonly dueAt: number;
}

/** One way of having jobs done at their instants. Both processes of a peer open it, for one half each. */
export interface Scheduler {
  /** Resolves when all of them are durable. */
  add(jobs: readonly DueJob[]): Promise<void>;
  /** How many jobs are not done yet, or for ever failed. */
  unfinished(): Promise<number>;
  /** Begins to take jobs as they come due; each is done when `publish` resolves, and tried again when it rejects. */
  work(publish: (job: DueJob) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** At once in one process: as many as the other peers' workers and Crier's publishers have under way. */
export const JOBS_AT_ONCE = 50;

/** The name of the queue, or of the kind of jobs. */
export const JOB_NAME = 'publish';
