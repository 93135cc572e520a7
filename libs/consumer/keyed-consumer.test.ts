import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { MAX_RECORD_BYTES, type Log, type Subscriber } from '#ports/log.ts';
import { GROUP, openBench, SOURCE, UNKNOWN_SCHEMA, type Bench } from './consumer-bench.fixture.ts';
import { KeyedConsumer } from './keyed-consumer.ts';

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const acknowledgedAll = (bench: Bench) => () => bench.acknowledged() === bench.log.control.records(SOURCE).length - 1;

describe('a record that works', () => {
  test('each key is handled in order, in batches, and acknowledged', async () => {
    const bench = openBench();
    await bench.append('a', ...numbersTo(25));
    await bench.append('b', 1, 2, 3);
    await bench.consumer('one');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual(numbersTo(25));
    expect(bench.done('b')).toEqual([1, 2, 3]);
    expect(Math.max(...bench.begun.map(({ numbers }) => numbers.length))).toBe(10);
  });

  test('one key that hangs holds back no other, and its own batch goes out alone', async () => {
    const bench = openBench();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const running = new Map<string, number>();
    await bench.append('slow', 1, 2, 3);
    await bench.append('quick', 4);
    let quick = 0;
    await bench.consumer('one', {
      maxBatch: 1,
      handle: async (key) => {
        running.set(key, (running.get(key) ?? 0) + 1);
        expect(running.get(key)).toBe(1);
        if (key === 'slow') await released;
        else quick++;
        running.set(key, 0);
      },
    });
    await bench.until(() => quick === 1, 'the quick one handled');
    expect(bench.acknowledged()).toBe(null);
    release();
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
  });

  test('no more keys are worked on at once than allowed', async () => {
    const bench = openBench();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await bench.append(key, 1);
    let now = 0;
    let most = 0;
    await bench.consumer('one', { concurrency: 2, handle: async () => { most = Math.max(most, ++now); await bench.clock.sleep(10); now--; } });
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(most).toBe(2);
  });

  test('of what all processes together may work on at once, each takes the share of its partitions', async () => {
    const bench = openBench();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await bench.append(key, 1);
    let now = 0;
    let most = 0;
    // It owns the one partition there is, of two that there could be.
    await bench.consumer('one', { concurrencyOfAll: { keys: 6, partitions: 2 }, handle: async () => { most = Math.max(most, ++now); await bench.clock.sleep(10); now--; } });
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(most).toBe(3);
  });

  test('what is redelivered while held is not handled twice, and what a crash left comes again', async () => {
    const bench = openBench();
    await bench.append('a', 1, 2, 3);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await bench.consumer('one', { handle: async () => released });
    await bench.clock.advance(50);
    bench.log.control.redeliver(GROUP, SOURCE);
    await bench.clock.advance(50);
    release();
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    await bench.append('a', 4);
    bench.log.control.crash('one');
    await bench.consumer('two');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a').at(-1)).toBe(4);
  });
});

describe('the world is away', () => {
  test('a batch refused for now is tried until it works, and nothing of its key overtakes', async () => {
    const bench = openBench();
    bench.failing.set(2, new PortError('unavailable', 'away'));
    await bench.append('a', 1, 2);
    await bench.consumer('one');
    await bench.clock.advance(30_000);
    await bench.append('a', 3);
    await bench.clock.advance(30_000);
    expect(bench.done('a')).toEqual([]);
    expect(await bench.parked()).toEqual([]);
    bench.failing.clear();
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual([1, 2, 3]);
  });

  test('keys that are refused again and again starve no other, and go on where they were', async () => {
    const bench = openBench();
    const away = new PortError('unavailable', 'its row is gone');
    for (let key = 0; key < 12; key++) {
      bench.failing.set(100 + key, away);
      await bench.append(`refused ${key}`, 100 + key, 200 + key);
    }
    const consumer = await bench.consumer('one', { concurrency: 4 });
    await bench.until(() => new Set(bench.begun.map(({ key }) => key)).size === 12, 'every refused key tried');
    await bench.append('healthy', 1);
    await bench.until(() => bench.done('healthy').length === 1, 'the healthy one handled');
    expect(bench.done('refused 0')).toEqual([]);
    const draining = consumer.drain();
    for (let key = 0; key < 12; key++) bench.failing.delete(100 + key);
    await bench.until(() => Array.from({ length: 12 }, (_, key) => bench.done(`refused ${key}`).length).every((count) => count === 2), 'the others too');
    await draining;
    for (let key = 0; key < 12; key++) expect(bench.done(`refused ${key}`)).toEqual([100 + key, 200 + key]);
  });

  test('no record of a partition runs before its parked keys are known', async () => {
    const bench = openBench();
    await bench.append('a', 1);
    let away = true;
    const hooks = { before: async () => { if (away) throw new PortError('unavailable', 'away'); }, after: async () => {} };
    await bench.consumer('one', {}, hooks);
    await bench.clock.advance(10_000);
    expect(bench.begun).toEqual([]);
    away = false;
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
  });
});

