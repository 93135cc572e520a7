import type { ChildProcess } from 'node:child_process';

/** The environment of programs that we start. It contains nothing of our own environment, which holds secrets. */
export const BARE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
} as const;

/**
 * Stands before a command. It lowers the priority of the program and of all that it starts below ours, whatever ours
 * is, so that the server gets the processor first. Unlike `nice`, `renice -n` takes its number as an absolute one on
 * some systems, which would raise the priority of what a server with a low one starts.
 */
export const GIVING_WAY = 'nice -n 3';
/**
 * The same before a further command of a Workspace that has one at work: the first one of another gets five times as
 * much of a processor, by the weights of the scheduler.
 */
export const GIVING_WAY_TO_OTHERS = 'nice -n 10';

export interface ProgramEnd {
  /** Null where a signal ended it, or it was never started. */
  readonly code: number | null;
  /** The signal, or why it was not started; null where it ended by itself. */
  readonly by: string | null;
}

/**
 * Kills a child that was started `detached` and every process that it started: they share the process group that bears
 * its id. Harmless when they are gone.
 */
export function killGroup(child: Pick<ChildProcess, 'pid'>): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
