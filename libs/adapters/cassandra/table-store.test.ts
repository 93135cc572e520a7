import { expect, test } from 'vitest';
import type { ImpliedRows, Key } from '#ports/table.ts';
import { DUE, POSTS, RECENT_CHANGES } from '#tables/declarations/tables.ts';
import { CqlNodes } from './cql-nodes.fixture.ts';
import { createCassandraTableStore } from './table-store.ts';

const row = (partition: Key, clustering: Key, bytes: number) => ({
  partition,
  clustering,
  body: new Uint8Array(bytes),
  format: 1,
});

/** Rows of so many partitions, of so many bytes each. */
function rows(partitions: number, bytes: number): readonly ImpliedRows[] {
  const posts = Array.from({ length: partitions - 2 }, (_, day) => ({
    ...row(['w', day], ['p', 0], bytes),
    timestamp: 5,
  }));
  return [
    { table: POSTS, upsert: [...posts, { ...row(['w', 0], ['p', 1], bytes), timestamp: 5 }] },
    { table: RECENT_CHANGES, upsert: [{ ...row(['w', 1], [7], bytes), timestamp: 5 }] },
    { table: DUE, insert: [row([3, 4], [9, 'timer'], bytes)] },
  ];
}

test.each([
  ['small ones to few partitions are one', rows(5, 400), 1],
  ['large ones are one for each partition', rows(5, 1_000), 5],
  ['those to many partitions are one for each', rows(11, 100), 11],
])('requests of rows that are written together: %s', async (_, writes, requests) => {
  await using nodes = await CqlNodes.start([]);
  const store = createCassandraTableStore({ ...nodes.connection, keyspace: 'crier', verifyRows: false });
  await store.writeTogether!(writes);
  await store.close();
  expect(nodes.arrived).toBe(requests);
});
