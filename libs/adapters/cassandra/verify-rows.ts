import type { RowWrite, TurnWrite } from '#ports/table.ts';
import { sameBody, TwoBodiesError } from '#ports/two-bodies.ts';
import type { CassandraClient } from './client.ts';
import type { TableCql } from './cql.ts';

type BodyAndFormat = Pick<RowWrite, 'body' | 'format'> & { readonly timestamp?: number };

/**
 * Rejects with `TwoBodiesError` if a row of `rows` has another body than the stored row, or than an earlier row of the
 * same call. Writes nothing.
 */
export async function refuseTwoBodies(
  client: CassandraClient,
  cql: TableCql,
  rows: readonly (RowWrite | TurnWrite)[],
): Promise<void> {
  const first = new Map<string, BodyAndFormat>();
  for (const row of rows) {
    const name = JSON.stringify([row.partition, row.clustering, 'timestamp' in row ? row.timestamp : null]);
    const earlier = first.get(name);
    if (earlier !== undefined && !sameBody(earlier, row)) throw new TwoBodiesError(cql.table, row);
    first.set(name, row);
  }
  await Promise.all(
    rows.map(async (row) => {
      const present = await readBody(client, cql, row);
      const stays = present !== null && (!('timestamp' in row) || present.timestamp === row.timestamp);
      if (stays && !sameBody(present, row)) throw new TwoBodiesError(cql.table, row);
    }),
  );
}

async function readBody(
  client: CassandraClient,
  cql: TableCql,
  { partition, clustering }: RowWrite,
): Promise<BodyAndFormat | null> {
  const [found] = (await client.read(cql.readBody(partition, clustering))).rows;
  const body = (found?.['body'] ?? null) as Buffer | null;
  if (found === undefined || body === null) return null;
  return { body, format: found['format'] as number, timestamp: Number(found['written'] as bigint) };
}
