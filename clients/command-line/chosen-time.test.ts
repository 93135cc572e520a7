import { expect, test } from 'vitest';
import { chosenTime } from './chosen-time.ts';

const iso = (text: string, now: string, zone = 'Europe/Berlin') =>
  new Date(chosenTime(text, Date.parse(now), zone)).toISOString();

test.each([
  ['+2h', '2026-10-24T22:30:00Z', '2026-10-25T00:30:00.000Z'],
  ['+1d12h', '2026-10-24T22:30:00Z', '2026-10-26T10:30:00.000Z'],
  ['tomorrow 09:00', '2026-10-24T21:30:00Z', '2026-10-25T08:00:00.000Z'],
  // It is the 25th in Berlin already, and 25 hours long.
  ['tomorrow 09:00', '2026-10-24T22:30:00Z', '2026-10-26T08:00:00.000Z'],
  ['tomorrow 09:00 America/New_York', '2026-10-24T22:30:00Z', '2026-10-25T13:00:00.000Z'],
  ['today 9pm', '2026-12-31T10:00:00Z', '2026-12-31T20:00:00.000Z'],
  ['tomorrow 9:00', '2026-12-31T10:00:00Z', '2027-01-01T08:00:00.000Z'],
  ['2026-12-01 09:00', '2026-10-24T22:30:00Z', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T09:00Z', '2026-10-24T22:30:00Z', '2026-12-01T09:00:00.000Z'],
])('%s, said at %s, is %s', (text, now, instant) => {
  expect(iso(text, now)).toBe(instant);
});

test('a time of tomorrow that two instants have is refused with both', () => {
  expect(() => iso('tomorrow 02:30', '2026-10-24T10:00:00Z')).toThrow(
    '2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00',
  );
});

test.each(['', 'soon', '+', '+2', 'tomorrow', 'tomorrow 25:00', 'today 09:00 Mars/Base'])('%j is refused', (text) => {
  expect(() => iso(text, '2026-10-24T10:00:00Z')).toThrow();
});
