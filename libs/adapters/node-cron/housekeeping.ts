import { schedule, type ScheduledTask } from 'node-cron';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';

export interface Chore {
  readonly name: string;
  /** The times in cron's notation, in UTC. */
  readonly at: string;
  /** A run may be skipped or interrupted: correctness must not depend on when it ends, or whether it does. */
  readonly run: () => Promise<void>;
}

/**
 * Runs chores periodically, never two runs of one chore at once. No Post may depend on a chore: chores are not durable
 * and are skipped while the process is down. Modes: new -> running -> stopped.
 */
export function createHousekeeping(chores: readonly Chore[], reporter: Reporter): Service {
  let tasks: ScheduledTask[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(tasks.splice(0).map((task) => task.destroy()));
  };
  const begin = ({ name, at, run }: Chore): ScheduledTask => {
    const once = (): Promise<void> =>
      run().catch((error) => reporter.failure('housekeeping-failed', error, { job: name }));
    return schedule(at, once, { name, timezone: 'UTC', noOverlap: true, unref: true });
  };
  const start = async (): Promise<void> => {
    tasks = chores.map(begin);
  };
  return { name: 'housekeeping', start, drain: stop, stop, trouble: () => null };
}
