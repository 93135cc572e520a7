import type { CsvPost, CsvProblem } from '#clients/csv/read-row.ts';

/**
 * What becomes of a row: `open` (acceptable, not created), `there` (a Post that an earlier import made, or one just
 * like it), `created`, or `refused` with its problems.
 */
export interface RowOutcome {
  readonly row: number;
  readonly post: CsvPost | null;
  /** Whether its key stands in the file. */
  readonly hasOwnKey: boolean;
  readonly state: 'open' | 'there' | 'created' | 'refused';
  readonly postId: string | null;
  readonly problems: readonly CsvProblem[];
}

/** A row that made a Post which was moved, edited or cancelled since. */
export function cancelledRow(row: RowOutcome): RowOutcome {
  return refusedRow(row, [CANCELLED_BEFORE]);
}

const CANCELLED_BEFORE =
  'It was created before, and moved, edited or cancelled since. To create it again, change its text or its time, or give the import a name: --batch again';

export function refusedRow(outcome: RowOutcome, messages: readonly string[]): RowOutcome {
  const problems = messages.map((message) => ({ row: outcome.row, column: null, message }));
  return { ...outcome, state: 'refused', postId: null, problems };
}
