import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeDays, nextReadingAt, type DayFigures } from './metrics.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PUBLISHED = Date.UTC(2026, 10, 21, 9);

function allReadings(): readonly number[] {
  const ages: number[] = [];
  for (let at: number | null = PUBLISHED; at !== null; at = nextReadingAt(PUBLISHED, at, at)) ages.push(at - PUBLISHED);
  return ages.slice(1);
}

test('readings come hourly at first, ever more seldom, and end after two years', () => {
  const ages = allReadings();
  expect(ages.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((hours) => hours * HOUR));
  expect(ages.length).toBeLessThan(120);
  expect(ages.at(-1)! / DAY).toBeGreaterThan(700);
  for (const [index, age] of ages.entries()) {
    const apart = age - (ages[index - 1] ?? 0);
    expect(apart).toBeLessThanOrEqual(Math.max(HOUR, age / 8, 14 * DAY));
    expect(apart).toBeGreaterThanOrEqual(HOUR);
  }
});

test('after a time away the next reading is one that would have come anyway, and lies ahead', () => {
  const would = new Set(allReadings());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 690 * DAY }), (away) => {
      const next = nextReadingAt(PUBLISHED, PUBLISHED, PUBLISHED + away)!;
      expect(next).toBeGreaterThan(PUBLISHED + away);
      expect(would.has(next - PUBLISHED)).toBe(true);
    }),
  );
});

test('days read again replace what was known of them, and no other', () => {
  const day = (name: string, views: number) => ({ day: name, views }) as DayFigures;
  expect(mergeDays([day('2026-11-01', 1), day('2026-11-02', 2)], [day('2026-11-03', 9), day('2026-11-02', 5)])).toEqual(
    [day('2026-11-01', 1), day('2026-11-02', 5), day('2026-11-03', 9)],
  );
});
