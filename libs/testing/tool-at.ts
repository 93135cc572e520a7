import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { inheritedEnvironment } from './engines/environment.ts';

const BUILT = resolve(import.meta.dirname, '../../.cache/tools');

/** Where a tool is: what a verb of the Makefile built or unpacked, or the machine's own. Null: nowhere. */
export function toolAt(name: string): string | null {
  const folders = [BUILT, ...(inheritedEnvironment()['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
