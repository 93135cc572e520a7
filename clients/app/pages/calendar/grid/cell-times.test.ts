import { describe, expect, it } from 'vitest';
import { cardAt } from '../cards/calendar-card.fixture.ts';
import { cardPlacer } from '../cards/placed-card.ts';
import { daysFrom } from '../time/dates.ts';
import { ZoneClock } from '../time/zone-clock.ts';
import { composedAt, droppedAt } from './cell-times.ts';
import { hourGrid } from './hour-grid.ts';
import { monthGrid } from './month-grid.ts';

const clock = new ZoneClock('Europe/Berlin');
const NOW = Date.parse('2026-10-20T12:00:00Z');
const groups = new Map();
const today = '2026-10-20';
const week = hourGrid({ days: daysFrom('2026-10-19', 7), clock, viewerClock: null, groups, today });
const month = monthGrid({ days: daysFrom('2026-09-28', 42), month: '2026-10', clock, groups, today });

/** Thursday 09:17 in Berlin, before the clocks are put back on Sunday. */
const placed = cardPlacer(clock)(cardAt('a', '2026-10-22T07:17:00.000Z'));

function cellOf(grid: typeof week, key: string) {
  return grid.rows.flatMap(({ cells }) => cells).find((cell) => cell.key === key)!;
}

function dropped(grid: typeof week, key: string): string | null {
  const at = droppedAt(cellOf(grid, key), placed, clock, NOW);
  return at === null ? null : new Date(at).toISOString();
}

describe('a Post that is dropped', () => {
  it('on another date keeps its time of day, on both sides of a change of the clocks', () => {
    expect(dropped(month, '2026-10-24')).toBe('2026-10-24T07:17:00.000Z');
    expect(dropped(month, '2026-10-26')).toBe('2026-10-26T08:17:00.000Z');
    expect(dropped(week, '2026-10-25T09')).toBe('2026-10-25T08:17:00.000Z');
  });

  it('on another hour keeps its minute', () => {
    expect(dropped(week, '2026-10-22T15')).toBe('2026-10-22T13:17:00.000Z');
  });

  it('on the hour that there is twice is in the one that it was dropped on', () => {
    expect(dropped(week, '2026-10-25T02')).toBe('2026-10-25T00:17:00.000Z');
    expect(dropped(week, '2026-10-25T02b')).toBe('2026-10-25T01:17:00.000Z');
  });

  it('stays where it was when that time is over, is not there, or is its own', () => {
    expect(dropped(week, '2026-10-20T09')).toBeNull();
    expect(dropped(week, '2026-10-21T02b')).toBeNull();
    expect(dropped(week, '2026-10-22T09')).toBeNull();
  });
});

describe('a new Post', () => {
  it('begins at the hour, on a day at nine, and never in the past', () => {
    const composed = (grid: typeof week, key: string) => {
      const at = composedAt(cellOf(grid, key), clock, NOW + 60_000);
      return at === null ? null : new Date(at).toISOString();
    };
    expect(composed(week, '2026-10-22T15')).toBe('2026-10-22T13:00:00.000Z');
    expect(composed(month, '2026-10-26')).toBe('2026-10-26T08:00:00.000Z');
    expect(composed(month, '2026-10-20')).toBe('2026-10-20T12:05:00.000Z');
    expect(composed(week, '2026-10-20T13')).toBeNull();
  });
});
