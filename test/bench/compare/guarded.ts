import { median } from '../quantiles.ts';
import type { BenchRow } from '../report.ts';

/** A figure of a row that another revision is compared in. */
interface GuardedFigure {
  readonly figure: string;
  readonly better: 'lower' | 'higher';
}

/** By the group of rows. Figures that two runs of the same code do not agree in (a greatest value) are not guarded. */
const GUARDED: Readonly<Partial<Record<string, readonly GuardedFigure[]>>> = {
  post: [
    { figure: 'p50 ms', better: 'lower' },
    { figure: 'per s', better: 'higher' },
    { figure: 'cpu ms', better: 'lower' },
  ],
  lateness: [
    { figure: 'p50 ms', better: 'lower' },
    { figure: 'p99 ms', better: 'lower' },
    { figure: 'cpu ms', better: 'lower' },
  ],
  instant: [
    { figure: 'last live s', better: 'lower' },
    { figure: 'cpu ms', better: 'lower' },
  ],
  channel: [
    { figure: 'p50 ms', better: 'lower' },
    { figure: 'p99 ms', better: 'lower' },
    { figure: 'last live s', better: 'lower' },
    { figure: 'cpu ms', better: 'lower' },
  ],
  idle: [
    { figure: 'MiB', better: 'lower' },
    { figure: 'crier MiB', better: 'lower' },
  ],
  list: [{ figure: '100 Posts ms', better: 'lower' }],
};

/** The groups of rows that have guarded figures. */
export const GUARDED_GROUPS = Object.keys(GUARDED);

/** A figure may be worse by this share. */
const ALLOWED = 0.15;

/** What a figure was with another revision, and is with this one: medians of as many runs of each. */
export interface ComparedFigure {
  readonly row: string;
  readonly figure: string;
  readonly before: number;
  readonly after: number;
  /** By how much it is worse, as a share of `before`; below zero: it is better. */
  readonly worseBy: number;
  readonly fell: boolean;
}

/** `before` and `after` are the rows of each run. Only rows that every run has made are compared. */
export function compared(
  before: readonly (readonly BenchRow[])[],
  after: readonly (readonly BenchRow[])[],
): readonly ComparedFigure[] {
  return (after[0] ?? []).flatMap(({ group, what, engine, durability }) =>
    (GUARDED[group] ?? []).flatMap(({ figure, better }) => {
      const values = (runs: readonly (readonly BenchRow[])[]): readonly number[] | null => {
        const found = runs.map(
          (rows) =>
            rows.find((row) => row.what === what && row.engine === engine && row.durability === durability)?.figures[
              figure
            ],
        );
        return found.every((value) => value !== undefined) ? found : null;
      };
      const [was, is] = [values(before), values(after)];
      if (was === null || is === null || was.length === 0) return [];
      const [from, to] = [median(was), median(is)];
      const worseBy = better === 'lower' ? to / from - 1 : from / to - 1;
      return [{ row: `${engine}, ${what}`, figure, before: from, after: to, worseBy, fell: worseBy > ALLOWED }];
    }),
  );
}
