import type { BulkItem } from '#use-cases/create-posts-in-bulk.ts';
import type { Check, Violation } from '../aftermath.ts';
import type { BulkEntry, BulkRow } from '../history.ts';

/**
 * A bulk is answered row by row, in the order of the rows: each as its own request would have been, whatever the others
 * come to. A Post is new in one answer at most, and a dry run makes none.
 */
export const bulkAnswersAreTrue: Check = ({ history, posts }) => {
  const violations: Violation[] = [];
  const isNew = new Set<string>();
  for (const entry of history.of('bulk')) {
    const complain = (detail: string, row: BulkRow | undefined): void =>
      void violations.push({ check: 'bulk answers are true', detail, about: row ? [row.post.text] : [] });
    if (entry.items !== null && entry.items.length !== entry.rows.length)
      complain(`a bulk of ${entry.rows.length} Posts got ${entry.items.length} answers`, entry.rows[0]);
    for (const [index, row] of entry.rows.entries()) {
      const item = entry.items?.[index];
      const detail = item === undefined ? null : whatIsWrong(entry, row, item, isNew);
      if (detail !== null) complain(`row ${index + 1} "${row.post.text}" ${detail}`, row);
      if (entry.isDry && posts.get(entry.workspaceId)?.some(({ text }) => text === row.post.text))
        complain(`row ${index + 1} "${row.post.text}" of a dry run was made`, row);
    }
  }
  return violations;
};

/** Null: nothing is. */
function whatIsWrong({ isDry }: BulkEntry, row: BulkRow, item: BulkItem, isNew: Set<string>): string | null {
  const isRefusedAsMalformed = 'error' in item && item.error.code === 'invalid_request';
  if (row.isMalformed !== isRefusedAsMalformed)
    return row.isMalformed
      ? `is malformed, and came to ${item.status}`
      : 'is well-formed, and was refused as malformed';
  if ('error' in item) return item.status >= 400 ? null : `was refused, and came to ${item.status}`;
  if (isDry) return item.status === 200 && item.post === null ? null : `of a dry run came to ${item.status}`;
  if (item.status !== 201 || item.post === null) return `came to ${item.status} without a Post`;
  if (item.post.text !== row.post.text) return `was answered with post ${item.post.id} of "${item.post.text}"`;
  if (item.replayed === true) return null;
  if (isNew.has(item.post.id)) return `is post ${item.post.id}, which was answered to be new before`;
  isNew.add(item.post.id);
  return null;
}
