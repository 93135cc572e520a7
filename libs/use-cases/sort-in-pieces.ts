import type { Pause } from '#concurrency/time-slice.ts';

/** Sorting and merging so many take a part of a millisecond. */
const PIECE = 500;

/** The items in order, equal ones as they were. Pauses now and then: sorting thousands takes tens of milliseconds. */
export async function sortInPieces<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  pause: Pause,
): Promise<readonly T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += PIECE) {
    await pause();
    runs.push(items.slice(at, at + PIECE).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, pause));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  ones: readonly T[],
  others: readonly T[],
  compare: (one: T, other: T) => number,
  pause: Pause,
): Promise<T[]> {
  const all: T[] = [];
  let [one, other] = [0, 0];
  while (one < ones.length || other < others.length) {
    if (all.length % PIECE === 0) await pause();
    const isFirst = other === others.length || (one < ones.length && compare(ones[one]!, others[other]!) <= 0);
    all.push(isFirst ? ones[one++]! : others[other++]!);
  }
  return all;
}
