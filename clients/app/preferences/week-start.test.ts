import { expect, test } from 'vitest';
import { weekStartOf } from './week-start.ts';

/** Of states that are no more, which languages name no longer. */
const FORMER = ['BU', 'JT', 'MI', 'NT', 'PU', 'PZ', 'RH', 'WK', 'YD'];

test('weeks begin with the day that browsers know for the region of a language', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const regions = letters.flatMap((one) => letters.map((other) => one + other));
  for (const region of regions.filter((one) => !FORMER.includes(one))) {
    const locale = new Intl.Locale(`en-${region}`) as Intl.Locale & { getWeekInfo: () => { firstDay: number } };
    const { firstDay } = locale.getWeekInfo();
    // Fridays (the Maldives) can not be chosen.
    const known = firstDay === 7 ? '0' : firstDay === 6 ? '6' : '1';
    expect([region, weekStartOf(`en-${region}`)]).toEqual([region, known]);
  }
});

test('a language without a region has that of where most people speak it', () => {
  expect(['en', 'de', 'pt', 'ar', 'zh-Hans-CN'].map(weekStartOf)).toEqual(['0', '1', '0', '6', '1']);
});
