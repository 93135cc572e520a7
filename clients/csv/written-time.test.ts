import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantIn } from './wall-time.ts';
import { readTime } from './written-time.ts';

const read = (text: string, zone = 'Europe/Berlin') => {
  const reading = readTime(text, { zone });
  return reading.ok ? new Date(reading.instant).toISOString() : reading.message;
};

test.each([
  ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00+02:00', '2026-12-01T07:00:00.000Z'],
  ['2026-12-01 09:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T09:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01 9:05:30 pm', '2026-12-01T20:05:30.000Z'],
  ['2026-12-01 12am', '2026-11-30T23:00:00.000Z'],
  ['2026-12-01, 9.00', '2026-12-01T08:00:00.000Z'],
  ['1.12.2026 9:00', '2026-12-01T08:00:00.000Z'],
  ['12/12/2026 9:00', '2026-12-12T08:00:00.000Z'],
  ['2026-12-01 09:00 America/New_York', '2026-12-01T14:00:00.000Z'],
  ['2026-12-01 09:00 UTC', '2026-12-01T09:00:00.000Z'],
  ['2026-07-01 09:00 CET', '2026-07-01T07:00:00.000Z'],
])('%s is understood', (text, instant) => {
  expect(read(text)).toBe(instant);
});

test.each([
  ['2026-02-30 09:00', 'in no calendar'],
  ['2026-12-01 25:00', 'in no calendar'],
  ['1970-01-01 00:30', 'in no calendar'],
  ['9999-12-31 23:30 America/New_York', 'in no calendar'],
  ['2026-12-01 13:00 pm', 'is no time'],
  ['2026-12-01', 'is no time'],
  ['tuesday-ish', 'is no time'],
  ['2026-12-01 09:00 Europe/Atlantis', 'is no zone'],
  ['3/4/2026 09:00', 'two different days'],
  // The tables of Intl have Dhaka, Anchorage, Calcutta, Chicago, and a Panama without summer time.
  ['2026-07-01 09:00 BST', 'several zones have'],
  ['2026-07-01 09:00 AST', 'several zones have'],
  ['2026-07-01 09:00 ist', 'several zones have'],
  ['2026-07-01 09:00 CST', 'several zones have'],
  ['2026-07-01 09:00 EST', 'several zones have'],
])('%s is refused', (text, why) => {
  expect(read(text)).toContain(why);
});

test.each([
  ['Europe/Berlin', '2026-03-29 02:30', 'forward', '2026-03-29T01:30+01:00 or 2026-03-29T03:30+02:00'],
  ['Europe/Berlin', '2026-10-25 02:30', 'back', '2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00'],
  ['America/New_York', '2026-03-08 02:30', 'forward', '2026-03-08T01:30-05:00 or 2026-03-08T03:30-04:00'],
  ['America/New_York', '2026-11-01 01:30', 'back', '2026-11-01T01:30-04:00 or 2026-11-01T01:30-05:00'],
  ['Australia/Lord_Howe', '2026-10-04 02:15', 'forward', '2026-10-04T01:45+10:30 or 2026-10-04T02:45+11:00'],
  ['Australia/Lord_Howe', '2026-04-05 01:45', 'back', '2026-04-05T01:45+11:00 or 2026-04-05T01:45+10:30'],
  ['America/Sao_Paulo', '2018-11-04 00:30', 'forward', '2018-11-03T23:30-03:00 or 2018-11-04T01:30-02:00'],
  ['Asia/Kathmandu', '2026-03-29 02:30', null, '2026-03-28T20:45:00.000Z'],
])('in %s, %s: what clocks do then is said, with both instants', (zone, text, way, instants) => {
  const said = read(text, zone);
  expect(said).toContain(instants);
  if (way === null) return;
  expect(said).toContain(`clocks go ${way} then`);
  // Each of the two that are offered is taken.
  for (const offered of instants.split(' or ')) expect(read(offered)).toMatch(/^20\d\d-/);
});

test('whatever is understood shows as it was written on a clock of its zone', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia'];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 2 * 366 * 24 * 4 }), (zone, quarters) => {
      const at = new Date(Date.UTC(2026, 0, 1) + quarters * 900_000);
      const wall = {
        year: at.getUTCFullYear(),
        month: at.getUTCMonth() + 1,
        day: at.getUTCDate(),
        hour: at.getUTCHours(),
        minute: at.getUTCMinutes(),
      };
      const reading = instantIn(zone, wall);
      if (!reading.ok) return reading.message.includes('clocks go');
      const clock = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
      return clock.format(reading.instant) === at.toISOString().slice(0, 16).replace('T', ' ');
    }),
    { numRuns: 500 },
  );
});
