import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { soak } from '../engines/environment.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
/** Where build.ts writes. */
export const BUNDLE = join(ROOT, '.cache/bundle');
/** In that folder: what stands for `bin/crier`, and what it was built from. */
export const PROGRAM = 'crier';
export const STAMP = 'built-from.json';

export interface BundleStamp {
  /** Wall time at which its build began, in milliseconds. */
  readonly startedAt: number;
  /** From the root. package-lock.json stands for all packages. */
  readonly paths: readonly string[];
}

/**
 * The program of the bundle, while every file that went into it is as it was; else null. A new file counts as soon as
 * one of those imports it. Long runs have the sources themselves.
 */
export function freshBundle(): string | null {
  const stamp = join(BUNDLE, STAMP);
  if (soak() || !existsSync(stamp)) return null;
  const { startedAt, paths } = JSON.parse(readFileSync(stamp, 'utf8')) as BundleStamp;
  const isUnchanged = (path: string): boolean => {
    const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
    return stats !== undefined && stats.mtimeMs < startedAt;
  };
  return paths.every(isUnchanged) ? join(BUNDLE, PROGRAM) : null;
}
