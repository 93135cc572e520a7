import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment of programs that we start. It contains nothing of our own environment, which holds secrets. */
export const BARE_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/opt/homebrew/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
} as const;

/** By how much the priority of a program is below ours, so that the server gets the processor first. */
export const GIVING_WAY = 3;
/**
 * The same for a further program of a Workspace that has one at work, and for one at a long work: others, the server
 * first, get all that they want of a processor but some hundredths, by the weights of the scheduler. With still less, a
 * picture of some seconds could be late on a machine that has no pause.
 */
export const GIVING_WAY_TO_OTHERS = 15;
/**
 * The same for a program that has been at work for seconds, as a long video is: those that begin later get five parts
 * of six of the processors. With less, a video could be late by its time limit where others come without end.
 */
export const GIVING_WAY_AT_LENGTH = 10;

/**
 * The words that stand before a command whose priority is lower than ours, whatever ours is. Unlike `nice`, `renice -n`
 * takes its number as an absolute one on some systems, which would raise the priority of what a server with a low one
 * starts.
 */
const nicer = (by: number): readonly string[] => ['nice', '-n', String(by)];

/** Linux takes one such wish in 0.1 s of those who are not root. */
const ASK_AGAIN_MS = 130;
const MAX_ASKS = 50;

/**
 * Lets a process that leads a session give way as a whole. Where Linux schedules by session (`sched_autogroup_enabled`,
 * outside of containers), `nice` weighs the processes of one session among each other only, and the programs that a
 * server of one process starts had most of the processors. Where it does not, this does nothing.
 */
async function giveWayAsSession(pid: number, by: number): Promise<void> {
  for (let asks = 0; asks < MAX_ASKS; asks++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(by));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await sleep(ASK_AGAIN_MS);
    }
  }
}

/** The threads of a process and of all that it started. A system without /proc has one of each process that it tells. */
async function threadsUnder(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [String(pid)]);
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const pids = children.flatMap((list) => list.split(' ').filter((child) => child !== ''));
  const below = await Promise.all(pids.map((child) => threadsUnder(Number(child))));
  return [...threads.map(Number), ...below.flat()];
}

/**
 * Lowers the priority of a process that leads a session, by so much below ours: that of each thread of it and of what
 * it started, as Linux counts a priority for each, and that of the session. Harmless when it is gone.
 */
export async function giveWayFurther({ pid }: Pick<ChildProcess, 'pid'>, by: number): Promise<void> {
  if (pid === undefined) return;
  void giveWayAsSession(pid, by);
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + by);
  for (const thread of await threadsUnder(pid)) {
    try {
      setPriority(thread, priority);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Starts a program that leads a process group, which is killed as a whole, and a session; program and session give way
 * by so much, and it has nothing of our environment.
 */
export function spawnGroup(words: readonly string[], stdio: StdioOptions, givesWayBy: number): ChildProcess {
  const [command = '', ...args] = [...nicer(givesWayBy), ...words];
  const child = spawn(command, args, { detached: true, env: BARE_ENVIRONMENT, stdio });
  if (child.pid !== undefined) void giveWayAsSession(child.pid, givesWayBy);
  return child;
}

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
