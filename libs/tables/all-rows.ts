import type { Key, Row, Table } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';

/**
 * Every row of a partition in the order of its clustering, read by slices of `limit` rows until one is shorter. For
 * partitions that are small enough to be held in memory. Rejects with `PortError`.
 */
export async function allRows(
  store: Pick<TableStore, 'slice'>,
  table: Table,
  partition: Key,
  limit: number,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let after: Key | null = null; ;) {
    const rows: readonly Row[] = await store.slice(table, partition, { limit, ...(after !== null && { after }) });
    found.push(...rows);
    if (rows.length < limit) return found;
    after = rows.at(-1)!.clustering;
  }
}
