import { describe, expect, it } from 'vitest';
import { daysFrom } from '../time/dates.ts';
import { ZoneClock } from '../time/zone-clock.ts';
import { hourGrid } from './hour-grid.ts';

const berlin = new ZoneClock('Europe/Berlin');

function weekOf(first: string, viewer: string | null = null) {
  const viewerClock = viewer === null ? null : new ZoneClock(viewer);
  return hourGrid({ days: daysFrom(first, 7), clock: berlin, viewerClock, groups: new Map(), today: first });
}

describe('the grid of a week', () => {
  it('says that a Sunday has 23 hours, and has nothing at the hour that clocks skip', () => {
    const { columns, rows } = weekOf('2026-03-23');
    expect(columns.map(({ note }) => note)).toEqual([null, null, null, null, null, null, '23 hours']);
    expect(rows.length).toBe(24);
    const skipped = rows[2]!.cells[6]!;
    expect(skipped).toMatchObject({ time: null, note: 'Skipped' });
    expect(skipped.label).toContain('this day has no such hour');
    expect(rows[2]!.cells[5]!.time).not.toBeNull();
  });

  it('has a row of its own, labelled so, for the hour that a Sunday has twice', () => {
    const { columns, rows } = weekOf('2026-10-19');
    expect(columns[6]!.note).toBe('25 hours');
    expect(rows.map(({ label, note }) => (note === null ? label : `${label} ${note}`)).slice(1, 5)).toEqual([
      '01:00',
      '02:00',
      '02:00 again',
      '03:00',
    ]);
    const again = rows[3]!;
    expect(again.cells.map(({ time }) => time !== null)).toEqual([false, false, false, false, false, false, true]);
    expect(again.cells[6]).toMatchObject({ key: '2026-10-25T02b', label: 'Sun 25 Oct, 02:00 for the second time' });
    expect(again.cells[6]!.time!.from - rows[2]!.cells[6]!.time!.from).toBe(3_600_000);
  });

  it('shows the viewer two times of a row in a week in which only one of two zones changes its clocks', () => {
    const { rows, viewerAxis } = weekOf('2026-10-19', 'America/New_York');
    expect(viewerAxis).toBe('GMT−4');
    expect(rows.find(({ label }) => label === '09:00')!.viewerLabel).toBe('03:00 / 04:00');
  });

  it('says of an hour that clocks cut how long it is', () => {
    const days = daysFrom('2026-04-05', 1);
    const clock = new ZoneClock('Australia/Lord_Howe');
    const { rows, columns } = hourGrid({ days, clock, viewerClock: null, groups: new Map(), today: days[0]! });
    expect(columns[0]!.note).toBe('24.5 hours');
    expect(rows[2]).toMatchObject({ label: '01:00', note: 'again', cells: [{ note: '30 min' }] });
  });
});
