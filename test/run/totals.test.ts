import { expect, test } from 'vitest';
import { failedFiles, failuresOf, inWords, sum, totalsOf, totalsOfCheck } from './totals.ts';

const report = {
  success: true,
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [],
};

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

test('failed tests are listed with their reasons, and files that could not be run', () => {
  const passed = { status: 'passed', fullName: 'a passes', failureMessages: [] };
  const failed = { status: 'failed', fullName: 'b fails', failureMessages: ['Error: 1 is not 2'] };
  const testResults = [
    { name: 'one.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
    { name: 'two.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    { name: 'three.test.ts', status: 'passed', message: '', assertionResults: [passed] },
  ] as const;
  expect(failuresOf('unit', { ...report, testResults })).toEqual([
    'FAILED unit one.test.ts: b fails\nError: 1 is not 2',
    'FAILED unit two.test.ts: no such module',
  ]);
  expect(failuresOf('unit', null)).toEqual(['unit: ended before its report']);
});

test('files with a failed test are named, unless a file could not be run at all', () => {
  const passed = { status: 'passed', fullName: 'a passes', failureMessages: [] };
  const failed = { status: 'failed', fullName: 'b fails', failureMessages: ['Error: 1 is not 2'] };
  const one = { name: 'one.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] } as const;
  const two = { name: 'two.test.ts', status: 'failed', message: 'no such module', assertionResults: [] } as const;
  const three = { name: 'three.test.ts', status: 'passed', message: '', assertionResults: [passed] } as const;
  expect(failedFiles({ ...report, testResults: [one, three] })).toEqual(['one.test.ts']);
  expect(failedFiles({ ...report, testResults: [one, two, three] })).toEqual([]);
  expect(failedFiles(null)).toEqual([]);
});
