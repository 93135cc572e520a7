import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { MAX_RECORD_BYTES, type Log, type Subscriber } from '#ports/log.ts';
import {
  GROUP,
  openConsumerHarness,
  SOURCE,
  UNKNOWN_SCHEMA,
  type ConsumerHarness,
} from './consumer-harness.fixture.ts';
import { KeyedConsumer } from './keyed-consumer.ts';

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const acknowledgedAll = (harness: ConsumerHarness) => () =>
  harness.acknowledged() === harness.log.control.records(SOURCE).length - 1;

describe('records that can be handled', () => {
  test('each key is handled in order, in batches, and acknowledged', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', ...numbersTo(25));
    await harness.append('b', 1, 2, 3);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual(numbersTo(25));
    expect(harness.done('b')).toEqual([1, 2, 3]);
    expect(Math.max(...harness.begun.map(({ numbers }) => numbers.length))).toBe(10);
  });

  test('one key that hangs holds back no other, and its own batch goes out alone', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const running = new Map<string, number>();
    await harness.append('slow', 1, 2, 3);
    await harness.append('quick', 4);
    let quick = 0;
    await harness.consumer('one', {
      maxBatch: 1,
      handle: async (key) => {
        running.set(key, (running.get(key) ?? 0) + 1);
        expect(running.get(key)).toBe(1);
        if (key === 'slow') await released;
        else quick++;
        running.set(key, 0);
      },
    });
    await harness.until(() => quick === 1, 'the quick one handled');
    expect(harness.acknowledged()).toBe(null);
    release();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });

  test('no more keys are worked on at once than allowed', async () => {
    const harness = openConsumerHarness();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await harness.append(key, 1);
    let now = 0;
    let most = 0;
    await harness.consumer('one', {
      concurrency: 2,
      handle: async () => {
        most = Math.max(most, ++now);
        await harness.clock.sleep(10);
        now--;
      },
    });
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(most).toBe(2);
  });

  test('of what all processes together may work on at once, each takes the share of its partitions', async () => {
    const harness = openConsumerHarness();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await harness.append(key, 1);
    let now = 0;
    let most = 0;
    // It owns the one partition there is, of two that there could be.
    await harness.consumer('one', {
      concurrencyOfAll: { keys: 6, partitions: 2 },
      handle: async () => {
        most = Math.max(most, ++now);
        await harness.clock.sleep(10);
        now--;
      },
    });
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(most).toBe(3);
  });

  test('what is redelivered while held is not handled twice, and what a crash left comes again', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', 1, 2, 3);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await harness.consumer('one', { handle: async () => released });
    await harness.clock.advance(50);
    harness.log.control.redeliver(GROUP, SOURCE);
    await harness.clock.advance(50);
    release();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    await harness.append('a', 4);
    harness.log.control.crash('one');
    await harness.consumer('two');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a').at(-1)).toBe(4);
  });
});

describe('how far it is behind', () => {
  test('is what is not done, and the age of the oldest of it; in the end nothing', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const since = harness.clock.now();
    await harness.append('slow', 1);
    const consumer = await harness.consumer('one', {
      handle: async (key) => {
        if (key === 'slow') await released;
      },
    });
    await harness.clock.advance(30_000);
    await harness.append('quick', ...numbersTo(25));
    await harness.clock.advance(30_000);
    const { records, oldestAt } = consumer.behind();
    // Done records behind one that is not are not acknowledged either.
    expect([records, oldestAt]).toEqual([26, since]);
    release();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(consumer.behind()).toEqual({ records: 0, oldestAt: null });
  });

  test('a key that waits for a slot is told of when it begins, with how long it waited', async () => {
    const harness = openConsumerHarness();
    const waits: number[] = [];
    for (const key of ['a', 'b', 'c']) await harness.append(key, 1);
    await harness.consumer('one', {
      concurrency: 1,
      handle: () => harness.clock.sleep(500),
      onWaited: (waitMs) => void waits.push(waitMs),
    });
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[1]).toBeGreaterThanOrEqual(1_000);
  });
});

