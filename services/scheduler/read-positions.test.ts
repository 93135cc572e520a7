import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOOK_AHEAD_MS } from '#outbox/timers.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { READ_AHEAD_MS } from './minutes.ts';
import { ReadPositions } from './read-positions.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2030, 0, 1);

interface Leap {
  readonly offsetMs: number;
  readonly forSeconds: number;
  /** Before the clock is put right the machine sleeps: time goes on, and monotonic time does not. */
  readonly sleptMs: number;
}

interface Row {
  readonly setAt: number;
  readonly dueAt: number;
}

interface World {
  /** How far ahead the watermark is that the reader finds. */
  readonly aheadMinutes: number;
  readonly leaps: readonly Leap[];
  /** By processes whose clocks are right. */
  readonly rows: readonly Row[];
}

/** Which rows a reader finds whose clock does these leaps, and is right in between and afterwards. */
function readThrough({ aheadMinutes, leaps, rows }: World): ReadonlySet<Row> {
  let [trueMs, offsetMs, sleptMs] = [START, leaps[0]?.offsetMs ?? 0, 0];
  const clock = { now: () => trueMs + offsetMs, monotonic: () => trueMs - START - sleptMs };
  const founded = minuteOf(START) + aheadMinutes;
  const positions = new ReadPositions({ minute: founded, dropped: founded }, clock);
  const found = new Set<Row>();
  const look = (): void => {
    const until = minuteOf(clock.now() + READ_AHEAD_MS) + 1;
    const reading = positions.begin(clock);
    for (const row of rows)
      if (row.setAt <= trueMs && minuteOf(row.dueAt) >= reading.from && minuteOf(row.dueAt) < until) found.add(row);
    reading.readTo(until);
  };
  const pass = (seconds: number): void => {
    for (const end = trueMs + seconds * SECOND; trueMs < end; trueMs += 5 * SECOND) look();
  };
  for (const leap of leaps) {
    offsetMs = leap.offsetMs;
    pass(leap.forSeconds);
    trueMs += leap.sleptMs;
    sleptMs += leap.sleptMs;
    if (leap.sleptMs > 0) look();
    offsetMs = 0;
    pass(60);
  }
  const last = Math.max(trueMs, ...rows.map(({ dueAt }) => dueAt));
  pass((last - trueMs) / SECOND + 60);
  return found;
}

test('whatever the leaps of its clock, a reader finds every timer that was set by a row alone', () => {
  const leap = fc.record({
    offsetMs: fc.oneof(
      fc.integer({ min: -2 * HOUR, max: 48 * HOUR }),
      fc.integer({ min: -6 * MINUTE, max: 6 * MINUTE }),
    ),
    forSeconds: fc.integer({ min: 5, max: 1_200 }),
    sleptMs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: SECOND, max: 30 * MINUTE }) },
    ),
  });
  const row = fc
    .record({
      setAfterMs: fc.integer({ min: 0, max: 20 * MINUTE }),
      aheadMs: fc.oneof(
        fc.integer({ min: LOOK_AHEAD_MS, max: 6 * MINUTE }),
        fc.integer({ min: LOOK_AHEAD_MS, max: 3 * HOUR }),
      ),
    })
    .map(({ setAfterMs, aheadMs }) => ({ setAt: START + setAfterMs, dueAt: START + setAfterMs + aheadMs }));
  // A process that starts with its clock ahead and sleeps for as long looks the same as one that leapt while it slept.
  const isTold = ({ leaps: [first] }: World): boolean =>
    first === undefined || Math.abs(first.offsetMs - first.sleptMs) > 10 * SECOND;
  const world = fc
    .record({
      aheadMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 3_000 })),
      leaps: fc.array(leap, { maxLength: 4 }),
      rows: fc.array(row, { minLength: 1, maxLength: 60 }),
    })
    .filter(isTold);
  fc.assert(
    fc.property(world, (each) => {
      const found = readThrough(each);
      expect(each.rows.filter((one) => !found.has(one))).toEqual([]);
    }),
    { numRuns: 300, seed: 1 },
  );
});

