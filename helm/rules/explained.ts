import type { Recording } from './alert.ts';

/**
 * For how long a cause that fired explains what it did elsewhere, by the window over which a symptom looks back: so
 * long, and the minutes in which what waited is worked off.
 */
const LASTS = { '5m': '10m', '30m': '40m' } as const;
type Window = keyof typeof LASTS;

/**
 * Pages that name a cause, in steps: one of a later step may be the work of an earlier one, and is silent while that
 * one fires. Nobody is called twice for one fault, and who is called reads first what is broken. Each step waits longer
 * (`for`) than the one before it.
 */
const STEPS = [
  ['CrierDiskFull', 'CrierClockWrong', 'CrierSecretRefused'],
  ['CrierTablesAway', 'CrierLogAway', 'CrierRunsNowhere'],
  ['CrierRoleRunsNowhere'],
] as const;

const recorded = (step: number, window: Window): string => `crier:explained_by_step_${step}:max${LASTS[window]}`;

/** Counts what fires and not what is pending: a cause that comes and goes, and so never fires, hides nothing. */
export const EXPLAINED_RECORDINGS: readonly Recording[] = STEPS.flatMap((_, step) =>
  (['5m', '30m'] as const).map((window) => {
    const names = STEPS.slice(0, step + 1).flat();
    const firing = `ALERTS{alertname=~"${names.join('|')}", alertstate="firing"}`;
    return {
      record: recorded(step + 1, window),
      expr: `max by (namespace) (max_over_time(${firing}[${LASTS[window]}]))`,
    };
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