describe('while an engine is away', () => {
  test('a batch refused for now is tried until it works, and nothing of its key overtakes', async () => {
    const harness = openConsumerHarness();
    harness.failing.set(2, new PortError('unavailable', 'away'));
    await harness.append('a', 1, 2);
    await harness.consumer('one');
    await harness.clock.advance(30_000);
    await harness.append('a', 3);
    await harness.clock.advance(30_000);
    expect(harness.done('a')).toEqual([]);
    expect(await harness.parked()).toEqual([]);
    harness.failing.clear();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual([1, 2, 3]);
  });

  test('keys that are refused again and again starve no other, and go on where they were', async () => {
    const harness = openConsumerHarness();
    const away = new PortError('unavailable', 'its row is gone');
    for (let key = 0; key < 12; key++) {
      harness.failing.set(100 + key, away);
      await harness.append(`refused ${key}`, 100 + key, 200 + key);
    }
    const consumer = await harness.consumer('one', { concurrency: 4 });
    await harness.until(() => new Set(harness.begun.map(({ key }) => key)).size === 12, 'every refused key tried');
    await harness.append('healthy', 1);
    await harness.until(() => harness.done('healthy').length === 1, 'the healthy one handled');
    expect(harness.done('refused 0')).toEqual([]);
    const draining = consumer.drain();
    for (let key = 0; key < 12; key++) harness.failing.delete(100 + key);
    await harness.until(
      () => Array.from({ length: 12 }, (_, key) => harness.done(`refused ${key}`).length).every((count) => count === 2),
      'the others too',
    );
    await draining;
    for (let key = 0; key < 12; key++) expect(harness.done(`refused ${key}`)).toEqual([100 + key, 200 + key]);
  });

  test('no record of a partition runs before its parked keys are known', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', 1);
    let away = true;
    const hooks = {
      before: async () => {
        if (away) throw new PortError('unavailable', 'away');
      },
      after: async () => {},
    };
    await harness.consumer('one', {}, hooks);
    await harness.clock.advance(10_000);
    expect(harness.begun).toEqual([]);
    away = false;
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });
});

