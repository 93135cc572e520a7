import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { PartitionExtent } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, Table } from '#ports/table.ts';
import { PARKED_KEYS } from '#tables/declarations/tables.ts';
import { listParkedKeys, refileBesideAnotherLog, type ParkedKeyRow } from '#tables/repositories/parking.ts';

const PAGE = 100;

/**
 * Keys that are parked in a partition to which nothing was ever appended: they were parked beside another log, which is
 * lost or stands under another prefix. By their offsets, its records would mix with those of this one. `readExtents`:
 * of the topics that were there before, as all others are empty; called only where keys are parked. Rejects with
 * `PortError`.
 */
export async function parkedBesideAnotherLog(
  store: TableStore,
  readExtents: () => Promise<readonly PartitionExtent[]>,
): Promise<readonly ParkedKeyRow[]> {
  const parked: ParkedKeyRow[] = [];
  for await (const [topic, partition] of partitionsOf(store, PARKED_KEYS)) {
    const keys = await listParkedKeys(store, String(topic), Number(partition));
    // Below -1 no log has offsets: that key was filed anew before.
    parked.push(...keys.filter(({ drainedTo }) => drainedTo >= -1));
  }
  if (parked.length === 0) return [];
  const used = (await readExtents()).filter(({ end }) => end > 0);
  return parked.filter(
    (key) => !used.some(({ topic, partition }) => topic === key.topic && partition === key.partition),
  );
}

/** Files what they hold in front of all that the empty log will bring. Repeatable. Rejects with `PortError`. */
export async function refileParkedKeys(
  store: TableStore,
  keys: readonly ParkedKeyRow[],
  ids: Pick<Ids, 'token'>,
): Promise<void> {
  for (const key of keys)
    if (!(await refileBesideAnotherLog(store, key, ids.token())))
      throw new PortError('unavailable', `parked key ${key.key} of ${key.topic} was changed meanwhile: run this again`);
}

/** Every partition of a table. Rejects with `PortError`. */
export async function* partitionsOf(store: TableStore, table: Table): AsyncGenerator<Key> {
  for (let after: string | null = null; ;) {
    const { keys, next } = await store.partitions(table, { after, limit: PAGE });
    yield* keys;
    if (next === null) return;
    after = next;
  }
}
