import { markdown, shown, type BenchRow } from '../report.ts';

/** Rows of several contenders side by side: a line for each figure of each row, a column for each contender. */
export function beside(rows: readonly BenchRow[]): string {
  const contenders = [...new Set(rows.map(({ engine }) => engine))];
  const lines = [...Map.groupBy(rows, ({ what }) => what)].flatMap(([what, own]) => {
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
