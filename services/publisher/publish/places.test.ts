import { expect, test } from 'vitest';
import { MAX_AT_ONCE } from '#networks/contract/budgets.ts';
import { NETWORKS } from '#domain/network.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import { CHANNELS_AT_ONCE } from './service.ts';

test('the most attempts at once that an operator may ask for are those that a process for each partition makes', () => {
  for (const network of NETWORKS) expect(PUBLISH[network].partitions * CHANNELS_AT_ONCE).toBe(MAX_AT_ONCE);
});
