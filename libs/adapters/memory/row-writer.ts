import type { RowWriter } from '#ports/row-copy.ts';
import type { MemoryTables } from './memory-tables.ts';

/** Fills the tables of a memory store; see `MemoryTableStoreOptions.tables`. */
export function createMemoryRowWriter(tables: MemoryTables): RowWriter {
  return {
    write: async (table, rows, now) => {
      for (const { partition, clustering, body, format, version, token, timestamp, expiresAt } of rows) {
        tables.take(table, partition).put(
          {
            clustering: [...clustering],
            body: Buffer.from(body),
            format,
            version,
            token,
            timestamp: table.clock === 'once' ? tables.nextSequence() : timestamp,
            expiresAt: expiresAt ?? Infinity,
          },
          now,
        );
      }
    },
    close: async () => {},
  };
}