describe('a record that keeps failing', () => {
  async function withStuck(): Promise<ConsumerHarness> {
    const harness = openConsumerHarness();
    harness.failing.set(3, new Error('a defect'));
    await harness.append('a', 1, 2, 3, 4, 5);
    await harness.append('b', 1, 2);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    return harness;
  }

  test('parks its key from that record on, after trying in place; its neighbours are handled once and others go on', async () => {
    const harness = await withStuck();
    expect(harness.done('a')).toEqual([1, 2]);
    expect(harness.done('b')).toEqual([1, 2]);
    expect(await harness.parked()).toMatchObject([{ key: 'a', wish: 'none', error: 'Error: a defect' }]);
    expect(harness.begun.filter(({ key, numbers }) => key === 'a' && numbers.length > 1)).toHaveLength(3);
  });

  test('what follows is filed and acknowledged, also by the next owner', async () => {
    const harness = await withStuck();
    harness.log.control.crash('one');
    harness.failing.clear();
    await harness.consumer('two');
    await harness.append('a', 6);
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual([1, 2]);
    expect(await harness.parked()).toHaveLength(1);
  });

  test('retry drains what was filed, in order, before anything newer', async () => {
    const harness = await withStuck();
    harness.failing.clear();
    await harness.wish('a', 'retry');
    await harness.append('a', 6, 7);
    await harness.until(() => harness.done('a').length >= 7, 'all handled');
    expect(harness.done('a')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await harness.until(async () => (await harness.parked()).length === 0, 'freed');
    await harness.append('a', 8);
    await harness.until(() => harness.done('a').includes(8), 'handled as ever');
  });

  test('a new owner drains a key whose retry an operator wished while no process owned its partition', async () => {
    const harness = await withStuck();
    harness.log.control.crash('one');
    harness.failing.clear();
    await harness.wish('a', 'retry');
    await harness.append('a', 6);
    await harness.consumer('two');
    await harness.until(() => harness.done('a').length === 6, 'all handled');
    expect(harness.done('a')).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('wishes are read only while a key is parked: before and after, time passes without a timer or a read', async () => {
    const harness = openConsumerHarness();
    let timers = 0;
    const after = harness.clock.after.bind(harness.clock);
    harness.clock.after = (delayMs, run) => (timers++, after(delayMs, run));
    const setWithin = async (ms: number): Promise<number> => {
      const before = timers;
      await harness.clock.advance(ms);
      return timers - before;
    };
    await harness.append('a', 1, 2);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(await setWithin(10_000)).toBe(0);
    harness.failing.set(3, new Error('a defect'));
    await harness.append('a', 3);
    await harness.until(async () => (await harness.parked()).length === 1, 'parked');
    expect(await setWithin(10_000)).toBeGreaterThanOrEqual(9);
    harness.failing.clear();
    await harness.wish('a', 'retry');
    await harness.until(async () => (await harness.parked()).length === 0, 'freed');
    await harness.clock.advance(1_000);
    expect(await setWithin(10_000)).toBe(0);
  });

  test('skip leaves out one record', async () => {
    const harness = await withStuck();
    await harness.wish('a', 'skip');
    await harness.until(async () => (await harness.parked()).length === 0, 'freed');
    expect(harness.done('a')).toEqual([1, 2, 4, 5]);
  });

  test('a second failure parks again, from the second one', async () => {
    const harness = await withStuck();
    harness.failing.set(5, new Error('another'));
    await harness.wish('a', 'skip');
    await harness.until(async () => (await harness.parked())[0]?.error === 'Error: another', 'parked again');
    expect(harness.done('a')).toEqual([1, 2, 4]);
    expect(await harness.parked()).toMatchObject([{ wish: 'none' }]);
    harness.failing.clear();
    await harness.wish('a', 'retry');
    await harness.until(async () => (await harness.parked()).length === 0, 'freed');
    expect(harness.done('a')).toEqual([1, 2, 4, 5]);
  });

  test('a zombie that files a record while the owner frees the key loses nothing', async () => {
    const harness = await withStuck();
    harness.failing.clear();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let filed = false;
    harness.log.control.crash('one');
    const hooks = {
      before: async () => {},
      after: async ({ name }: { name: string }) => {
        if (name === 'insert') {
          filed = true;
          await released;
        }
      },
    };
    await harness.consumer('zombie', {}, hooks);
    await harness.append('a', 6);
    await harness.until(() => filed, 'filed');
    await harness.consumer('owner');
    harness.log.control.overlap(GROUP, SOURCE, 'owner');
    await harness.wish('a', 'retry');
    await harness.until(() => harness.done('a').includes(6), 'the owner handled it');
    release();
    await harness.until(async () => (await harness.parked()).length === 0, 'freed');
    await harness.append('a', 7);
    await harness.until(() => harness.done('a').includes(7), 'the next one handled');
    expect([...new Set(harness.done('a'))]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('every parked key of a partition is held back, however many were parked before', async () => {
    const harness = openConsumerHarness();
    const keys = Array.from({ length: 1_050 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    harness.failing.set(1, new Error('a defect'));
    await harness.appendRaw(
      ...(await Promise.all(
        keys.map(async (key) => ({
          key,
          value: harness.codec.encode({
            type: 'MarkChannel',
            workspaceId: key,
            channelId: 'c',
            state: 'connected',
            seenAt: 1,
          }),
        })),
      )),
    );
    await harness.consumer('one', { maxWaiting: 5_000 });
    await harness.until(acknowledgedAll(harness), 'all filed');
    harness.failing.clear();
    harness.log.control.crash('one');
    await harness.consumer('two');
    await harness.append(keys.at(-1)!, 2);
    await harness.until(acknowledgedAll(harness), 'all filed');
    expect(harness.done(keys.at(-1)!)).toEqual([]);
  });
});

describe('a record that can not be read', () => {
  test('malformed becomes a dead letter, and what comes after it is handled', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', 1);
    await harness.appendRaw({ key: 'a', value: Buffer.from('rubbish') });
    await harness.append('a', 2);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual([1, 2]);
    expect(await harness.buried()).toMatchObject([{ topic: SOURCE.topic, partition: 0, offset: 1, key: 'a' }]);
  });

  test('malformed and as large as a record may be becomes a dead letter all the same', async () => {
    const harness = openConsumerHarness();
    await harness.appendRaw({ key: 'a', value: Buffer.alloc(MAX_RECORD_BYTES, 7) });
    await harness.append('a', 2);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual([2]);
    expect((await harness.buried())[0]!.error).toContain('1000000 bytes');
  });

  test.each([
    { whose: 'key is too long', key: 'k'.repeat(20_000), bytes: 8 },
    {
      whose: 'key is too long, and value as large as a record may be',
      key: 'k'.repeat(20_000),
      bytes: MAX_RECORD_BYTES,
    },
    { whose: 'key is empty', key: '', bytes: 8 },
    { whose: 'key no table takes', key: 'a\0b', bytes: 8 },
  ])('whose $whose, as another program may append: a dead letter, and on', async ({ key, bytes }) => {
    const harness = openConsumerHarness();
    await harness.appendRaw({
      key,
      value: Buffer.concat([UNKNOWN_SCHEMA, Buffer.alloc(bytes - UNKNOWN_SCHEMA.length)]),
    });
    await harness.append('a', 1);
    const consumer = await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect([harness.done('a'), consumer.trouble()]).toEqual([[1], null]);
    expect(await harness.buried()).toMatchObject([{ offset: 0, key: key.slice(0, 1_000) }]);
  });

  test('larger than any of ours, as another program may append: a dead letter, also while its key is parked', async () => {
    const harness = openConsumerHarness();
    const ports = harness.ports('one');
    // The log of the harness refuses such a record.
    const large = Buffer.concat([UNKNOWN_SCHEMA, Buffer.alloc(2 * MAX_RECORD_BYTES)]);
    const enlarging = (subscriber: Subscriber): Subscriber => ({
      ...subscriber,
      onRecords: (source, records) =>
        subscriber.onRecords(
          source,
          records.map((record) => (record.offset === 1 ? { ...record, value: large } : record)),
        ),
    });
    const log = {
      append: (topic, records) => ports.log.append(topic, records),
      subscribe: (subscriber) => ports.log.subscribe(enlarging(subscriber)),
    } as Log;
    await harness.append('a', 1, 2, 3);
    const options = {
      name: 'one',
      group: GROUP,
      topics: [SOURCE.topic],
      maxBatch: 1,
      concurrency: 8,
      maxWaiting: 1_000,
    };
    const refuse = async (): Promise<void> => {
      throw new Error('a defect');
    };
    const consumer = new KeyedConsumer({ ...options, handle: refuse }, { ...ports, log });
    await consumer.start();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(consumer.trouble()).toBeNull();
    expect(await harness.buried()).toMatchObject([{ offset: 1, key: 'a' }]);
    expect(await harness.parked()).toMatchObject([{ key: 'a', held: 2 }]);
  });

  test('handled with an error of two megabytes: parked with the beginning of it', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', 1);
    harness.failing.set(1, new Error('no such state: '.padEnd(2_000_000, 'x')));
    const consumer = await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(consumer.trouble()).toBeNull();
    const [flag] = await harness.parked();
    expect(flag).toMatchObject({ key: 'a', error: expect.stringMatching(/^Error: no such state: x+$/) });
    expect(flag!.error.length).toBeLessThan(10_000);
  });

  test('of an unknown schema: parked, never a dead letter, and what came before it handled', async () => {
    const harness = openConsumerHarness();
    await harness.append('a', 1);
    await harness.appendRaw({ key: 'a', value: UNKNOWN_SCHEMA });
    await harness.append('a', 2);
    await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(harness.done('a')).toEqual([1]);
    expect(await harness.parked()).toMatchObject([{ key: 'a', error: expect.stringContaining('unknown schema') }]);
    expect(await harness.buried()).toEqual([]);
  });
});

describe('bounds and ends', () => {
  test('a full mailbox pauses its partition, is counted, and resumes', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const consumer = await harness.consumer('one', { maxWaiting: 20, handle: async () => released });
    for (let batch = 0; batch < 10; batch++) await harness.append('a', ...numbersTo(10));
    await harness.clock.advance(1_000);
    for (let batch = 0; batch < 10; batch++) await harness.append('a', ...numbersTo(10));
    await harness.clock.advance(1_000);
    expect(consumer.waiting()).toBeLessThan(200);
    expect(harness.reporter.of('mailbox-full')).toHaveLength(1);
    release();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });

  test('a key that is tried again and again pauses its partition for no number of others that are done', async () => {
    const harness = openConsumerHarness();
    harness.failing.set(1, new PortError('unavailable', 'its part of the store is away'));
    await harness.append('stuck', 1);
    const consumer = await harness.consumer('one', { maxWaiting: 20 });
    for (let batch = 1; batch <= 10; batch++) {
      await harness.append('healthy', ...numbersTo(11).slice(1));
      await harness.until(() => harness.done('healthy').length === 10 * batch, 'those of a healthy key done');
    }
    expect([consumer.waiting(), consumer.behind().records]).toEqual([1, 101]);
    expect(harness.reporter.of('mailbox-full')).toEqual([]);
    harness.failing.delete(1);
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });

  test('a key that stands in another partition too, as other programs place keys, frees no parked one', async () => {
    const harness = openConsumerHarness({ partitions: 2 });
    const valueOf = (seenAt: number) =>
      harness.codec.encode({ type: 'MarkChannel', workspaceId: 'a', channelId: 'c', state: 'connected', seenAt });
    harness.failing.set(1, new Error('a defect'));
    await harness.append('a', 1);
    const consumer = await harness.consumer('one');
    await harness.until(acknowledgedAll(harness), 'parked');
    await harness.log.append(SOURCE.topic, [{ key: 'a', partition: 1, value: valueOf(2) }]);
    await harness.until(() => harness.done('a').length === 1, 'the one in the other partition handled');
    await harness.append('a', 3);
    await harness.until(acknowledgedAll(harness), 'filed');
    expect(harness.done('a')).toEqual([2]);
    expect(await harness.parked()).toMatchObject([{ key: 'a', held: 2 }]);
    expect(consumer.heldBack()).toBe(1);
  });

  test('a mailbox is full by its bytes, too: large records do not fill the memory', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const consumer = await harness.consumer('one', { handle: async () => released });
    await harness.append('a', 1);
    await harness.until(() => consumer.waiting() === 1, 'begun');
    const large = Array.from({ length: 20 }, () => ({ key: 'a', value: Buffer.alloc(MAX_RECORD_BYTES, 7) }));
    for (let time = 0; time < 2; time++) {
      await harness.appendRaw(...large);
      await harness.clock.advance(1_000);
    }
    expect(consumer.waiting()).toBe(21);
    expect(harness.reporter.of('mailbox-full')).toHaveLength(1);
    release();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });

  test('drain waits for what runs, acknowledges it and starts nothing', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const consumer = await harness.consumer('one', { maxBatch: 1, handle: async () => (begun++, released) });
    await harness.append('a', 1, 2);
    await harness.until(() => begun === 1, 'begun');
    let drained = false;
    const draining = consumer.drain().then(() => {
      drained = true;
    });
    await harness.clock.advance(1_000);
    expect(drained).toBe(false);
    release();
    await draining;
    expect([begun, harness.acknowledged()]).toEqual([1, 0]);
  });

  test('what a revoked partition completes late acknowledges nothing', async () => {
    const harness = openConsumerHarness();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const consumer = await harness.consumer('one', { handle: async () => released });
    await harness.append('a', 1);
    await harness.clock.advance(100);
    await harness.consumer('two', { handle: () => new Promise(() => {}) });
    harness.log.control.overlap(GROUP, SOURCE, 'two');
    harness.log.control.rebalance(GROUP);
    await harness.clock.advance(100);
    expect(consumer.owned()).toEqual([]);
    release();
    await harness.clock.advance(1_000);
    expect(harness.acknowledged()).toBe(null);
    expect(consumer.waiting()).toBe(0);
  });

  test.each(['done', 'refused'] as const)(
    'what an earlier assignment of a partition ends late as %s acknowledges nothing of the present one',
    async (how) => {
      const harness = openConsumerHarness();
      const first = Promise.withResolvers<void>();
      let begun = 0;
      const handle = (): Promise<void> => (++begun === 1 ? first.promise : new Promise(() => {}));
      const consumer = await harness.consumer('one', { handle });
      await harness.append('a', 1);
      await harness.until(() => begun === 1, 'begun');
      await harness.consumer('two', { handle: () => new Promise(() => {}) });
      harness.log.control.overlap(GROUP, SOURCE, 'two');
      harness.log.control.rebalance(GROUP);
      await harness.until(() => consumer.owned().length === 0, 'taken away');
      harness.log.control.crash('two');
      await harness.until(() => begun === 2, 'begun anew');
      if (how === 'done') first.resolve();
      else first.reject(new PortError('unavailable', 'not the owner any more'));
      for (let passed = 0; passed < 100; passed++) await harness.clock.advance(50);
      expect(harness.acknowledged()).toBe(null);
      expect(consumer.waiting()).toBe(1);
    },
  );

  test('a defect of ours stops its lane, so that nothing overtakes what it held, and turns health red', async () => {
    const harness = openConsumerHarness();
    const hooks = {
      before: async ({ table }: { table: { name: string } }) => {
        if (table.name === 'parked') throw new Error('a defect of ours');
      },
      after: async () => {},
    };
    harness.failing.set(1, new Error('stuck'));
    const consumer = await harness.consumer('one', {}, hooks);
    await harness.append('a', 1, 2);
    await harness.append('b', 5);
    await harness.until(() => consumer.trouble() !== null, 'health turned red');
    await harness.append('a', 3);
    await harness.clock.advance(5_000);
    expect(harness.reporter.of('key-lane-failed')).toHaveLength(1);
    expect(harness.done('a')).toEqual([]);
    expect(harness.done('b')).toEqual([5]);
  });

  test('stopped while it was joining, it leaves the group again', async () => {
    const harness = openConsumerHarness();
    let joined!: (value: unknown) => void;
    const slow = {
      subscribe: async (subscriber: Subscriber) => {
        await new Promise((resolve) => {
          joined = resolve;
        });
        return harness.log.client('one').subscribe(subscriber);
      },
    } as Log;
    const parts = {
      log: slow,
      store: null!,
      codec: harness.codec,
      clock: harness.clock,
      ids: null!,
      reporter: harness.reporter,
    };
    const consumer = new KeyedConsumer(
      {
        name: 'one',
        group: GROUP,
        topics: [SOURCE.topic],
        maxBatch: 1,
        concurrency: 1,
        maxWaiting: 1,
        handle: async () => {},
      },
      parts,
    );
    const starting = consumer.start();
    await consumer.stop();
    joined(null);
    await starting;
    expect(harness.clock.armed()).toBe(0);
    await harness.consumer('two');
    await harness.append('a', 1);
    await harness.until(acknowledgedAll(harness), 'the other one has it all');
  });
});
