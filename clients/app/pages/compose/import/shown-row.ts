import type { CsvPost } from '#clients/csv/read-row.ts';
import type { RowState } from './import-run.ts';

/** A row as the page shows it. */
export interface ShownRow {
  readonly row: number;
  readonly post: CsvPost | null;
  readonly state: RowState;
}

/**
 * The rows of a file that was read again because one of them was corrected. A row that says what it said and was
 * created stays so: asked about again, its time may be too early by now, and who corrects that makes a second Post.
 */
export function keepCreated(before: readonly ShownRow[], now: readonly ShownRow[]): readonly ShownRow[] {
  const created = new Map(
    before.flatMap(({ post, state }) =>
      post !== null && state.kind === 'created' ? [[post.idempotencyKey, state] as const] : [],
    ),
  );
  return now.map((each) => {
    const state = each.post === null ? undefined : created.get(each.post.idempotencyKey);
    return state === undefined ? each : { ...each, state };
  });
}
