import { PresentPosts, spanOf } from '#clients/csv/present-posts.ts';
import type { Crier } from '#clients/typescript/client.ts';
import { cancelledRow, type RowOutcome } from './row-outcome.ts';

const PAGE_POSTS = 500;

export interface MarkOptions {
  readonly crier: Crier;
  readonly signal: AbortSignal;
  /** Rows whose Post was moved, edited or cancelled are to be created again. */
  readonly isAgain: boolean;
}

/**
 * Marks the rows whose Post is there, however long ago it was made, and refuses those whose Post was moved, edited or
 * cancelled since: it would be there a second time, beside what became of it.
 */
export async function markPresent(
  rows: readonly RowOutcome[],
  { crier, signal, isAgain }: MarkOptions,
): Promise<readonly RowOutcome[]> {
  const span = spanOf(rows.flatMap(({ post }) => post ?? []));
  if (span === null) return rows;
  const present = new PresentPosts();
  for await (const post of crier.posts.list({ ...span, limit: PAGE_POSTS }, { signal })) present.add(post);
  return rows.map((row) => {
    if (row.post === null) return row;
    const postId = present.idOf(row.post);
    if (postId !== null) return { ...row, state: 'there', postId };
    return !isAgain && row.state === 'open' && present.wasCancelled(row.post) ? cancelledRow(row) : row;
  });
}
