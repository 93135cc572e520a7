import { expect, test } from 'vitest';
import { nextPacificMidnight, pacificDay } from './pacific-time.ts';

test.each([
  ['2026-11-20T12:00:00Z', '2026-11-20', '2026-11-21T08:00:00Z'],
  ['2026-11-20T07:59:59.999Z', '2026-11-19', '2026-11-20T08:00:00Z'],
  ['2026-11-20T08:00:00Z', '2026-11-20', '2026-11-21T08:00:00Z'],
  ['2026-07-01T12:00:00Z', '2026-07-01', '2026-07-02T07:00:00Z'],
  // Clocks go back on 1 November 2026 and forward on 14 March 2027, both at 2 in the morning.
  ['2026-11-01T07:30:00Z', '2026-11-01', '2026-11-02T08:00:00Z'],
  ['2026-10-31T20:00:00Z', '2026-10-31', '2026-11-01T07:00:00Z'],
  ['2027-03-14T09:00:00Z', '2027-03-14', '2027-03-15T07:00:00Z'],
  ['2026-12-31T23:00:00Z', '2026-12-31', '2027-01-01T08:00:00Z'],
])('%s is the %s in California, where it is midnight next at %s', (now, day, midnight) => {
  expect(pacificDay(Date.parse(now))).toBe(day);
  expect(nextPacificMidnight(Date.parse(now))).toBe(Date.parse(midnight));
});
