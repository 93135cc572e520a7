import { Client } from 'cassandra-driver';
import { expect, test } from 'vitest';
import { searchOnceAtATime } from './control-connection.ts';

/** A client that never connects, whose control connection searches as `search` does. */
function clientSearching(search: (plan?: unknown) => Promise<void>) {
  const client = new Client({ contactPoints: ['127.0.0.1:1'], localDataCenter: 'none' });
  const { controlConnection: control } = client as unknown as {
    readonly controlConnection: { _refresh(plan?: unknown): Promise<void> };
  };
  expect(control._refresh, 'the driver still has it').toBeTypeOf('function');
  control._refresh = search;
  searchOnceAtATime(client);
  return control;
}

test('when a host goes down amid a search for one, the second search begins after the first', async () => {
  const ends: (() => void)[] = [];
  const control = clientSearching(() => new Promise((resolve) => ends.push(resolve)));
  const [first, second, third] = [control._refresh(), control._refresh(), control._refresh()];
  expect(ends).toHaveLength(1);
  ends[0]!();
  await first;
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await Promise.all([second, third]);
  expect(ends).toHaveLength(2);
});

test('a search goes on with its next host, and a failure of it ends the process no more', async () => {
  const plans: unknown[] = [];
  const control = clientSearching(async (plan) => {
    plans.push(plan);
    if (plan === undefined) await control._refresh('its next host');
    throw new TypeError("Cannot read properties of null (reading 'once')");
  });
  await control._refresh();
  expect(plans).toEqual([undefined, 'its next host']);
});
