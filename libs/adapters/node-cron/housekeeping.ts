import { schedule, type ScheduledTask } from 'node-cron';
import type { Reporter } from '#ports/reporter.ts';
import type { Service } from '#runtime/service.ts';

export interface Chore {
  readonly name: string;
  /** When, as cron writes it, in UTC. */
  readonly at: string;
  /** May be missed or cut off: it must not matter when, or whether, it ends. */
  readonly run: () => Promise<void>;
}

/**
 * Runs chores now and then, each never beside itself. Nothing that a Post depends on may be one: a chore is not durable
 * and is skipped while the process is down. new -> running -> stopped.
 */
export function createHousekeeping(chores: readonly Chore[], reporter: Reporter): Service {
  let tasks: ScheduledTask[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(tasks.splice(0).map((task) => task.destroy()));
  };
  const begin = ({ name, at, run }: Chore): ScheduledTask => {
    const once = (): Promise<void> => run().catch((error) => reporter.failure('chore-failed', error, { chore: name }));
    return schedule(at, once, { name, timezone: 'UTC', noOverlap: true, unref: true });
  };
  const start = async (): Promise<void> => {
    tasks = chores.map(begin);
  };
  return { name: 'housekeeping', start, drain: stop, stop, trouble: () => null };
}
