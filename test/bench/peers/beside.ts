import { ENGINES } from '../flags.ts';
import { markdown, shown, type BenchRow } from '../report.ts';
import { judgeGoal } from './goals.ts';
import { PEERS } from './peer.ts';

const JUDGED = 'embedded';
const COMPARED_WITH = 'plain';

/**
 * Rows of several contenders side by side: a line for each figure of each row, a column for each contender. `isJudged`:
 * of full sizes, so that the embedded figures are held to what they are asked for.
 */
export function beside(rows: readonly BenchRow[], { isJudged }: { readonly isJudged: boolean }): string {
  const contenders = [...ENGINES, ...PEERS].filter((name) => rows.some(({ engine }) => engine === name));
  const inOrder = contenders.flatMap((name) => rows.filter(({ engine }) => engine === name));
  const lines = [...Map.groupBy(inOrder, ({ what }) => what)].flatMap(([what, own]) => {
    const figures = [...new Set(own.flatMap((row) => Object.keys(row.figures)))];
    return figures.map((figure) => {
      const of = (contender: BenchRow['engine']): number | undefined =>
        own.find(({ engine }) => engine === contender)?.figures[figure];
      return [
        `${what}: ${figure}`,
        ...contenders.map((contender) => cell(of(contender))),
        ...(isJudged ? judged(what, figure, of(JUDGED), of(COMPARED_WITH)) : []),
      ];
    });
  });
  return markdown(['figure', ...contenders, ...(isJudged ? ['target', 'met'] : [])], lines);
}

function cell(value: number | undefined): string {
  return value === undefined ? '' : shown(value);
}

function judged(what: string, figure: string, own: number | undefined, plain: number | undefined): readonly string[] {
  const goal = own === undefined ? null : judgeGoal(what, figure, own, plain);
  if (goal === null) return ['', ''];
  return [goal.text, goal.met === null ? '' : goal.met ? 'yes' : 'NO'];
}
