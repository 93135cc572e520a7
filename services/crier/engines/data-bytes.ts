import { readdir, stat } from 'node:fs/promises';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '#ports/clock.ts';

/** Files are many: they are counted anew when the last count is older, and a reading does not wait for it. */
const COUNT_EVERY_MS = 5 * 60_000;

/** The bytes of one data folder, by part. What is not counted yet, or is not there, is left out. */
export class DataBytes {
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #files: number | null = null;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor(folder: string, clock: Pick<Clock, 'monotonic'>) {
    this.#folder = folder;
    this.#clock = clock;
  }

  read(): readonly { readonly labels: { readonly part: string }; readonly value: number }[] {
    if (this.#clock.monotonic() >= this.#countedAt + COUNT_EVERY_MS) this.#counting ??= this.#count();
    const database = ['crier.db', 'crier.db-wal'].reduce((sum, name) => sum + sizeOf(join(this.#folder, name)), 0);
    const files = this.#files === null ? [] : [{ labels: { part: 'files' }, value: this.#files }];
    return [{ labels: { part: 'database' }, value: database }, ...files];
  }

  /** Resolves when no count is under way. */
  async settled(): Promise<void> {
    await this.#counting;
  }

  async #count(): Promise<void> {
    try {
      this.#files = await bytesBelow(join(this.#folder, 'blobs'));
    } catch {
      this.#files = null;
    }
    this.#countedAt = this.#clock.monotonic();
    this.#counting = null;
  }
}

/**
 * What this user may still write on the disk of a folder; a folder that is not there yet is counted by the one that it
 * will be in.
 */
export function freeBytes(folder: string): number {
  const nearest = nearestOf(resolve(folder));
  const { bavail, bsize } = statfsSync(nearest);
  return bavail * bsize;
}

/** The folder, or the nearest one above it that is there. */
export function nearestOf(folder: string): string {
  return existsSync(folder) ? folder : nearestOf(dirname(folder));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** One folder after the other: nothing waits for it. A file that is removed meanwhile counts nothing. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(nothing)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else bytes += (await stat(path).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

function nothing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
