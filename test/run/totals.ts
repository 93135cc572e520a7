/** The number of tests by outcome. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The fields that are read of Vitest's JSON report. */
export interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  /** The path of the file. */
  readonly name: string;
  readonly status: 'passed' | 'failed';
  /** Why the file could not be run; else ''. */
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

/**
 * `report` null: Vitest ended before it could write one. A run that failed without a failed test (a file that can't be
 * read, an uncaught error) counts as one failure.
 */
export function totalsOf(report: VitestReport | null, exitCode: number): Totals {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const unseen = report.numFailedTests === 0 && (!report.success || exitCode !== 0) ? 1 : 0;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unseen,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Of each failed test, and of each file that could not be run: where it is, and why. */
export function failuresOf(project: string, report: VitestReport | null): readonly string[] {
  if (report === null) return [`${project}: ended before its report`];
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const tests = failed.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`);
    const reasons = tests.length === 0 && status === 'failed' ? [message] : tests;
    return reasons.map((reason) => `FAILED ${project} ${name}: ${reason}`);
  });
}

/**
 * The files in which a test failed, of a run in which nothing else did. None when a file could not be run: it has no
 * test that could pass another time.
 */
export function failedFiles(report: VitestReport | null): readonly string[] {
  const failed = report?.testResults.filter(({ status }) => status === 'failed') ?? [];
  const hasFailedTest = ({ assertionResults }: FileReport) =>
    assertionResults.some(({ status }) => status === 'failed');
  return failed.every(hasFailedTest) ? failed.map(({ name }) => name) : [];
}

/** A check that counts as one test: it succeeds or fails. */
export function totalsOfCheck(exitCode: number): Totals {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

export function sum(all: readonly Totals[]): Totals {
  const of = (key: keyof Totals): number => all.reduce((total, one) => total + one[key], 0);
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
}

export function inWords({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
