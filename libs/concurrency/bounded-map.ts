import { LRUCache } from 'lru-cache';

/** As a `Map`, with a bound: an entry beyond it takes the place of the least lately used. */
export interface BoundedMap<K, V> {
  readonly size: number;
  /** Counts as a use. */
  get(key: K): V | undefined;
  /** Does not count as a use, nor does `values`. */
  has(key: K): boolean;
  /** Counts as a use. */
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
  keys(): Iterable<K>;
  values(): Iterable<V>;
}

export interface BoundedMapOptions<V> {
  /**
   * Called with each value that leaves the map: for want of room, by `delete` or `clear`, or replaced by another.
   */
  readonly onRemoved?: (value: V) => void;
  /** What a value takes of the bound; 1 when left out. A value above the whole bound is not kept. */
  readonly sizeOf?: (value: V) => number;
}

/**
 * A cache for what can be worked out again. Entries have no time to live: where they need one, their owner goes by the
 * clock port.
 */
export function createBoundedMap<K extends string, V extends {}>(
  max: number,
  { onRemoved, sizeOf = () => 1 }: BoundedMapOptions<V> = {},
): BoundedMap<K, V> {
  // By size and not by `max`: a cache with `max` allocates the room for all entries at once, 16 bytes each.
  return new LRUCache<K, V>({
    maxSize: max,
    sizeCalculation: sizeOf,
    ...(onRemoved && { dispose: (value) => onRemoved(value) }),
  });
}
