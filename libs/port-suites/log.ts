import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_RECORD_BYTES, partitionOf } from '#ports/log.ts';
import { FIRST, numbered, record, SECOND, type LogHarness } from './log-harness.ts';
import { describeAppended } from './log-appended.ts';
import { describeGroups } from './log-groups.ts';
import { eventually, Reader } from './log-reader.ts';

/** What every log must do (libs/ports/log.ts), checked against one adapter. */
export function logSuite(name: string, open: () => Promise<LogHarness>): void {
  describe(`${name}: the Log port`, () => {
    let harness: LogHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.dispose();
    });
    describeAppends(() => harness);
    describeDelivery(() => harness);
    describeGroups(() => harness);
    describeAppended(() => harness);
    describeEnd(() => harness);
  });
}

const text = new TextEncoder();

function describeAppends(harness: () => LogHarness): void {
  test('records are placed by their keys, an explicit partition overrides that, and positions ascend', async () => {
    const { log } = harness();
    const records = [record('one'), record('two'), record('three', 2), record('four', 2)];
    const positions = await log.append(FIRST.name, records);
    expect(positions.map((position) => position.partition)).toEqual([
      partitionOf('one', 4),
      partitionOf('two', 4),
      2,
      2,
    ]);
    const later = await log.append(FIRST.name, [record('five', 2)]);
    const offsets = [...positions, ...later].filter(({ partition }) => partition === 2).map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(new Set(offsets).size).toBe(offsets.length);
  });

  test('a record is read at the position that the append returned', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const positions = await log.append(FIRST.name, numbered('k', 50));
    await reader.until(() => expect(reader.records).toHaveLength(50));
    for (const [index, position] of positions.entries()) {
      expect(reader.records.find(({ key }) => key === `k${index}`)).toMatchObject(position);
    }
  });

  test.each([
    ['an empty value', 'key', new Uint8Array()],
    ['every byte', 'key', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    ['an empty key', '', text.encode('v')],
    ['a key beyond ASCII', 'żółć-鍵-🔑', text.encode('v')],
    ['a key with a NUL in it', 'before\0after', text.encode('v')],
    ['the largest value', 'key', new Uint8Array(MAX_RECORD_BYTES).fill(7)],
  ])('%s is read as it was appended', async (_, key, value) => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, [{ key, value }]);
    await reader.until(() => expect(reader.records).toHaveLength(1));
    expect(reader.records[0]?.key).toBe(key);
    expect(Buffer.compare(reader.records[0]?.value ?? text.encode('missing'), value)).toBe(0);
  });

  test('headers are read as they were appended, and a record without any has none', async () => {
    const { log } = harness();
    const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', other: 'żółć' };
    const value = text.encode('v');
    await log.append(FIRST.name, [
      { key: 'with', partition: 1, value, headers },
      { key: 'without', partition: 1, value },
    ]);
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await reader.until(() => expect(reader.records).toHaveLength(2));
    expect(reader.records.map((each) => [each.key, each.headers])).toEqual([
      ['with', headers],
      ['without', undefined],
    ]);
  });

  test('changing a value after the append began does not change the stored record', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const value = text.encode('before');
    const appended = log.append(FIRST.name, [{ key: 'k', value }]);
    value.fill(0);
    await appended;
    await reader.until(() => expect(reader.records).toHaveLength(1));
    expect(new TextDecoder().decode(reader.records[0]?.value)).toBe('before');
  });

  const tooLarge = { key: 'k', value: new Uint8Array(MAX_RECORD_BYTES + 1) };
  test.each([
    ['a record over the limit', FIRST.name, [record('ok', 0), tooLarge]],
    ['a topic that was not declared', 'no.such.topic', [record('k')]],
    ['a partition beyond the last', FIRST.name, [record('ok', 0), record('k', 4)]],
    ['a partition below zero', FIRST.name, [record('ok', 0), record('k', -1)]],
  ])('%s is refused and nothing of the call is stored', async (_, topic, records) => {
    const { log } = harness();
    await expect(log.append(topic, records)).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, [record('marker', 0)]);
    await reader.until(() => expect(reader.keys()).toContain('marker'));
    expect(reader.keys()).toEqual(['marker']);
  });

  test('subscribing to a topic that was not declared is refused', async () => {
    const subscribing = harness().log.subscribe({ group: 'g', topics: ['no.such.topic'], onRecords: () => {} });
    await expect(subscribing).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
  });

  test('appending nothing stores nothing', async () => {
    await expect(harness().log.append(FIRST.name, [])).resolves.toEqual([]);
  });

  test('concurrent appends keep the order of their calls in a partition, and of the records in a call', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const calls = Array.from({ length: 300 }, (_, call) => [
      record(`${call}a`, 1),
      record(`${call}b`, 1),
      record(`${call}c`, call % 4),
    ]);
    await Promise.all(calls.map((records) => log.append(FIRST.name, records)));
    await reader.until(() => expect(reader.records).toHaveLength(900));
    for (const partition of [0, 1, 2, 3]) {
      const expected = calls.flatMap((records) =>
        records.filter((each) => each.partition === partition).map((each) => each.key),
      );
      expect(reader.keys({ topic: FIRST.name, partition })).toEqual(expected);
    }
  });
}

