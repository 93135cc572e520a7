import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppendCall, type AppendItem } from './append-call.ts';
import { BatchQueue, bytesOf } from './batch-queue.ts';

const call = () =>
  new AppendCall(
    1,
    () => {},
    () => {},
  );
const item = (partition: number, index: number, bytes = 1, of = call()): AppendItem => ({
  call: of,
  index,
  topic: 't',
  partition,
  key: 'k',
  value: Buffer.alloc(bytes),
});

const arrivals = fc.array(fc.record({ partition: fc.nat(4), bytes: fc.integer({ min: 0, max: 2_000 }) }), {
  maxLength: 80,
});
const limits = fc.record({
  sendRecords: fc.integer({ min: 1, max: 20 }),
  partitionBatchBytes: fc.integer({ min: 1, max: 4_000 }),
});

describe('BatchQueue', () => {
  test('every record is taken once, in order within its partition, in batches within the limits', () => {
    fc.assert(
      fc.property(arrivals, limits, (records, bounds) => {
        const queue = new BatchQueue();
        const pushed = records.map(({ partition, bytes }, index) => item(partition, index, bytes));
        for (const each of pushed) queue.push(each);
        const left: AppendItem[] = [];
        while (queue.records > 0) {
          const batches = queue.take(bounds);
          expect(batches.flat().length).toBeLessThanOrEqual(bounds.sendRecords);
          expect(new Set(batches.map(([{ partition }]) => partition)).size).toBe(batches.length);
          for (const batch of batches) {
            const bytes = batch.reduce((sum, each) => sum + bytesOf(each), 0);
            expect(batch.length === 1 || bytes <= bounds.partitionBatchBytes).toBe(true);
          }
          left.push(...batches.flat());
        }
        expect(queue.bytes).toBe(0);
        for (const partition of [0, 1, 2, 3, 4]) {
          expect(left.filter((each) => each.partition === partition)).toEqual(
            pushed.filter((each) => each.partition === partition),
          );
        }
      }),
    );
  });

  test('records whose callers gave up are not sent, and are removed while nothing can be sent', () => {
    const queue = new BatchQueue();
    const impatient = call();
    queue.push(item(0, 0, 10, impatient));
    queue.push(item(0, 1));
    queue.push(item(1, 2, 10, impatient));
    impatient.giveUp('late');
    queue.sweep();
    expect(queue.records).toBe(1);
    expect(
      queue
        .take({ sendRecords: 10, partitionBatchBytes: 1_000 })
        .flat()
        .map(({ index }) => index),
    ).toEqual([1]);
    expect(queue.bytes).toBe(0);
  });

  test('a busy partition does not starve the others', () => {
    const queue = new BatchQueue();
    for (let index = 0; index < 10; index++) queue.push(item(0, index));
    queue.push(item(1, 99));
    const sends = [
      queue.take({ sendRecords: 5, partitionBatchBytes: 10_000 }),
      queue.take({ sendRecords: 5, partitionBatchBytes: 10_000 }),
    ];
    expect(sends[1]?.flat().map(({ index }) => index)).toContain(99);
  });
});

describe('AppendCall', () => {
  const watched = (records: number) => {
    const outcomes: unknown[] = [];
    const subject = new AppendCall(
      records,
      (positions) => outcomes.push(positions),
      (error) => outcomes.push(error.kind),
    );
    return { subject, outcomes };
  };

  test('resolves once with the positions of all its records, in their order', () => {
    const { subject, outcomes } = watched(2);
    subject.stored(1, { partition: 1, offset: 7 });
    expect(outcomes).toEqual([]);
    subject.stored(0, { partition: 0, offset: 3 });
    subject.giveUp('too late to matter');
    expect(outcomes).toEqual([
      [
        { partition: 0, offset: 3 },
        { partition: 1, offset: 7 },
      ],
    ]);
  });

  test('giving up before anything was sent proves that nothing is stored; afterwards it does not', () => {
    const waiting = watched(1);
    waiting.subject.giveUp('deadline');
    const sent = watched(1);
    sent.subject.markSent();
    sent.subject.giveUp('deadline');
    expect([waiting.outcomes, sent.outcomes]).toEqual([['unavailable'], ['unknown']]);
  });
});
