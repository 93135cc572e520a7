import type { ChildProcess } from 'node:child_process';

/** What programs are started with: nothing of our own environment, which holds secrets. */
export const BARE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
} as const;

/**
 * A line for the shell that starts a program: it and all that it starts give way to the server where both want the
 * processor.
 */
export const GIVING_WAY = 'renice -n 3 -p "$$" >/dev/null 2>&1 || :';

/**
 * Kills a child that was started `detached`, with everything it started: they share the process group that bears its
 * id. Harmless when they are gone.
 */
export function killGroup(child: Pick<ChildProcess, 'pid'>): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
