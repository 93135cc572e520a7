import { describe, expect, test } from 'vitest';
import type { StoredRecord } from '#ports/log.ts';
import { PartitionIntake } from './partition-intake.ts';

const source = { topic: 't', partition: 0 };
const records = (from: number, to: number): readonly StoredRecord[] =>
  Array.from({ length: to - from }, (_, index) => ({
    ...source,
    offset: from + index,
    key: '',
    value: new Uint8Array(),
    timestamp: 0,
  }));
const offsets = (taken: readonly StoredRecord[]) => taken.map(({ offset }) => offset);

describe('PartitionIntake', () => {
  test('records that are read again after a rebalance are dropped up to where fetching had come', () => {
    const intake = new PartitionIntake(source);
    intake.take(records(0, 6));
    expect(offsets(intake.next(100))).toEqual([0, 1, 2, 3, 4, 5]);
    intake.rejoined();
    expect(intake.beganAgain(2, 8)).toBe(false);
    intake.take(records(2, 5));
    intake.take(records(5, 8));
    expect(offsets(intake.next(100))).toEqual([6, 7]);
  });

  test.each([
    ['ends before what was fetched', true, 0, 3],
    ['goes back without a rebalance', false, 2, 100],
  ])('a log that %s was created anew', (_, rejoined, first, end) => {
    const intake = new PartitionIntake(source);
    intake.take(records(0, 6));
    if (rejoined) intake.rejoined();
    expect(intake.beganAgain(first, end)).toBe(true);
  });

  test('delivers nothing while paused, then everything in pieces', () => {
    const intake = new PartitionIntake(source);
    intake.paused = true;
    intake.take(records(0, 5));
    expect(intake.next(10)).toEqual([]);
    intake.paused = false;
    expect([offsets(intake.next(3)), offsets(intake.next(3)), offsets(intake.next(3))]).toEqual([
      [0, 1, 2],
      [3, 4],
      [],
    ]);
  });

  test('is over its limit by records or by bytes, until they are handed over', () => {
    const limits = { backlogRecords: 10, backlogBytes: 1_000 };
    const intake = new PartitionIntake(source);
    intake.take(records(0, 2).map((record) => ({ ...record, value: new Uint8Array(500) })));
    expect(intake.isOver(limits)).toBe(true);
    intake.next(1);
    expect(intake.isOver(limits)).toBe(false);
    intake.take(records(2, 11));
    expect(intake.isOver(limits)).toBe(true);
    intake.next(100);
    expect(intake.isOver(limits)).toBe(false);
  });

  test('an acknowledgement moves only forward', () => {
    const intake = new PartitionIntake(source);
    expect([intake.acknowledge(4), intake.acknowledge(2), intake.acknowledge(4), intake.acknowledge(5)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(intake.acknowledged).toBe(6);
  });
});
