import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/sys/fs/cgroup/memory';
const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9 };

/**
 * A control group with the container's limit of memory. Null where there is no limit, or where the machine has no such
 * groups of the first version: the limit is not held there.
 */
export function makeControlGroup(name: string, limit: string | undefined): string | null {
  if (limit === undefined || !existsSync(join(MEMORY, 'memory.limit_in_bytes'))) return null;
  const folder = join(MEMORY, 'crier-kubernetes', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'memory.limit_in_bytes'), String(bytesOf(limit)));
  return folder;
}

export function bytesOf(quantity: string): number {
  const [, count, unit] = /^(\d+)([KMG]i|[kMG])?$/.exec(quantity) ?? [];
  if (count === undefined) throw new Error(`${quantity} is no amount of memory`);
  return Number(count) * (unit === undefined ? 1 : UNITS[unit]!);
}
