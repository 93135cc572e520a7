import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from './dates.ts';
import { ZoneClock } from './zone-clock.ts';

const HOUR_MS = 3_600_000;
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Pacific/Apia',
];
const clocks = ZONES.map((zone) => new ZoneClock(zone));
/** Sao Paulo and Apia had daylight saving time, and Apia lost a day, within these years. */
const anyDate = fc
  .integer({ min: Date.parse('2011-01-01') / 86_400_000, max: Date.parse('2036-12-31') / 86_400_000 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const anyClock = fc.constantFrom(...clocks);

/** By another way than the code under test: what the browser itself writes for that instant. */
function written(at: number, timeZone: string): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone }).slice(0, 16).replace(' ', 'T');
}

function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Both nights of every year in which the clocks change, and the day that Apia skipped. */
const NIGHTS: readonly (readonly [zone: string, date: string, hours: number])[] = [
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['America/Sao_Paulo', '2018-11-04', 23],
  ['America/Sao_Paulo', '2018-02-17', 25],
  ['Africa/Casablanca', '2026-02-15', 25],
  ['Africa/Casablanca', '2026-03-22', 23],
  ['Pacific/Apia', '2011-12-30', 0],
];

describe('a clock of a zone', () => {
  it('puts a Post of 09:00 at 09:00 and takes it back to the same instant, in six zones on every day', () => {
    fc.assert(
      fc.property(anyClock, anyDate, (clock, date) => {
        fc.pre(clock.hoursOf(date).length > 0);
        const at = clock.instantOf({ date, minutes: 540, isSecond: false });
        expect(written(at, clock.timeZone)).toBe(`${date}T09:00`);
        expect(clock.wallTimeOf(at)).toEqual({ date, minutes: 540, isSecond: false });
        expect(clock.hoursOf(date).filter(({ from, to }) => from <= at && at < to)).toMatchObject([{ hour: 9 }]);
      }),
      { numRuns: 500 },
    );
  });

  it('takes every instant to what the zone writes, and back', () => {
    fc.assert(
      fc.property(anyClock, anyDate, fc.integer({ min: 0, max: 1439 }), (clock, date, minute) => {
        const at = Date.parse(date) + minute * 60_000;
        const wall = clock.wallTimeOf(at);
        expect(`${wall.date}T${clockText(wall.minutes)}`).toBe(written(at, clock.timeZone));
        expect(clock.instantOf(wall)).toBe(at);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps the time of day when a Post goes to another date', () => {
    fc.assert(
      fc.property(anyClock, anyDate, anyDate, (clock, from, to) => {
        fc.pre(clock.hoursOf(from).length > 0 && clock.hoursOf(to).length > 0);
        const at = clock.instantOf({ date: from, minutes: 540, isSecond: false });
        expect(written(clock.onDate(at, to), clock.timeZone)).toBe(`${to}T09:00`);
      }),
    );
  });

  it('has the hours of a day follow each other without a gap from its first instant to its last', () => {
    fc.assert(
      fc.property(anyClock, anyDate, (clock, date) => {
        const hours = clock.hoursOf(date);
        let end = clock.startOf(date);
        for (const { from, to } of hours) {
          expect(from).toBe(end);
          end = to;
        }
        expect(end).toBe(clock.startOf(addDays(date, 1)));
      }),
    );
  });

  it.each(NIGHTS)('has in %s on %s a day of %d hours', (zone, date, hours) => {
    const slots = new ZoneClock(zone).hoursOf(date);
    expect(slots.reduce((sum, { from, to }) => sum + to - from, 0) / HOUR_MS).toBe(hours);
    const names = slots.map(({ hour, isSecond }) => `${hour}${isSecond ? ' again' : ''}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('tells the first half past two of Berlin from the second', () => {
    const clock = new ZoneClock('Europe/Berlin');
    const first = clock.instantOf({ date: '2026-10-25', minutes: 150, isSecond: false });
    const second = clock.instantOf({ date: '2026-10-25', minutes: 150, isSecond: true });
    expect([first, second].map((at) => new Date(at).toISOString())).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
    expect([first, second].map((at) => clock.wallTimeOf(at).isSecond)).toEqual([false, true]);
  });

  it('moves what falls into the skipped hour to the hour after it', () => {
    const clock = new ZoneClock('Europe/Berlin');
    const at = clock.onDate(Date.parse('2026-03-28T01:30:00Z'), '2026-03-29');
    expect(written(at, 'Europe/Berlin')).toBe('2026-03-29T03:30');
  });
});
