import type { RowCopy, RowWriter } from '#ports/row-copy.ts';
import type { Table } from '#ports/table.ts';
import { CassandraClient, type CassandraConnection } from './client.ts';
import { TableCql } from './cql.ts';

/**
 * The time of conditional and `once` rows. Cassandra gives a compare-and-set, and a deletion of a partition, the time
 * at which it happens: that is newer than this, also where clocks are behind the clock of the machine that filled the
 * tables.
 */
const BEFORE_ANYTHING = 1;
/** One batch is one mutation of one partition, and a node refuses a mutation over half of its commit log's segment. */
const BATCH_BYTES = 500_000;
const BATCH_ROWS = 500;

/** Fills the tables of a keyspace; the driver's deadline of each write should be ample, for the server is busy. */
export function createCassandraRowWriter(options: CassandraConnection & { readonly keyspace: string }): RowWriter {
  const client = new CassandraClient(options);
  const statements = new Map<string, TableCql>();
  const cqlOf = (table: Table): TableCql => {
    const cql = statements.get(table.name) ?? new TableCql(options.keyspace, table);
    statements.set(table.name, cql);
    return cql;
  };
  return {
    write: async (table, rows, now) => {
      const cql = cqlOf(table);
      const partitions = Map.groupBy(rows, ({ partition }) => JSON.stringify(partition));
      const batches = [...partitions.values()].flatMap(batchesOf);
      await Promise.all(
        batches.map((batch) =>
          client.write(
            batch.map((row) =>
              cql.copy(row, table.clock === 'turn' ? row.timestamp : BEFORE_ANYTHING, secondsLeft(row, now)),
            ),
          ),
        ),
      );
    },
    close: () => client.close(),
  };
}

function batchesOf(rows: readonly RowCopy[]): readonly (readonly RowCopy[])[] {
  const batches: RowCopy[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === BATCH_ROWS || bytes + row.body.length > BATCH_BYTES) {
      batches.push([row]);
      bytes = row.body.length;
    } else {
      batch.push(row);
      bytes += row.body.length;
    }
  }
  return batches;
}

/** Null: it does not expire. A row that expires within this second keeps it: 0 would be for ever. */
function secondsLeft({ expiresAt }: RowCopy, now: number): number | null {
  return expiresAt === null ? null : Math.max(1, Math.ceil((expiresAt - now) / 1000));
}
