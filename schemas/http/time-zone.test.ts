import { expect, test } from 'vitest';
import { isTimeZone } from './time-zone.ts';

test('names of the tz database are zones, offsets and whatever else a client sends are not', () => {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+5', 'Asia/Kolkata', 'US/Eastern'];
  expect(zones.filter((name) => !isTimeZone(name))).toEqual([]);
  const others = ['', '+02:00', '-0500', 'Europe/Nowhere', 'Europe/Berlin ', 'Berlin\0', 'x'.repeat(10_000), '../etc'];
  expect(others.filter(isTimeZone)).toEqual([]);
});
