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
