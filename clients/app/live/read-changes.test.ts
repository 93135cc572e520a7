import { expect, onTestFinished, test } from 'vitest';
import { queryClient, serverKey } from '../server/queries.ts';
import { readChanges } from './read-changes.ts';

test('where Channels changed, the Channels are read again, and which of them a Plan has room for', async () => {
  onTestFinished(() => queryClient.clear());
  const keys = [serverKey((from) => from.channels.list, {}), serverKey((from) => from.plan.get, {})];
  for (const key of keys) queryClient.setQueryData(key, {});
  const areOutdated = () => keys.map((key) => queryClient.getQueryState(key)?.isInvalidated);
  await readChanges('w', { postIds: [], channels: false, all: false });
  expect(areOutdated()).toEqual([false, false]);
  await readChanges('w', { postIds: [], channels: true, all: false });
  expect(areOutdated()).toEqual([true, true]);
});
