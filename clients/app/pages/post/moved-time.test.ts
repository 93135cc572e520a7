import { expect, test } from 'vitest';
import { movedTime, writtenTime } from './moved-time.ts';

const ZONE = 'Europe/Berlin';
const DUE = Date.parse('2026-10-20T07:00:00Z');
const NOW = Date.parse('2026-10-19T12:00:00Z');
const moved = (written: string, before = DUE, now = NOW) => {
  const { at, problem } = movedTime(written, { before, now, timeZone: ZONE });
  return at === null ? problem : new Date(at).toISOString();
};

test('a Post that is due when clocks show an hour again stays there while its time is not changed', () => {
  for (const due of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
    expect(moved(writtenTime(Date.parse(due), ZONE), Date.parse(due))).toBe(due);
});

test('another time is the one that clocks show, the first of two, and none that they skip', () => {
  expect(moved('2026-11-24T09:00')).toBe('2026-11-24T08:00:00.000Z');
  expect(moved('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z');
  expect(moved('2027-03-28T02:30')).toBe(
    'There is no 02:30 in Europe/Berlin that night: clocks go forward over it. The first time after it is 03:00.',
  );
  expect(moved('')).toBe('Write a date and a time.');
});

test('a Post is not moved to a time that is over', () => {
  const over = 'That time is over. Choose a later one.';
  expect([moved('2026-10-19T13:59'), moved('2026-10-19T14:00')]).toEqual([over, over]);
  expect(moved('2026-10-19T14:01')).toBe('2026-10-19T12:01:00.000Z');
  // The time of a Post that was held until it was over is no time to move it to either.
  expect(moved(writtenTime(DUE, ZONE), DUE, DUE + 60_000)).toBe(over);
});
