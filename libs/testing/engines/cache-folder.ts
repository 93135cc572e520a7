import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_POLL_MS = 250;
const LOCK_DEADLINE_MS = 15 * 60_000;
const LOGS_KEPT_MS = 24 * 3_600_000;

/** The folder of jars, logs and data of running engines: CRIER_TEST_CACHE, else `.cache/engines` of this repository. */
export function cacheFolder(): string {
  const folder = process.env['CRIER_TEST_CACHE'] ?? resolve(import.meta.dirname, '../../../.cache/engines');
  mkdirSync(folder, { recursive: true });
  return folder;
}

let runs = 0;

/**
 * A new empty folder for one engine's data. Named after this process, so that a later process can recognise that it was
 * left behind.
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

/** The file for the output of an engine of this run folder. It is kept for a day after the engine ends. */
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

/** Whether a process of this id exists, even if it belongs to another user. */
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
 * Runs `work` while no other process of this machine does, under a lock file that names its holder. The lock of a dead
 * holder is taken over; if two processes take it over at once, both continue, so `work` must also end in an atomic
 * rename.
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
    // An empty file means a holder between creating and writing it: look once more.
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
