import type { ChildProcess } from 'node:child_process';

/** The environment of programs that we start. It contains nothing of our own environment, which holds secrets. */
export const BARE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
} as const;

/**
 * A line for the shell that starts a program. It lowers the priority of the program and of all that it starts, so that
 * the server gets the processor first.
 */
export const GIVING_WAY = 'renice -n 3 -p "$$" >/dev/null 2>&1 || :';

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
