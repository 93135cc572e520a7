import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { INSTALLATION } from '#tables/declarations/tables.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { createCassandraTableAdmin } from './table-admin.ts';
import { createCassandraTableStore } from './table-store.ts';

const cassandra = sharedCassandra();

describe.skipIf(cassandra.missing !== null)('the foundation', { timeout: 300_000 }, () => {
  it.each([1, 2, 3])(
    'a table that many processes create at once is one table, and each process can use it at once (round %i)',
    async () => {
      const connection = { ...cassandra.address!, keyspace: `foundation_${randomBytes(6).toString('hex')}` };
      const lay = async (_: unknown, index: number) => {
        const admin = createCassandraTableAdmin({ ...connection, replication: { simple: 1 } });
        const store = createCassandraTableStore(connection);
        try {
          await admin.ensureFoundation(INSTALLATION);
          const next = { version: 1, token: `builder-${index}`, body: new Uint8Array(0), format: 1 };
          return await store.compareAndSet(INSTALLATION, { partition: ['lock'], clustering: [], expected: null, next });
        } finally {
          await Promise.all([admin.close(), store.close()]);
        }
      };
      const outcomes = await Promise.all(Array.from({ length: 5 }, lay));
      expect(outcomes.filter((outcome) => outcome.applied)).toHaveLength(1);
      await dropKeyspace(connection, connection.keyspace);
    },
  );
});
