import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The processes that are ours, one empty file each, named after its id and its start: the kernel gives an id again, and
 * never both. What a run could not end any more, because it was killed, the next one finds here.
 */
export class ProcessLedger {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Before anything can go wrong with it. A process that is gone already is left out. */
  add(pid: number): void {
    const startedAt = startOf(pid);
    if (startedAt !== null) writeFileSync(join(this.#folder, `${pid}-${startedAt}`), '');
  }

  /** Those that still exist. Forgets the others. */
  running(): readonly number[] {
    const pids: number[] = [];
    for (const name of readdirSync(this.#folder)) {
      const [pid, startedAt] = name.split('-') as [string, string];
      if (startOf(Number(pid)) === startedAt) pids.push(Number(pid));
      else rmSync(join(this.#folder, name), { force: true });
    }
    return pids;
  }

  /** Ends them by SIGKILL. Returns how many there were. */
  killAll(): number {
    const pids = this.running();
    for (const pid of pids) killQuietly(pid);
    return pids.length;
  }
}

/** Its start in ticks since the machine's; null: there is none, or it has ended and only waits to be collected. */
function startOf(pid: number): string | null {
  try {
    // Its name, which may have spaces, ends with the last bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    return fields[0] === 'Z' ? null : fields[19]!;
  } catch {
    return null;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
