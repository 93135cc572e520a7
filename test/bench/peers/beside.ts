import { ENGINES } from '../flags.ts';
import { markdown, shown, type BenchRow } from '../report.ts';
import { PEERS } from './peer.ts';

/** Rows of several contenders side by side: a line for each figure of each row, a column for each contender. */
export function beside(rows: readonly BenchRow[]): string {
  const contenders = [...ENGINES, ...PEERS].filter((name) => rows.some(({ engine }) => engine === name));
  const inOrder = contenders.flatMap((name) => rows.filter(({ engine }) => engine === name));
  const lines = [...Map.groupBy(inOrder, ({ what }) => what)].flatMap(([what, own]) => {
    const figures = [...new Set(own.flatMap((row) => Object.keys(row.figures)))];
    return figures.map((figure) => [
      `${what}: ${figure}`,
      ...contenders.map((contender) => {
        const value = own.find(({ engine }) => engine === contender)?.figures[figure];
        return value === undefined ? '' : shown(value);
      }),
    ]);
  });
  return markdown(['figure', ...contenders], lines);
}
