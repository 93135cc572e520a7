import { PresentPosts, spanOf } from '#clients/csv/present-posts.ts';
import type { Crier } from '#clients/typescript/client.ts';
import type { RowOutcome } from './row-outcome.ts';

const PAGE_POSTS = 500;

/** Marks the rows whose Post is there, however long ago it was made. */
export async function markPresent(
  crier: Crier,
  rows: readonly RowOutcome[],
  signal: AbortSignal,
): Promise<readonly RowOutcome[]> {
  const span = spanOf(rows.flatMap(({ post }) => post ?? []));
  if (span === null) return rows;
  const present = new PresentPosts();
  for await (const post of crier.posts.list({ ...span, limit: PAGE_POSTS }, { signal })) present.add(post);
  return rows.map((row) => {
    const postId = row.post === null ? null : present.idOf(row.post);
    return postId === null ? row : { ...row, state: 'there', postId };
  });
}