test('a clock that is right reads each minute once', () => {
  const clock = { nowMs: START, now: () => clock.nowMs, monotonic: () => clock.nowMs - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  const read: number[] = [];
  for (let seconds = 0; seconds < 3_600; seconds += 5) {
    clock.nowMs = START + seconds * SECOND;
    const until = minuteOf(clock.now() + READ_AHEAD_MS) + 1;
    const reading = positions.begin(clock);
    for (let minute = reading.from; minute < until; minute++) read.push(minute);
    reading.readTo(until);
  }
  expect(read).toEqual(Array.from({ length: 61 }, (_, minute) => minuteOf(START) + minute));
});

test('a clock that leaps and is put right at once has read again what it read since it leapt, and nothing before', () => {
  const clock = {
    nowMs: START,
    offsetMs: 0,
    now: () => clock.nowMs + clock.offsetMs,
    monotonic: () => clock.nowMs - START,
  };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  clock.nowMs += 10 * HOUR;
  positions.begin(clock).readTo(minuteOf(clock.now()) + 1);
  clock.offsetMs = 2 * HOUR;
  positions.begin(clock).readTo(minuteOf(clock.now()) + 1);
  clock.offsetMs = 0;
  expect(positions.next(clock)).toBe(minuteOf(clock.now()) + 1);
});

test('a clock that is put back in part still leads: it stays doubtful what was read since it rose', () => {
  let [now, offsetMs] = [START, 0];
  const clock = { now: () => now + offsetMs, monotonic: () => now - START };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  const readOn = (): void => positions.begin(clock).readTo(minuteOf(clock.now()) + 1);
  readOn();
  const before = positions.next(clock);
  now += MINUTE;
  offsetMs = 15 * HOUR;
  readOn();
  expect(positions.beforeRise).toBe(before);
  offsetMs = 15 * HOUR - 5 * MINUTE;
  readOn();
  expect(positions.beforeRise, 'its owner may end now, and the next one begin in 15 hours').toBe(before);
  offsetMs = 0;
  expect(positions.next(clock)).toBeLessThanOrEqual(before);
  expect(positions.beforeRise).toBeNull();
});

test('a reading that was under way when the clock was put back counts for nothing', () => {
  const clock = {
    nowMs: START,
    offsetMs: 2 * HOUR,
    now: () => clock.nowMs + clock.offsetMs,
    monotonic: () => clock.nowMs - START,
  };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  const reading = positions.begin(clock);
  clock.offsetMs = 0;
  expect(positions.next(clock)).toBe(minuteOf(START));
  reading.readTo(minuteOf(START + 2 * HOUR));
  expect(positions.next(clock)).toBe(minuteOf(START));
});

test('a lead of less than three minutes has nothing read again', () => {
  const clock = {
    nowMs: START,
    offsetMs: 170 * SECOND,
    now: () => clock.nowMs + clock.offsetMs,
    monotonic: () => clock.nowMs - START,
  };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  positions.begin(clock).readTo(minuteOf(clock.now()) + 1);
  clock.offsetMs = 0;
  expect(positions.next(clock)).toBe(minuteOf(START) + 3);
});

test('a clock that drifts ahead has nothing read again', () => {
  const clock = {
    nowMs: START,
    offsetMs: 0,
    now: () => clock.nowMs + clock.offsetMs,
    monotonic: () => clock.nowMs - START,
  };
  const positions = new ReadPositions({ minute: minuteOf(START), dropped: minuteOf(START) }, clock);
  for (let hour = 1; hour <= 500; hour++) {
    clock.nowMs += HOUR;
    clock.offsetMs += 2 * SECOND;
    positions.begin(clock).readTo(minuteOf(clock.now()));
  }
  expect(positions.next(clock)).toBe(minuteOf(clock.now()));
});
