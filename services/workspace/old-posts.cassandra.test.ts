import { describe, expect, test } from 'vitest';
import { TABLES } from '#tables/declarations/tables.ts';
import { twoCassandraStores } from '#tables/repositories/two-cassandra-stores.fixture.ts';
import { DAY } from '#testing/scenario.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { OldWorkspace } from './old-posts.fixture.ts';

const cassandra = sharedCassandra();
const TIMEOUT_MS = 240_000;

describe.skipIf(cassandra.missing !== null)('Cassandra', () => {
  const open = twoCassandraStores(cassandra.address!, TABLES);
  test(
    'a Post that ended long ago goes with all of its rows, and one that did not stays',
    { timeout: TIMEOUT_MS },
    async () => {
      const { stores, close } = await open();
      try {
        const world = await OldWorkspace.open(stores[0]);
        await world.age(399 * DAY);
        await world.round();
        expect(await world.postIds()).toEqual(world.ids);
        expect(await world.left()).not.toEqual([]);
        await world.age(2 * DAY);
        await world.round();
        expect(await world.postIds()).toEqual([]);
        expect(await world.left()).toEqual([]);
        expect(await world.writtenDays()).toEqual([]);
      } finally {
        await close();
      }
    },
  );
});
