import { describe, expect, test } from 'vitest';
import { POSTS, TABLES } from '#tables/declarations/tables.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { twoCassandraStores } from '#tables/repositories/two-cassandra-stores.fixture.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { aBusyLife, bucketsOf, live, POSTS_OF_THE_LIFE, seen, withoutBuckets } from './buckets.fixture.ts';
import { openWorkspaceHarness, SMALL_BUCKETS } from './workspace-harness.fixture.ts';

const cassandra = sharedCassandra();
const TIMEOUT_MS = 240_000;

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  const openStores = twoCassandraStores(cassandra.address!, TABLES);

  test(
    'a busy day is in several partitions, none larger than a bucket and a turn, and reads as one',
    { timeout: TIMEOUT_MS },
    async () => {
      const { stores, close } = await openStores();
      try {
        const life = aBusyLife();
        const [harness, reader] = [openWorkspaceHarness(stores[0]), stores[1]];
        await live(harness, life);
        const inMemory = openWorkspaceHarness();
        await live(inMemory, life, { writtenFormat: SMALL_BUCKETS.writtenFormat });
        expect(await seen(harness, life)).toEqual(await seen(inMemory, life));
        expect((await bucketsOf(harness, life))[0]).toBe(POSTS_OF_THE_LIFE);
        const { keys } = await reader.partitions(POSTS, { after: null, limit: 100 });
        const ofOurs = keys.filter(([workspaceId]) => workspaceId === life.scenario.id);
        expect(ofOurs).toHaveLength(POSTS_OF_THE_LIFE);
        for (const key of ofOurs) {
          const rows = await reader.slice(POSTS, key, { limit: 100 });
          expect(new Set(rows.map(({ clustering }) => clustering[0])).size).toBe(1);
        }
        for (const postId of life.postIds)
          expect(withoutBuckets((await readPost(reader, life.scenario.id, postId))!)).toEqual(
            life.scenario.posts.get(postId),
          );
      } finally {
        await close();
      }
    },
  );
});
