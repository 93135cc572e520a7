import { expect, test } from 'vitest';
import { FairPool } from '#concurrency/fair-pool.ts';
import { PortError } from '#ports/errors.ts';
import { openConsumerHarness, SOURCE, type ConsumerHarness } from './consumer-harness.fixture.ts';
import type { WorkspaceTurns } from './consumer-options.ts';

const SLOTS = 8;
const KEYS = 40;
const acknowledgedAll = (harness: ConsumerHarness) => () =>
  harness.acknowledged() === harness.log.control.records(SOURCE).length - 1;

/** Keys are of the Workspace before their `/`. */
function turnsOf({ clock }: ConsumerHarness): WorkspaceTurns {
  const pool = new FairPool({ permits: SLOTS, maxOf: { workspace: SLOTS }, timesFree: 3, clock });
  return { pool, workspaceOf: (message) => (message as { workspaceId: string }).workspaceId.split('/')[0]! };
}

async function fill(harness: ConsumerHarness, workspace: string, ...numbers: readonly number[]): Promise<void> {
  for (let key = 0; key < KEYS; key++) await harness.append(`${workspace}/${key}`, ...numbers);
}

test('a Workspace of which every key takes for ever leaves slots for the keys of another', async () => {
  const harness = openConsumerHarness();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [hanging, handled] = [0, 0];
  await harness.consumer('one', {
    ...{ concurrency: SLOTS, turns: turnsOf(harness) },
    handle: async (key) => {
      if (!key.startsWith('hostile/')) return void handled++;
      hanging++;
      await released;
    },
  });
  await fill(harness, 'hostile', 1);
  await harness.until(() => hanging > 0, 'the hostile ones begun');
  await harness.append('victim/0', 1, 2);
  await harness.until(() => handled === 1, 'the other handled');
  expect(hanging).toBe(6);
  release();
  await harness.until(acknowledgedAll(harness), 'all acknowledged');
});

test('keys that wait have their turns by Workspace, not in the order in which they came', async () => {
  const harness = openConsumerHarness();
  const order: string[] = [];
  await harness.consumer('one', {
    ...{ concurrency: SLOTS, turns: turnsOf(harness) },
    handle: async (key) => {
      order.push(key);
      await harness.clock.sleep(10);
    },
  });
  await fill(harness, 'many', 1);
  await fill(harness, 'others', 1);
  await harness.until(acknowledgedAll(harness), 'all acknowledged');
  const firstOfOthers = order.findIndex((key) => key.startsWith('others/'));
  expect(firstOfOthers).toBeLessThan(2 * SLOTS);
  expect(order).toHaveLength(2 * KEYS);
});

test('keys that rest between their tries leave their turns to others, and a drain waits for all that began', async () => {
  const harness = openConsumerHarness();
  const away = new PortError('unavailable', 'its row is gone');
  harness.failing.set(1, away);
  const consumer = await harness.consumer('one', { concurrency: SLOTS, turns: turnsOf(harness) });
  await fill(harness, 'refused', 1, 2);
  await harness.until(() => new Set(harness.begun.map(({ key }) => key)).size === KEYS, 'every refused key tried');
  await harness.append('victim/0', 3);
  await harness.until(() => harness.done('victim/0').length === 1, 'the other handled');
  const draining = consumer.drain();
  harness.failing.delete(1);
  let isDrained = false;
  void draining.then(() => (isDrained = true));
  await harness.until(() => isDrained, 'drained');
  for (let key = 0; key < KEYS; key++) expect(harness.done(`refused/${key}`)).toEqual([1, 2]);
});

test('what is begun ahead takes none of the slots that are left free for others while keys wait for a turn', async () => {
  const harness = openConsumerHarness();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  await harness.consumer('one', {
    ...{ concurrency: SLOTS, turns: turnsOf(harness), maxBatch: 1, pipelined: true },
    handle: async (key) => {
      begun.push(key);
      await released;
    },
  });
  await fill(harness, 'hostile', 1);
  await harness.until(() => begun.length === 6, 'as many keys begun as have a turn');
  await fill(harness, 'hostile', 2);
  await harness.clock.advance(1_000);
  expect(begun).toHaveLength(6);
  expect(new Set(begun).size).toBe(6);
  release();
  await harness.until(acknowledgedAll(harness), 'all acknowledged');
});
