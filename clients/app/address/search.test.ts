import { describe, expect, test } from 'vitest';
import { calendarSearchOf } from './calendar-search.ts';
import { composeSearchOf } from './compose-search.ts';
import { parseSearch, writeSearch } from './search.ts';

describe('the address of a calendar', () => {
  test('comes back as it was written, with its lists', () => {
    const search = { view: 'week', date: '2026-11-23', network: ['x', 'threads'], status: ['failed'] } as const;
    const written = writeSearch(search);
    expect(written).toBe('?view=week&date=2026-11-23&network=x,threads&status=failed');
    expect(calendarSearchOf(parseSearch(written))).toEqual(search);
    expect(calendarSearchOf(calendarSearchOf(parseSearch(written)) as Record<string, unknown>)).toEqual(search);
  });

  test('leaves out what can not be meant', () => {
    const search = parseSearch('?view=year&date=2026-13-45&channel=&network=,,&q=%00');
    expect(calendarSearchOf(search)).toEqual({});
  });

  test('takes no day that its month does not have', () => {
    expect(calendarSearchOf({ date: '2026-02-29' })).toEqual({});
    expect(calendarSearchOf({ date: '2028-02-29' })).toEqual({ date: '2028-02-29' });
  });

  test.each([
    ['2026-11-24', true],
    ['2026-11-31', false],
    ['2026-11-24T09', true],
    ['2027-10-31T02b', true],
    ['2026-99-99T99', false],
    ['2026-11-24T09<b>', false],
    ['<b>', false],
  ])('lists the Posts of an hour or a day that there is: %s', (more, isOne) => {
    expect(calendarSearchOf({ more })).toEqual(isOne ? { more } : {});
  });

  test('keeps an id of digits as text', () => {
    expect(calendarSearchOf(parseSearch('?channel=12345,true'))).toEqual({ channel: ['12345', 'true'] });
  });
});

test('the address of the composer takes an instant with a zone, and nothing that is none', () => {
  expect(composeSearchOf(parseSearch('?at=2026-11-24T09:00:00%2B01:00'))).toEqual({ at: '2026-11-24T09:00:00+01:00' });
  expect(composeSearchOf(parseSearch('?copy=p1&only=12345'))).toEqual({ copy: 'p1', only: '12345' });
  expect(composeSearchOf(parseSearch('?at=soon&draft=d1'))).toEqual({ draft: 'd1' });
});
