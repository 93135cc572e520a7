import { describe, expect, test } from 'vitest';
import { openConsumerHarness, GROUP, SOURCE } from './consumer-harness.fixture.ts';
import { HandlingMarks } from './handling-marks.ts';
import { KeyLane } from './key-lane.ts';
import { OwnedPartition } from './owned-partition.ts';

const LIMITS = { group: GROUP, maxWaiting: 10 };

function openPartition({ isDurable = true } = {}) {
  const harness = openConsumerHarness();
  const ports = harness.ports('one');
  const partition = new OwnedPartition(SOURCE, LIMITS, ports);
  const rest = (milliseconds: number) => harness.clock.sleep(milliseconds);
  const options = {
    name: 'one',
    maxBatch: 10,
    handle: async () => {},
    rest,
    turn: async () => null,
    isDurable: async () => isDurable,
    mayBegin: () => false,
  };
  return { harness, ports, partition, lane: new KeyLane('a', partition, options, ports) };
}

describe('a keyed consumer', () => {
  test('starts once', async () => {
    const consumer = await openConsumerHarness().consumer('one');
    await expect(consumer.start()).rejects.toThrow('one can not go from running to running');
    await consumer.stop();
    await expect(consumer.start()).rejects.toThrow('one can not go from stopped to running');
  });

  test('may be drained and stopped again, which changes nothing', async () => {
    const consumer = await openConsumerHarness().consumer('one');
    await Promise.all([consumer.drain(), consumer.drain()]);
    await consumer.stop();
    await consumer.drain();
    await consumer.stop();
    expect(consumer.trouble()).toBeNull();
  });
});

describe('an owned partition', () => {
  test('opens once', () => {
    const { partition } = openPartition();
    partition.open();
    expect(() => partition.open()).toThrow('can not go from opened to opened');
  });

  test('that was lost never opens, takes no records and acknowledges nothing', () => {
    const { partition } = openPartition();
    partition.begin({ offset: 0, timestamp: 1, value: Buffer.alloc(1) });
    partition.lose();
    partition.lose();
    expect(() => partition.open()).toThrow('can not go from lost to opened');
    expect(() => partition.begin({ offset: 1, timestamp: 1, value: Buffer.alloc(1) })).toThrow(
      'a lost partition takes no records',
    );
    expect(() => partition.finish([0])).toThrow('a lost partition acknowledges nothing');
  });
});

describe('handling marks', () => {
  test('let no record begin before they are loaded', async () => {
    const { ports, partition } = openPartition();
    const marks = new HandlingMarks(GROUP, partition, ports);
    expect(() => marks.claim()).toThrow('no record begins before the handling marks are loaded');
    expect(() => marks.begin('a', [0, 0])).toThrow('no record begins before the handling marks are loaded');
    await Promise.all([marks.load(), marks.load()]);
    await marks.claim();
    await marks.release();
  });

  test('end no handler that did not begin', async () => {
    const { partition } = openPartition();
    await partition.marks.load();
    expect(() => partition.marks.pause('a')).toThrow('no handler of a runs');
  });

  test('are released once, and a load that ends afterwards leaves them so', async () => {
    const { partition } = openPartition();
    const loading = partition.marks.load();
    await partition.marks.release();
    await partition.marks.release();
    await loading;
    await partition.marks.claim();
    expect(partition.marks.suspicion('a')).toBe(0);
  });
});

describe('a key lane', () => {
  test('runs a batch only after it was queued and has begun', async () => {
    const { lane } = openPartition();
    expect(() => lane.begin()).toThrow('a key lane can not go from idle to running');
    await expect(lane.runBatch()).rejects.toThrow('a lane that runs has begun');
    lane.queue();
    expect(() => lane.queue()).toThrow('a key lane can not go from queued to queued');
    lane.begin();
    expect(await lane.runBatch()).toEqual([]);
    lane.end();
    expect(() => lane.end()).toThrow('a key lane can not go from idle to idle');
  });

  test('has no work left by a record that is to be parked and was lost', async () => {
    const { lane, partition } = openPartition({ isDurable: false });
    partition.marks.condemned = () => [0, 0];
    lane.push({ ...SOURCE, offset: 0, key: 'a', value: new Uint8Array(), timestamp: 0 });
    lane.queue();
    lane.begin();
    expect([await lane.runBatch(), lane.hasWork]).toEqual([[], false]);
  });

  test('that is broken has no work and never runs again', () => {
    const { lane } = openPartition();
    lane.queue();
    lane.begin();
    lane.push({ ...SOURCE, offset: 0, key: 'a', value: new Uint8Array(), timestamp: 0 });
    expect(lane.hasWork).toBe(true);
    lane.fail();
    expect([lane.broken, lane.hasWork, lane.isReady]).toEqual([true, false, false]);
    expect(() => lane.queue()).toThrow('a key lane can not go from broken to queued');
  });
});