describe('a record that keeps failing', () => {
  async function withStuck(): Promise<Bench> {
    const bench = openBench();
    bench.failing.set(3, new Error('a defect'));
    await bench.append('a', 1, 2, 3, 4, 5);
    await bench.append('b', 1, 2);
    await bench.consumer('one');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    return bench;
  }

  test('parks its key from that record on, after trying in place; its neighbours are handled once and others go on', async () => {
    const bench = await withStuck();
    expect(bench.done('a')).toEqual([1, 2]);
    expect(bench.done('b')).toEqual([1, 2]);
    expect(await bench.parked()).toMatchObject([{ key: 'a', wish: 'none', error: 'Error: a defect' }]);
    expect(bench.begun.filter(({ key, numbers }) => key === 'a' && numbers.length > 1)).toHaveLength(3);
  });

  test('what follows is filed and acknowledged, also by the next owner', async () => {
    const bench = await withStuck();
    bench.log.control.crash('one');
    bench.failing.clear();
    await bench.consumer('two');
    await bench.append('a', 6);
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual([1, 2]);
    expect(await bench.parked()).toHaveLength(1);
  });

  test('retry drains what was filed, in order, before anything newer', async () => {
    const bench = await withStuck();
    bench.failing.clear();
    await bench.wish('a', 'retry');
    await bench.append('a', 6, 7);
    await bench.until(() => bench.done('a').length >= 7, 'all handled');
    expect(bench.done('a')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await bench.until(async () => (await bench.parked()).length === 0, 'freed');
    await bench.append('a', 8);
    await bench.until(() => bench.done('a').includes(8), 'handled as ever');
  });

  test('a new owner drains what an operator wished while nobody owned it', async () => {
    const bench = await withStuck();
    bench.log.control.crash('one');
    bench.failing.clear();
    await bench.wish('a', 'retry');
    await bench.append('a', 6);
    await bench.consumer('two');
    await bench.until(() => bench.done('a').length === 6, 'all handled');
    expect(bench.done('a')).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('skip leaves out one record', async () => {
    const bench = await withStuck();
    await bench.wish('a', 'skip');
    await bench.until(async () => (await bench.parked()).length === 0, 'freed');
    expect(bench.done('a')).toEqual([1, 2, 4, 5]);
  });

  test('a second failure parks again, from the second one', async () => {
    const bench = await withStuck();
    bench.failing.set(5, new Error('another'));
    await bench.wish('a', 'skip');
    await bench.until(async () => (await bench.parked())[0]?.error === 'Error: another', 'parked again');
    expect(bench.done('a')).toEqual([1, 2, 4]);
    expect(await bench.parked()).toMatchObject([{ wish: 'none' }]);
    bench.failing.clear();
    await bench.wish('a', 'retry');
    await bench.until(async () => (await bench.parked()).length === 0, 'freed');
    expect(bench.done('a')).toEqual([1, 2, 4, 5]);
  });

  test('a zombie that files a record while the owner frees the key loses nothing', async () => {
    const bench = await withStuck();
    bench.failing.clear();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let filed = false;
    bench.log.control.crash('one');
    const hooks = { before: async () => {}, after: async ({ name }: { name: string }) => { if (name === 'insert') { filed = true; await released; } } };
    await bench.consumer('zombie', {}, hooks);
    await bench.append('a', 6);
    await bench.until(() => filed, 'filed');
    await bench.consumer('owner');
    bench.log.control.overlap(GROUP, SOURCE, 'owner');
    await bench.wish('a', 'retry');
    await bench.until(() => bench.done('a').includes(6), 'the owner handled it');
    release();
    await bench.until(async () => (await bench.parked()).length === 0, 'freed');
    await bench.append('a', 7);
    await bench.until(() => bench.done('a').includes(7), 'the next one handled');
    expect([...new Set(bench.done('a'))]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('every parked key of a partition is held back, however many were parked before', async () => {
    const bench = openBench();
    const keys = Array.from({ length: 1_050 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    bench.failing.set(1, new Error('a defect'));
    await bench.appendRaw(...(await Promise.all(keys.map(async (key) => ({ key, value: bench.codec.encode({ type: 'MarkChannel', workspaceId: key, channelId: 'c', state: 'connected', seenAt: 1 }) })))));
    await bench.consumer('one', { maxWaiting: 5_000 });
    await bench.until(acknowledgedAll(bench), 'all filed');
    bench.failing.clear();
    bench.log.control.crash('one');
    await bench.consumer('two');
    await bench.append(keys.at(-1)!, 2);
    await bench.until(acknowledgedAll(bench), 'all filed');
    expect(bench.done(keys.at(-1)!)).toEqual([]);
  });
});

describe('a record nobody can read', () => {
  test('malformed: a dead letter, and on', async () => {
    const bench = openBench();
    await bench.append('a', 1);
    await bench.appendRaw({ key: 'a', value: Buffer.from('rubbish') });
    await bench.append('a', 2);
    await bench.consumer('one');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual([1, 2]);
    expect(await bench.buried()).toMatchObject([{ topic: SOURCE.topic, partition: 0, offset: 1, key: 'a' }]);
  });

  test('malformed and as large as a record may be: a dead letter all the same', async () => {
    const bench = openBench();
    await bench.appendRaw({ key: 'a', value: Buffer.alloc(MAX_RECORD_BYTES, 7) });
    await bench.append('a', 2);
    await bench.consumer('one');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual([2]);
    expect((await bench.buried())[0]!.error).toContain('1000000 bytes');
  });

  test('of an unknown schema: parked, never a dead letter, and what came before it handled', async () => {
    const bench = openBench();
    await bench.append('a', 1);
    await bench.appendRaw({ key: 'a', value: UNKNOWN_SCHEMA });
    await bench.append('a', 2);
    await bench.consumer('one');
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
    expect(bench.done('a')).toEqual([1]);
    expect(await bench.parked()).toMatchObject([{ key: 'a', error: expect.stringContaining('unknown schema') }]);
    expect(await bench.buried()).toEqual([]);
  });
});

describe('bounds and ends', () => {
  test('a full mailbox pauses its partition, is counted, and resumes', async () => {
    const bench = openBench();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const consumer = await bench.consumer('one', { maxWaiting: 20, handle: async () => released });
    for (let batch = 0; batch < 10; batch++) await bench.append('a', ...numbersTo(10));
    await bench.clock.advance(1_000);
    for (let batch = 0; batch < 10; batch++) await bench.append('a', ...numbersTo(10));
    await bench.clock.advance(1_000);
    expect(consumer.waiting()).toBeLessThan(200);
    expect(bench.reporter.of('mailbox-full')).toHaveLength(1);
    release();
    await bench.until(acknowledgedAll(bench), 'all acknowledged');
  });

  test('drain waits for what runs, acknowledges it and starts nothing', async () => {
    const bench = openBench();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const consumer = await bench.consumer('one', { maxBatch: 1, handle: async () => (begun++, released) });
    await bench.append('a', 1, 2);
    await bench.until(() => begun === 1, 'begun');
    let drained = false;
    const draining = consumer.drain().then(() => { drained = true; });
    await bench.clock.advance(1_000);
    expect(drained).toBe(false);
    release();
    await draining;
    expect([begun, bench.acknowledged()]).toEqual([1, 0]);
  });

  test('what a revoked partition completes late acknowledges nothing', async () => {
    const bench = openBench();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const consumer = await bench.consumer('one', { handle: async () => released });
    await bench.append('a', 1);
    await bench.clock.advance(100);
    await bench.consumer('two', { handle: () => new Promise(() => {}) });
    bench.log.control.overlap(GROUP, SOURCE, 'two');
    bench.log.control.rebalance(GROUP);
    await bench.clock.advance(100);
    expect(consumer.owned()).toEqual([]);
    release();
    await bench.clock.advance(1_000);
    expect(bench.acknowledged()).toBe(null);
    expect(consumer.waiting()).toBe(0);
  });

  test('a defect of ours stops its lane, so that nothing overtakes what it held, and turns health red', async () => {
    const bench = openBench();
    const hooks = { before: async ({ table }: { table: { name: string } }) => { if (table.name === 'parked') throw new Error('a defect of ours'); }, after: async () => {} };
    bench.failing.set(1, new Error('stuck'));
    const consumer = await bench.consumer('one', {}, hooks);
    await bench.append('a', 1, 2);
    await bench.append('b', 5);
    await bench.until(() => consumer.trouble() !== null, 'health turned red');
    await bench.append('a', 3);
    await bench.clock.advance(5_000);
    expect(bench.reporter.of('lane-broke')).toHaveLength(1);
    expect(bench.done('a')).toEqual([]);
    expect(bench.done('b')).toEqual([5]);
  });

  test('stopped while it was joining, it leaves the group again', async () => {
    const bench = openBench();
    let joined!: (value: unknown) => void;
    const slow = { subscribe: async (subscriber: Subscriber) => { await new Promise((resolve) => { joined = resolve; }); return bench.log.client('one').subscribe(subscriber); } } as Log;
    const parts = { log: slow, store: null!, codec: bench.codec, clock: bench.clock, ids: null!, reporter: bench.reporter };
    const consumer = new KeyedConsumer({ name: 'one', group: GROUP, topics: [SOURCE.topic], maxBatch: 1, concurrency: 1, maxWaiting: 1, handle: async () => {} }, parts);
    const starting = consumer.start();
    await consumer.stop();
    joined(null);
    await starting;
    expect(bench.clock.armed()).toBe(0);
    await bench.consumer('two');
    await bench.append('a', 1);
    await bench.until(acknowledgedAll(bench), 'the other one has it all');
  });
});
