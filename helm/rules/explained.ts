import type { Recording } from './alert.ts';

/** Windows for which a cause that fired explains what it did elsewhere: those over which symptoms look back. */
const WINDOWS = ['5m', '30m'] as const;
type Window = (typeof WINDOWS)[number];

/**
 * Pages that name a cause, in steps: one of a later step may be the work of an earlier one, and is silent while that
 * one fires. Nobody is called twice for one fault, and who is called reads first what is broken. Each step waits longer
 * (`for`) than the one before it.
 */
const STEPS = [
  ['CrierDiskFull', 'CrierClockWrong', 'CrierSecretRefused'],
  ['CrierTablesAway', 'CrierLogAway'],
  ['CrierRoleRunsNowhere'],
] as const;

const recorded = (step: number, window: Window): string => `crier:explained_by_step_${step}:max${window}`;

/** Counts what fires and not what is pending: a cause that comes and goes, and so never fires, hides nothing. */
export const EXPLAINED_RECORDINGS: readonly Recording[] = STEPS.flatMap((_, step) =>
  WINDOWS.map((window) => {
    const names = STEPS.slice(0, step + 1).flat();
    const firing = `ALERTS{alertname=~"${names.join('|')}", alertstate="firing"}`;
    return { record: recorded(step + 1, window), expr: `max by (namespace) (max_over_time(${firing}[${window}]))` };
  }),
);

export interface Explanation {
  /** Leave out: by causes of any step. */
  readonly upToStep?: 1 | 2 | 3;
  /** The window over which the query looks back: what was counted in it before the cause ended is explained too. */
  readonly lookingBack?: Window;
}

/** The query, silent in a namespace where a cause is told that explains it. */
export function unlessExplained(expr: string, { upToStep = 3, lookingBack = '5m' }: Explanation = {}): string {
  return `(${expr}) unless on (namespace) ${recorded(upToStep, lookingBack)}`;
}
