import { expect, it } from 'vitest';
import { gapMs, nextAttemptAt, retryAfterOf, waitedLongEnough } from './schedule.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 12);

/** Starts of all attempts of a delivery that always fails, as seconds from the first. */
function starts(lateMs: (attempt: number) => number = () => 0, retryAfterMs: number | null = null): readonly number[] {
  const all = [START];
  for (
    let next = nextAttemptAt({ attempt: 1, startedAt: START, firstStartedAt: START, retryAfterMs });
    next !== null;
  ) {
    const startedAt = next + lateMs(all.length + 1);
    all.push(startedAt);
    next = nextAttemptAt({ attempt: all.length, startedAt, firstStartedAt: START, retryAfterMs });
  }
  return all.map((at) => (at - START) / SECOND);
}

it('a delivery that always fails is tried 30 times, at exactly these seconds after the first', () => {
  expect(starts()).toEqual([
    0, 30, 90, 210, 450, 930, 1890, 3810, 7410, 11010, 14610, 18210, 21810, 25410, 29010, 32610, 36210, 39810, 43410,
    47010, 50610, 54210, 57810, 61410, 65010, 68610, 72210, 75810, 79410, 83010,
  ]);
});

it('gaps double from 30 seconds and are never over an hour, however high the number', () => {
  expect([1, 2, 3, 7, 8, 9, 30, 1000].map(gapMs)).toEqual(
    [30, 60, 120, 1920, 3600, 3600, 3600, 3600].map((seconds) => seconds * SECOND),
  );
});

it('what starts late is counted from its start: never more often, never after a day', () => {
  const late = starts((attempt) => attempt * 7 * SECOND);
  const gaps = late.slice(1).map((at, index) => at - late[index]!);
  expect(late.length).toBeLessThanOrEqual(30);
  expect(gaps.every((gap, index) => gap >= gapMs(index + 1) / SECOND)).toBe(true);
  expect(late.at(-1)! - 7 * late.length).toBeLessThanOrEqual(86_400);
});

it.each([
  ['longer than the gap', 600, 600],
  ['shorter than the gap', 5, 30],
  ['longer than an hour', 86_400, 3600],
  ['none', null, 30],
])('Retry-After %s', (_what, seconds, expected) => {
  const retryAfterMs = seconds === null ? null : seconds * SECOND;
  expect(nextAttemptAt({ attempt: 1, startedAt: START, firstStartedAt: START, retryAfterMs })).toBe(
    START + expected * SECOND,
  );
});

it('a Retry-After makes attempts fewer, and they still end with the day', () => {
  const all = starts(undefined, 2 * HOUR);
  expect(all).toHaveLength(25);
  expect(all.at(-1)).toBe(86_400);
});

it.each([
  [undefined, null],
  ['120', 120 * SECOND],
  [' 0 ', 0],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['99999999999999999999', null],
  [new Date(START + 90 * SECOND).toUTCString(), 90 * SECOND],
  [new Date(START - 90 * SECOND).toUTCString(), 0],
])('Retry-After: %s is %s ms', (header, expected) => {
  expect(retryAfterOf(header, START)).toBe(expected);
});

it('one that never had a turn has waited long enough after a day', () => {
  expect(waitedLongEnough(START, START + 24 * HOUR)).toBe(false);
  expect(waitedLongEnough(START, START + 24 * HOUR + 1)).toBe(true);
});
