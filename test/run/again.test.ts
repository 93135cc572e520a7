import { expect, test } from 'vitest';
import { withRunsAgain, type SuiteRun } from './again.ts';
import { failuresOf, totalsOf, type VitestReport } from './totals.ts';

const PASSED = { status: 'passed', fullName: 'a passes', failureMessages: [] } as const;
const FAILED = { status: 'failed', fullName: 'b fails', failureMessages: ['Error: 1 is not 2'] } as const;

/** A run of two tests for each file, of which one failed where `failing` names the file. */
function runOf(files: readonly string[], failing: readonly string[]): SuiteRun {
  const report: VitestReport = {
    success: failing.length === 0,
    numPassedTests: 2 * files.length - failing.length,
    numFailedTests: failing.length,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: files.map((name) => ({
      name,
      status: failing.includes(name) ? 'failed' : 'passed',
      message: '',
      assertionResults: [PASSED, failing.includes(name) ? FAILED : PASSED],
    })),
  };
  return { report, totals: totalsOf(report, failing.length), failures: failuresOf('cluster', report) };
}

/** Runs in which these files fail, one after the other; `asked` has which files were run. */
function runs(...failing: readonly (readonly string[])[]) {
  const asked: (readonly string[])[] = [];
  return {
    asked,
    again: async (files: readonly string[]) => (asked.push(files), runOf(files, failing[asked.length - 1]!)),
  };
}

const ALL = ['one.test.ts', 'two.test.ts', 'three.test.ts', 'four.test.ts'];

test('a file that failed and passes twice when it is run alone is unstable, with its reason', async () => {
  const { asked, again } = runs([], []);
  const outcome = await withRunsAgain(runOf(ALL, ['two.test.ts']), again);
  expect(asked).toEqual([['two.test.ts'], ['two.test.ts']]);
  expect(outcome).toMatchObject({
    totals: { passed: 8, failed: 0, skipped: 0 },
    failures: [],
    unstable: ['FAILED cluster two.test.ts: b fails\nError: 1 is not 2'],
  });
});

test.each([
  ['again at once', [['two.test.ts']]],
  ['the second time', [[], ['two.test.ts']]],
])('a file that fails %s has failed', async (_, failing) => {
  const { again } = runs(...failing);
  const first = runOf(ALL, ['two.test.ts']);
  expect(await withRunsAgain(first, again)).toEqual({ ...first, unstable: [] });
});

test('three files that failed are not run again', async () => {
  const { asked, again } = runs();
  const first = runOf(ALL, ALL.slice(1));
  expect(await withRunsAgain(first, again)).toEqual({ ...first, unstable: [] });
  expect(asked).toEqual([]);
});

test('an error outside of any test has failed, and a run that passed is not run again', async () => {
  const { asked, again } = runs();
  const passed = runOf(ALL, []);
  expect(await withRunsAgain(passed, again)).toEqual({ ...passed, unstable: [] });
  const uncaught = { ...passed, totals: totalsOf(passed.report, 1) };
  expect(await withRunsAgain(uncaught, again)).toEqual({ ...uncaught, unstable: [] });
  expect(asked).toEqual([]);
});
