import { failedFiles, type Totals, type VitestReport } from './totals.ts';

/** The most files of a suite that are run again when they failed: more are no accident. */
const MOST_FILES = 2;
/** How often such a file has to pass, alone. */
const TIMES = 2;

export interface SuiteRun {
  readonly report: VitestReport | null;
  readonly totals: Totals;
  /** Each test that failed, with its reason. */
  readonly failures: readonly string[];
}

/**
 * The outcome of a suite. Some tests kill processes and engines at random instants, or wait for programs beside a busy
 * disk, so one may fail by chance. The files that failed, when they are few, are run again alone; where they pass each
 * time, their failures are reported as unstable, and all tests of the suite count as passed.
 */
export async function withRunsAgain<Run extends SuiteRun>(
  first: Run,
  runAgain: (files: readonly string[]) => Promise<SuiteRun>,
): Promise<Run & { readonly unstable: readonly string[] }> {
  const files = first.totals.failed === 0 ? [] : failedFiles(first.report);
  if (files.length === 0 || files.length > MOST_FILES) return { ...first, unstable: [] };
  for (let time = 0; time < TIMES; time++) {
    const { totals } = await runAgain(files);
    if (totals.failed > 0 || totals.passed === 0) return { ...first, unstable: [] };
  }
  const { passed, failed, skipped } = first.totals;
  return { ...first, totals: { passed: passed + failed, failed: 0, skipped }, failures: [], unstable: first.failures };
}
