import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_POLL_MS = 250;
const LOCK_DEADLINE_MS = 15 * 60_000;
const LOGS_KEPT_MS = 24 * 3_600_000;

/**
 * Where jars, logs and the data of running engines are kept: CRIER_TEST_CACHE, else `.cache/engines` of this
 * repository.
 */
export function cacheFolder(): string {
  const folder = process.env['CRIER_TEST_CACHE'] ?? resolve(import.meta.dirname, '../../../.cache/engines');
  mkdirSync(folder, { recursive: true });
  return folder;
}

let runs = 0;

/**
 * A new empty folder for one engine's data. Named after this process, so that a later one can tell it was left behind.
 */
export function newRunFolder(engine: string): string {
  const all = resolve(cacheFolder(), 'runs');
  mkdirSync(all, { recursive: true });
  for (const name of readdirSync(all)) {
    const owner = Number(name.split('-').at(-2));
    if (!alive(owner)) rmSync(resolve(all, name), { recursive: true, force: true });
  }
  runs += 1;
  const folder = resolve(all, `${engine}-${process.pid}-${runs}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

/** Where an engine of this run folder writes what it has to say. Kept when the engine ends, for a day. */
export function newLogFile(runFolder: string): string {
  const logs = resolve(cacheFolder(), 'logs');
  mkdirSync(logs, { recursive: true });
  for (const name of readdirSync(logs)) {
    const written = statSync(resolve(logs, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written < Date.now() - LOGS_KEPT_MS) rmSync(resolve(logs, name), { force: true });
  }
  const file = resolve(logs, `${basename(runFolder)}.log`);
  rmSync(file, { force: true });
  return file;
}

/** Whether a process of this id exists (ours to signal or not). */
export function alive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Runs `work` while no other process of this machine does, under a lock file that names its holder. A holder that died
 * is overruled; should two processes overrule it at once both go on, so `work` must also end in an atomic rename.
 */
export async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + LOCK_DEADLINE_MS;
  for (;;) {
    try {
      const lock = await open(file, 'wx');
      await lock.writeFile(String(process.pid));
      await lock.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(file, 'utf8').catch(() => '');
    // An empty file is a holder between creating and writing it: give it one more look.
    if (holder === '') await sleep(LOCK_POLL_MS);
    const still = await readFile(file, 'utf8').catch(() => holder);
    if (still === holder && !alive(Number(holder))) await rm(file, { force: true });
    else if (performance.now() > giveUpAt) throw new Error(`another process (${holder}) holds ${file} for too long`);
    else await sleep(LOCK_POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
