import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeOfClocks, instantOf, instantsOf, nextHour, wallClockOf, zoneWordsOf } from './wall-clock.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Kolkata'];
const at = (date: string, time: string, fold: 'earlier' | 'later' = 'earlier') => ({ date, time, fold });
const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

test('a time on a common day is one instant', () => {
  expect(iso(instantOf(at('2026-11-24', '09:00'), 'Europe/Berlin'))).toBe('2026-11-24T08:00:00.000Z');
  expect(iso(instantOf(at('2026-07-01', '09:00'), 'Europe/Berlin'))).toBe('2026-07-01T07:00:00.000Z');
});

test('in the night when clocks go forward, a time between does not exist, and the first after it is named', () => {
  const wall = at('2026-03-29', '02:30');
  const instants = instantsOf(wall, 'Europe/Berlin');
  expect(instants).toEqual({ kind: 'never', after: Date.parse('2026-03-29T01:00:00Z') });
  expect(instantOf(wall, 'Europe/Berlin')).toBeNull();
  expect(changeOfClocks(wall, 'Europe/Berlin')).toContain('The first time after it is 03:00');
  expect(changeOfClocks(at('2026-10-04', '02:10'), 'Australia/Lord_Howe')).toContain('02:30');
});

test('in the night when clocks go back, a time comes twice, and each of the two can be meant', () => {
  const wall = at('2026-10-25', '02:30');
  expect(iso(instantOf(wall, 'Europe/Berlin'))).toBe('2026-10-25T00:30:00.000Z');
  expect(iso(instantOf({ ...wall, fold: 'later' }, 'Europe/Berlin'))).toBe('2026-10-25T01:30:00.000Z');
  expect(changeOfClocks(wall, 'Europe/Berlin')).toContain('comes twice');
});

test('the hour that is offered is a full one by the clock of the zone, half an hour away at least', () => {
  const now = Date.parse('2026-11-24T08:40:00Z');
  const offered = ['Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Eucla'].map(
    (zone) => nextHour(now, zone).time,
  );
  expect(offered).toEqual(['11:00', '15:00', '15:00', '06:00', '18:00']);
});

test('nothing, half a time and a date that is none are no instant', () => {
  for (const [date, time] of [
    ['', ''],
    ['2026-11-24', ''],
    ['', '09:00'],
    ['2026-02-30', '09:00'],
  ])
    expect(instantsOf(at(date!, time!), 'Europe/Berlin').kind).toBe('none');
});

test('in any zone, what a wall shows at an instant leads back to that instant', () => {
  const years = { min: Date.parse('2020-01-01T00:00Z') / 60_000, max: Date.parse('2030-01-01T00:00Z') / 60_000 };
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer(years), (zone, minute) => {
      expect(instantOf(wallClockOf(minute * 60_000, zone), zone)).toBe(minute * 60_000);
    }),
    { numRuns: 500 },
  );
});

test('an instant is shown with the offset that the zone has then', () => {
  expect(zoneWordsOf(Date.parse('2026-10-25T01:30:00Z'), 'Europe/Berlin')).toEqual({ time: '02:30', offset: 'GMT+1' });
});
