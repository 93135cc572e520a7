import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minuteOf } from '#tables/due.ts';
import { offsetOf, ReadPositions } from './read-positions.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2030, 0, 1);
/** As of readers and setters of timers. */
const READ_AHEAD_MS = 30 * SECOND;
const LOOK_AHEAD_MS = 5 * MINUTE;

interface Leap {
  readonly offsetMs: number;
  readonly forSeconds: number;
}

interface Row {
  readonly setAt: number;
  readonly dueAt: number;
}

/** Which rows a reader finds whose clock does these leaps and is right in between and afterwards; rows are set by right clocks. */
function readThrough(leaps: readonly Leap[], rows: readonly Row[]): ReadonlySet<Row> {
  let [trueMs, offsetMs] = [START, leaps[0]?.offsetMs ?? 0];
  const clock = { now: () => trueMs + offsetMs, monotonic: () => trueMs - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  const found = new Set<Row>();
  const pass = (seconds: number): void => {
    for (const end = trueMs + seconds * SECOND; trueMs < end; trueMs += 5 * SECOND) {
      const until = minuteOf(clock.now() + READ_AHEAD_MS) + 1;
      const from = positions.next(clock);
      for (const row of rows) if (row.setAt <= trueMs && minuteOf(row.dueAt) >= from && minuteOf(row.dueAt) < until) found.add(row);
      if (until > from) positions.readTo(until, offsetOf(clock));
    }
  };
  for (const leap of leaps) {
    offsetMs = leap.offsetMs;
    pass(leap.forSeconds);
    offsetMs = 0;
    pass(60);
  }
  const last = Math.max(trueMs, ...rows.map(({ dueAt }) => dueAt));
  pass((last - trueMs) / SECOND + 60);
  return found;
}

test('whatever the leaps of its clock, a reader finds every timer that its setter told by a row alone', () => {
  const leap = fc.record({
    offsetMs: fc.oneof(fc.integer({ min: -2 * HOUR, max: 48 * HOUR }), fc.integer({ min: -6 * MINUTE, max: 6 * MINUTE })),
    forSeconds: fc.integer({ min: 5, max: 1_200 }),
  });
  const row = fc
    .record({ setAfterMs: fc.integer({ min: 0, max: 20 * MINUTE }), aheadMs: fc.oneof(fc.integer({ min: LOOK_AHEAD_MS, max: 6 * MINUTE }), fc.integer({ min: LOOK_AHEAD_MS, max: 3 * HOUR })) })
    .map(({ setAfterMs, aheadMs }) => ({ setAt: START + setAfterMs, dueAt: START + setAfterMs + aheadMs }));
  fc.assert(
    fc.property(fc.array(leap, { maxLength: 4 }), fc.array(row, { minLength: 1, maxLength: 60 }), (leaps, rows) => {
      const found = readThrough(leaps, rows);
      expect(rows.filter((each) => !found.has(each))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('a clock that is right reads each minute once', () => {
  const clock = { nowMs: START, now: () => clock.nowMs, monotonic: () => clock.nowMs - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  const read: number[] = [];
  for (let seconds = 0; seconds < 3_600; seconds += 5) {
    clock.nowMs = START + seconds * SECOND;
    const until = minuteOf(clock.now() + READ_AHEAD_MS) + 1;
    for (let minute = positions.next(clock); minute < until; minute++) read.push(minute);
    positions.readTo(until, offsetOf(clock));
  }
  expect(read).toEqual(Array.from({ length: 61 }, (_, minute) => minuteOf(START) + minute));
});

test('a lead of less than three minutes has nothing read again', () => {
  const clock = { nowMs: START, offsetMs: 170 * SECOND, now: () => clock.nowMs + clock.offsetMs, monotonic: () => clock.nowMs - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  positions.readTo(minuteOf(clock.now()) + 1, offsetOf(clock));
  clock.offsetMs = 0;
  expect(positions.next(clock)).toBe(minuteOf(START) + 3);
});

test('a drifting clock keeps its progress bounded, and forgets none of the latest', () => {
  const clock = { nowMs: START, offsetMs: 0, now: () => clock.nowMs + clock.offsetMs, monotonic: () => clock.nowMs - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  for (let hour = 1; hour <= 500; hour++) {
    clock.nowMs += HOUR;
    clock.offsetMs += 2 * SECOND;
    positions.readTo(minuteOf(clock.now()), offsetOf(clock));
  }
  expect(positions.next(clock)).toBe(minuteOf(clock.now()));
});
