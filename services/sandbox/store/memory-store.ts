import { scanBounds, type SandboxStore, type ScanRange, type StoredValue } from './store.ts';

interface StoredShelf {
  /** Serialised, so that a caller can't change a stored value. */
  readonly values: Map<string, string>;
  /** Sorted. */
  readonly keys: string[];
}

/** Index of the first key that is not smaller than `key`. */
function position(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** For simulations and tests: "durable" means as long as this object lives. */
export function createMemoryStore(): SandboxStore {
  const shelves = new Map<string, StoredShelf>();
  const open = (name: string): StoredShelf => {
    const kept = shelves.get(name) ?? { values: new Map(), keys: [] };
    shelves.set(name, kept);
    return kept;
  };
  const keysIn = (kept: StoredShelf, range: ScanRange): string[] => {
    const { from, fromIncluded, until } = scanBounds(range);
    const start = position(kept.keys, from);
    return kept.keys.slice(!fromIncluded && kept.keys[start] === from ? start + 1 : start, position(kept.keys, until));
  };
  return {
    get(name, key) {
      const body = open(name).values.get(key);
      return body === undefined ? null : (JSON.parse(body) as object);
    },
    put(name, key, value) {
      const kept = open(name);
      if (!kept.values.has(key)) kept.keys.splice(position(kept.keys, key), 0, key);
      kept.values.set(key, JSON.stringify(value));
    },
    delete(name, key) {
      const kept = open(name);
      if (kept.values.delete(key)) kept.keys.splice(position(kept.keys, key), 1);
    },
    scan(name, range): readonly StoredValue[] {
      const kept = open(name);
      const keys = keysIn(kept, range);
      if (range.descending) keys.reverse();
      return keys.slice(0, range.limit).map((key) => ({ key, value: JSON.parse(kept.values.get(key)!) as object }));
    },
    deleteBefore(name, prefix, until) {
      const kept = open(name);
      const start = position(kept.keys, prefix);
      for (const key of kept.keys.splice(start, Math.max(0, position(kept.keys, until) - start)))
        kept.values.delete(key);
    },
    durable: () => Promise.resolve(),
    trouble: () => null,
    close: () => Promise.resolve(),
  };
}
