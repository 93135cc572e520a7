import type { TableStore } from '#ports/table-store.ts';

/** The methods of a store as an object of their own, for a test that replaces some of them by spreading it. */
export function boundStore(store: TableStore): TableStore {
  return {
    atom: store.atom,
    read: store.read.bind(store),
    slice: store.slice.bind(store),
    upsert: store.upsert.bind(store),
    insert: store.insert.bind(store),
    compareAndSet: store.compareAndSet.bind(store),
    dropPartition: store.dropPartition.bind(store),
    partitions: store.partitions.bind(store),
    check: store.check.bind(store),
    close: store.close.bind(store),
  };
}
