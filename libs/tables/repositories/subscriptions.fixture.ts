import { describe, expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { SUBSCRIPTIONS } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { createSubscriptionRows, type StoredSubscription, type SubscriptionRows } from './subscriptions.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const subscription = (name: string): StoredSubscription => ({
  subscriptionId: `sub_${name}`,
  customerId: `cus_${name}`,
});

/** What any store has to make true of subscriptions. `open` gives two ways to the same tables. */
export function subscriptionRows(name: string, open: () => Promise<TwoStores>): void {
  describe(name, () => {
    const opened = async (work: (one: SubscriptionRows, other: SubscriptionRows) => Promise<void>) => {
      const { stores, close } = await open();
      const [one, other] = stores.map((store, index) => createSubscriptionRows(store, createSeededIds(index)));
      await work(one!, other!).finally(close);
    };

    test('a Workspace without a subscription has version 0, and what is written is read by every process', () =>
      opened(async (one, other) => {
        expect(await one.read('w')).toEqual({ subscription: null, version: 0 });
        expect(await one.write('w', 0, subscription('a'))).toBe(true);
        const read = await other.read('w');
        expect(read).toEqual({ subscription: subscription('a'), version: expect.any(Number) });
        expect(await other.write('w', read.version, subscription('b'))).toBe(true);
        expect((await one.read('w')).subscription).toEqual(subscription('b'));
        expect(await one.read('another')).toEqual({ subscription: null, version: 0 });
      }));

    test('a Workspace that has no subscription yet keeps the checkout of a Plan, and one that has keeps both', () =>
      opened(async (one, other) => {
        const begun = { subscriptionId: null, customerId: null, planCheckoutId: 'cs_a' };
        await one.write('w', 0, begun);
        expect(await other.read('w')).toEqual({ subscription: begun, version: 1 });
        const both = { ...subscription('a'), planCheckoutId: 'cs_b' };
        await other.write('w', 1, both);
        expect((await one.read('w')).subscription).toEqual(both);
      }));

    test('a row of the release that kept no checkouts is read, and it can read one without a subscription', async () => {
      const { stores, close } = await open();
      const [store] = stores;
      const rows = createSubscriptionRows(store, createSeededIds(0));
      const former = { subscriptionId: 'sub_a', customerId: 'cus_a' };
      await store.compareAndSet(SUBSCRIPTIONS, replacing(['w'], [], { over: null, value: former, token: 'a' }));
      expect(await rows.read('w')).toEqual({ subscription: former, version: 1 });
      await rows.write('w', 1, { subscriptionId: null, customerId: null, planCheckoutId: 'cs_a' });
      const row = await store.read(SUBSCRIPTIONS, ['w'], []);
      // It asks a payment service for no id that is empty, and names it no customer that is null.
      expect(decodeBody(row!)).toEqual({ subscriptionId: '', customerId: null, planCheckoutId: 'cs_a' });
      await close();
    });

    test('a write over what is no longer there changes nothing, the first one of all included', () =>
      opened(async (one, other) => {
        expect(await one.write('w', 0, subscription('a'))).toBe(true);
        expect(await other.write('w', 0, subscription('b'))).toBe(false);
        const { version } = await one.read('w');
        expect(await one.write('w', version, subscription('c'))).toBe(true);
        expect(await other.write('w', version, subscription('d'))).toBe(false);
        expect((await other.read('w')).subscription).toEqual(subscription('c'));
      }));

    test('of writes at once over the same version one succeeds, and it is what stands', () =>
      opened(async (one, other) => {
        for (let round = 0; round < 5; round++) {
          const { version } = await one.read('w');
          const names = [`${round} one`, `${round} other`];
          const wins = await Promise.all(
            [one, other].map((rows, index) => rows.write('w', version, subscription(names[index]!))),
          );
          expect(wins.filter(Boolean)).toHaveLength(1);
          expect((await other.read('w')).subscription).toEqual(subscription(names[wins.indexOf(true)]!));
        }
      }));

    test('the same value written again raises the version: who had read before it writes nothing', () =>
      opened(async (one, other) => {
        await one.write('w', 0, subscription('a'));
        const { version } = await other.read('w');
        expect(await one.write('w', version, subscription('a'))).toBe(true);
        expect((await one.read('w')).version).toBeGreaterThan(version);
        expect(await other.write('w', version, subscription('b'))).toBe(false);
      }));
  });
}
