import { readdir, readFile } from 'node:fs/promises';
import { killGroup } from './process-group.ts';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  readonly words: string;
}

/** Living processes of the machine; a zombie that waits to be reaped is not counted. */
async function living(): Promise<readonly Process[]> {
  return lookedAt((await readdir('/proc')).filter((name) => /^\d+$/.test(name)));
}

async function lookedAt(pids: readonly string[]): Promise<readonly Process[]> {
  const all = await Promise.all(pids.map((pid) => look(pid).catch(() => null)));
  return all.filter((one): one is Process => one !== null && one.state !== 'Z' && one.state !== 'X');
}

async function look(pid: string): Promise<Process> {
  const [stat, words] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ]);
  const [state = '', parent = '0', group = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(pid), parent: Number(parent), group: Number(group), state, words: words.replaceAll('\0', ' ') };
}

/**
 * The living children of a process. Linux lists them by the thread that started them: a few small files, where a look
 * at every process of a busy machine takes longer than some children live. A list that is read while one of them ends
 * may leave out others (proc(5)), hence two of them.
 */
async function childrenOf(parent: number): Promise<readonly Process[]> {
  const first = await listedChildrenOf(parent);
  const [seen, seenThen] = await Promise.all([lookedAt(first), listedChildrenOf(parent).then(lookedAt)]);
  return [...new Map([...seen, ...seenThen].map((one) => [one.pid, one])).values()];
}

async function listedChildrenOf(parent: number): Promise<readonly string[]> {
  const threads = await readdir(`/proc/${parent}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${parent}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter((pid) => pid !== ''));
}

/** The process groups, other than our own, with a living process whose command line holds `mark`. */
export async function groupsWith(mark: string): Promise<readonly number[]> {
  const all = await living();
  const own = all.find(({ pid }) => pid === process.pid)?.group;
  const marked = new Set(all.filter(({ words }) => words.includes(mark)).map(({ group }) => group));
  return [...marked].filter((group) => group !== own);
}

/**
 * The process groups that the launcher of `parent` started (launcher.ts) and whose command line holds `mark`. Other
 * tests may run the same program, hence `parent`.
 */
export async function childGroupsWith(mark: string, parent: number): Promise<readonly number[]> {
  const launchers = (await childrenOf(parent)).filter((one) => one.words.includes('launcher-program'));
  const children = (await Promise.all(launchers.map(({ pid }) => childrenOf(pid)))).flat();
  return children.filter((one) => one.group === one.pid && one.words.includes(mark)).map(({ group }) => group);
}

/** The living processes of a group whose command line begins with `program`. */
export async function membersOf(group: number, program: string): Promise<readonly number[]> {
  return (await living()).filter((one) => one.group === group && one.words.startsWith(program)).map(({ pid }) => pid);
}

export async function killGroupsWith(mark: string): Promise<void> {
  for (const pid of await groupsWith(mark)) killGroup({ pid });
}

/** Whether any process of the group is alive. */
export async function isLiving(group: number): Promise<boolean> {
  return (await living()).some((one) => one.group === group);
}

/** What a living process has used so far: processor time in seconds, and its peak of memory in bytes. */
export async function usageOf(pid: number): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return { seconds: (user + system) / TICKS_A_SECOND, bytes: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024 };
}

const TICKS_A_SECOND = 100;
