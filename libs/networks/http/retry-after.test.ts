import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

test.each([
  ['30', 30_000],
  ['86400', 86_400_000],
  // An instant, where seconds belong: 2030.
  ['1893456000', 86_400_000],
  ['0', null],
  ['-5', null],
  ['soon', null],
  [undefined, null],
])('Retry-After %s is %s ms', (header, expected) => {
  expect(retryAfterMs(header === undefined ? {} : { 'retry-after': header })).toBe(expected);
});
