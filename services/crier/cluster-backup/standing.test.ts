import { expect, test } from 'vitest';
import { boundStore } from '#testing/bound-store.ts';
import { emptyCluster } from './restore.fixture.ts';
import { readStanding } from './standing.ts';

test.each<[string, number, number]>([
  ['ends', 1, 0],
  ['begins', 0, 1],
])('a process that %s while the heads are counted counts as one that runs', async (_, before, after) => {
  const cluster = await emptyCluster();
  const { store, positions } = cluster.to;
  cluster.members = before;
  const partitions: typeof store.partitions = (table, page) => {
    cluster.members = after;
    return store.partitions(table, page);
  };
  expect((await readStanding({ ...boundStore(store), partitions }, positions)).running).toEqual([
    '1 in consumer group workspace',
  ]);
  cluster.members = 0;
  expect((await readStanding(store, positions)).running).toEqual([]);
});
