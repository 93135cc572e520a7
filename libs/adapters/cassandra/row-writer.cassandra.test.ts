import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { rowCopySuite } from '#port-suites/row-copy.ts';
import { SUITE_TABLES } from '#port-suites/table-store.ts';
import { sqliteRowSource } from '#adapters/sqlite/row-source.fixture.ts';
import { dropKeyspace, freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { createCassandraRowWriter } from './row-writer.ts';
import { createCassandraTableStore } from './table-store.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  rowCopySuite('rows of SQLite in Cassandra', SUITE_TABLES, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-'));
    const keyspace = await freshKeyspace(cassandra.address!, SUITE_TABLES);
    const source = sqliteRowSource(join(folder, 'crier.db'), Date.now);
    const target = createCassandraTableStore({ ...cassandra.address!, keyspace });
    const writer = createCassandraRowWriter({ ...cassandra.address!, keyspace });
    return {
      ...source,
      target,
      writer,
      now: Date.now,
      close: async () => {
        await Promise.all([source.close(), target.close(), writer.close()]);
        rmSync(folder, { recursive: true });
        await dropKeyspace(cassandra.address!, keyspace);
      },
    };
  });
});
