import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

/** Does `work` while no other process has the lock of this path: tests that run beside each other build once. */
export async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  while (!take(path)) await sleep(LOOK_EVERY_MS);
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // A process that was killed during its build left its lock behind.
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    return false;
  }
}

/** Null: it is being written, or has just gone. */
function ownerOf(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8')) || null;
  } catch {
    return null;
  }
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
