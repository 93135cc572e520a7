import { expect, test } from 'vitest';
import { inWords, sum, totalsOf, totalsOfCheck } from './totals.ts';

const report = { success: true, numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };

test.each([
  ['tests of every kind', report, 0, '5 passed, 0 failed, 2 skipped'],
  ['failed tests', { ...report, success: false, numFailedTests: 3 }, 1, '5 passed, 3 failed, 2 skipped'],
  ['a file that could not be read', { ...report, success: false }, 1, '5 passed, 1 failed, 2 skipped'],
  ['an uncaught error', report, 1, '5 passed, 1 failed, 2 skipped'],
  ['an end before the report', null, 0, '0 passed, 1 failed, 0 skipped'],
] as const)('a run with %s is counted', (_, of, exitCode, words) => {
  expect(inWords(totalsOf(of, exitCode))).toBe(words);
});

test('stages add up', () => {
  expect(inWords(sum([totalsOf(report, 0), totalsOfCheck(0), totalsOfCheck(2)]))).toBe('6 passed, 1 failed, 2 skipped');
});
