import { expect, test } from 'vitest';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { readPaxosVariants } from './keyspace-facts.ts';

const cassandra = sharedCassandra();

test.skipIf(cassandra.missing !== null)(
  'each node tells which form of Paxos it uses',
  { timeout: 60_000 },
  async () => {
    const nodes = await readPaxosVariants(cassandra.address!);
    expect(nodes).toEqual([{ node: expect.stringMatching(/^127\.0\.0\.1:\d+$/), variant: 'v2' }]);
  },
);
