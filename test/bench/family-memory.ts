import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
const KIB = 1024;

export interface FamilyPeak {
  /** The peak of the resident bytes of the process alone. */
  readonly ownBytes: number;
  /** The peak with all its descendants; pages that they share count for each. */
  readonly allBytes: number;
}

/** Samples a process and its descendants repeatedly while `work` runs. */
export async function peakWhile<T>(pid: number, work: () => Promise<T>): Promise<readonly [T, FamilyPeak]> {
  const over = new AbortController();
  let [ownBytes, allBytes] = [0, 0];
  const look = (): void => {
    const bytes = familyOf(pid).map(residentBytes);
    ownBytes = Math.max(ownBytes, bytes[0] ?? 0);
    allBytes = Math.max(
      allBytes,
      bytes.reduce((sum, each) => sum + each, 0),
    );
  };
  const watching = (async () => {
    for (; !over.signal.aborted; await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {})) look();
  })();
  try {
    const result = await work();
    look();
    return [result, { ownBytes, allBytes }];
  } finally {
    over.abort();
    await watching;
  }
}

/** The process itself comes first. */
export function familyOf(pid: number): readonly number[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []).map((child) => child.pid));
  return family;
}

function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    // Parsed after the program's name, which may contain anything: state, then parent.
    const parent = /\) \S (\d+) [^)]*$/.exec(read(`/proc/${name}/stat`))?.[1];
    return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }];
  });
}

/** 0 for a process that has ended meanwhile. */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * KIB;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
