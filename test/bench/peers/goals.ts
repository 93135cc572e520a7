import { rowNames, type RowKey } from './row-names.ts';
import { PEER_SIZES } from './sizes.ts';

type Bound =
  | { readonly atMost: number }
  /** To the nearest whole: what is done from time to time, whatever comes, counts among what each Post costs. */
  | { readonly atMostRounded: number }
  /** As a multiple of what the plain service takes. */
  | { readonly atMostOfPlain: number }
  | { readonly atLeastOfPlain: number };

interface Goal {
  readonly row: RowKey;
  readonly figure: string;
  readonly bound: Bound;
}

/** What Crier, embedded, is asked for, at full sizes. */
export const GOALS: readonly Goal[] = [
  { row: 'post1', figure: 'p50 ms', bound: { atMostOfPlain: 0.6 } },
  { row: 'post1', figure: 'p99 ms', bound: { atMostOfPlain: 0.6 } },
  { row: 'post64', figure: 'per s', bound: { atLeastOfPlain: 2.5 } },
  { row: 'post64', figure: 'cpu ms a Post', bound: { atMost: 0.35 } },
  { row: 'due96', figure: 'p99 ms', bound: { atMostOfPlain: 1 } },
  { row: 'due1', figure: 'p99 ms', bound: { atMostOfPlain: 2 } },
  { row: 'instant96', figure: 'last s', bound: { atMostOfPlain: 0.4 } },
  { row: 'instant2', figure: 'last s', bound: { atMostOfPlain: 1 } },
  { row: 'instant96', figure: 'last webhook s', bound: { atMostOfPlain: 0.5 } },
  { row: 'listFew', figure: 'p50 ms', bound: { atMostOfPlain: 0.7 } },
  { row: 'listMany', figure: 'p50 ms', bound: { atMostOfPlain: 0.7 } },
  { row: 'backlog', figure: 'p50 ms', bound: { atMostOfPlain: 0.6 } },
  { row: 'kill96', figure: '99 % of late ones s', bound: { atMostOfPlain: 1 } },
  { row: 'kill1', figure: '99 % of late ones s', bound: { atMostOfPlain: 2 } },
  { row: 'burst96', figure: 'doubled', bound: { atMost: 0 } },
  { row: 'burst96', figure: 'last outcome known s', bound: { atMost: 20 } },
  { row: 'syncs', figure: 'created, syncs a Post', bound: { atMostRounded: 1 } },
  { row: 'memory', figure: 'peak MiB', bound: { atMost: 300 } },
];

const NAMES = rowNames(PEER_SIZES.full);

export interface JudgedGoal {
  readonly text: string;
  /** Null: there is nothing to compare with. */
  readonly met: boolean | null;
}

/** Of a figure of a row by its name; null: nothing is asked of it. */
export function judgeGoal(row: string, figure: string, own: number, plain: number | undefined): JudgedGoal | null {
  const goal = GOALS.find((each) => NAMES[each.row] === row && each.figure === figure);
  if (goal === undefined) return null;
  const { bound } = goal;
  if ('atMost' in bound) return { text: `<= ${bound.atMost}`, met: own <= bound.atMost };
  if ('atMostRounded' in bound)
    return { text: `<= ${bound.atMostRounded}, rounded`, met: Math.round(own) <= bound.atMostRounded };
  if ('atMostOfPlain' in bound)
    return {
      text: `<= ${bound.atMostOfPlain}x of plain`,
      met: plain === undefined ? null : own <= bound.atMostOfPlain * plain,
    };
  return {
    text: `>= ${bound.atLeastOfPlain}x of plain`,
    met: plain === undefined ? null : own >= bound.atLeastOfPlain * plain,
  };
}
