import { useRef } from 'react';

/**
 * A key for each of these ids: the one that the id had before, else that of an id that has gone. React then writes a
 * Post that came into the elements of one that went, instead of making some twenty anew; going on to another week
 * replaces all Posts at once.
 */
export function recycledKeys(ids: readonly string[], before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const kept = new Map(ids.flatMap((id) => (before.has(id) ? [[id, before.get(id)!] as const] : [])));
  const taken = new Set(kept.values());
  let free = 0;
  for (const id of ids) {
    if (kept.has(id)) continue;
    while (taken.has(free)) free += 1;
    taken.add(free);
    kept.set(id, free);
  }
  return kept;
}

/** The keys for what a component lists, from one drawing of it to the next. */
export function useRecycledKeys(ids: readonly string[]): ReadonlyMap<string, number> {
  const keys = useRef<ReadonlyMap<string, number>>(new Map());
  keys.current = recycledKeys(ids, keys.current);
  return keys.current;
}