function describeDelivery(harness: () => LogHarness): void {
  test('everything is delivered in offset order, records from before the subscription and after it', async () => {
    const { log } = harness();
    await log.append(FIRST.name, numbered('early', 100));
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name, SECOND.name] });
    await log.append(FIRST.name, numbered('late', 100));
    await log.append(SECOND.name, numbered('other', 100));
    await reader.until(() => expect(reader.records).toHaveLength(300));
    expect(new Set(reader.keys()).size).toBe(300);
    for (const source of reader.owned) {
      const [topic = '', partition = ''] = source.split('/');
      const offsets = reader.of({ topic, partition: Number(partition) }).map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  });

  test('a paused partition does not stop the others, and loses nothing', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await reader.untilOwns(4);
    const slow = { topic: FIRST.name, partition: 0 };
    reader.subscription.pause([slow]);
    await log.append(
      FIRST.name,
      [0, 1, 2, 3].flatMap((partition) => numbered(`p${partition}-`, 50, partition)),
    );
    await reader.until(() => expect(reader.records).toHaveLength(150));
    expect(reader.of(slow)).toEqual([]);
    reader.subscription.resume([slow]);
    await reader.until(() => expect(reader.keys(slow)).toEqual(numbered('p0-', 50).map(({ key }) => key)));
  });

  test('with every partition paused nothing is delivered, and soon after resuming everything is', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const witness = await Reader.open(log, { group: 'witness', topics: [FIRST.name] });
    await Promise.all([reader.untilOwns(4), witness.untilOwns(4)]);
    const all = [0, 1, 2, 3].map((partition) => ({ topic: FIRST.name, partition }));
    reader.subscription.pause(all);
    await log.append(FIRST.name, numbered('k', 100));
    await witness.until(() => expect(witness.records).toHaveLength(100));
    expect(reader.records).toEqual([]);
    reader.subscription.resume(all);
    // A consumer that slept as long as Kafka's own default would take longer.
    await eventually(() => expect(reader.records).toHaveLength(100), 4_500);
  });

  test('a long backlog is delivered in limited batches: nothing follows a pause, however long the backlog', async () => {
    const { log } = harness();
    const total = 50_000;
    for (let at = 0; at < total; at += 1_000) await log.append(FIRST.name, numbered(`${at}-`, 1_000));
    let unhandled = 0;
    let most = 0;
    let handled = 0;
    const reader = await Reader.open(log, {
      group: 'g',
      topics: [FIRST.name],
      onRecords: ({ records, subscription }, source, batch) => {
        records.length = 0;
        unhandled += batch.length;
        most = Math.max(most, unhandled);
        subscription.pause([source]);
        setImmediate(() => {
          unhandled -= batch.length;
          handled += batch.length;
          subscription.resume([source]);
        });
      },
    });
    await eventually(() => expect(handled).toBe(total), 60_000);
    // Four partitions with one batch of at most 500 each.
    expect(most).toBeLessThanOrEqual(2_000);
    await reader.subscription.close();
  }, 90_000);
}

function describeEnd(harness: () => LogHarness): void {
  test('after close nothing is delivered, and closing again is harmless', async () => {
    const { log } = harness();
    const gone = await Reader.open(log, { group: 'gone', topics: [FIRST.name] });
    const witness = await Reader.open(log, { group: 'witness', topics: [FIRST.name] });
    await log.append(FIRST.name, numbered('before', 20));
    await gone.until(() => expect(gone.records).toHaveLength(20));
    await gone.subscription.close();
    await log.append(FIRST.name, numbered('after', 20));
    await witness.until(() => expect(witness.records).toHaveLength(40));
    expect(gone.records).toHaveLength(20);
    await gone.subscription.close();
  });

  test('a closed log rejects calls, and closing it again is harmless', async () => {
    const { log } = harness();
    await log.check();
    await Promise.all([log.close(), log.close()]);
    await log.close();
    await expect(log.append(FIRST.name, [record('k')])).rejects.toMatchObject({
      name: 'PortError',
      kind: 'unavailable',
    });
    await expect(log.subscribe({ group: 'g', topics: [FIRST.name], onRecords: () => {} })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await expect(log.check()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('closing waits for the appends in flight: each is stored or rejected', async () => {
    const { log } = harness();
    const appends = numbered('k', 100).map((each) =>
      log.append(FIRST.name, [each]).then(
        () => each.key,
        () => null,
      ),
    );
    await log.close();
    const acknowledged = (await Promise.all(appends)).filter((key) => key !== null);
    const reader = await Reader.open(await harness().restart(), { group: 'g', topics: [FIRST.name] });
    await reader.until(() => expect(reader.keys()).toEqual(expect.arrayContaining(acknowledged)));
  });
}
