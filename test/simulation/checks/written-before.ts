import type { Post } from '#domain/post/post.ts';
import type { Aftermath } from '../aftermath.ts';
import { MAX_OFFSET_MS } from '../faults.ts';
import type { History } from '../history.ts';

/** Ids of Posts are of the clocks of processes, any two of which may differ by so much. */
const CLOCKS_MS = 2 * MAX_OFFSET_MS;

/**
 * Whether a Post was certainly written before another one: it stands further up in the bulk that made both, or it was
 * answered before the other one was asked for, by more than clocks differ.
 */
export function writtenBefore({ history }: Pick<Aftermath, 'history'>): (one: Post, other: Post) => boolean {
  const rows = rowsOfBulks(history);
  const created = history.of('create');
  const askedAt = Map.groupBy(created, ({ text }) => text);
  const answeredAt = Map.groupBy(
    created.filter(({ seen }) => seen === 'ok'),
    ({ postId }) => postId,
  );
  return (one, other) => {
    const [row, otherRow] = [rows.get(one.id), rows.get(other.id)];
    if (row !== undefined && otherRow !== undefined && row.bulk === otherRow.bulk) return row.index < otherRow.index;
    const answered = Math.min(...(answeredAt.get(one.id) ?? []).map(({ completedAt }) => completedAt!));
    const asked = Math.min(...(askedAt.get(other.text) ?? []).map(({ invokedAt }) => invokedAt));
    return answered + CLOCKS_MS < asked;
  };
}

interface PlaceInBulk {
  /** Counted from 0 on. */
  readonly bulk: number;
  readonly index: number;
}

/** Where each Post was made that a bulk was the first to make. */
function rowsOfBulks(history: History): ReadonlyMap<string, PlaceInBulk> {
  const rows = new Map<string, PlaceInBulk>();
  for (const [bulk, { items, isDry }] of history.of('bulk').entries()) {
    for (const [index, item] of (isDry ? [] : (items ?? [])).entries())
      if ('post' in item && item.post !== null && item.replayed !== true) rows.set(item.post.id, { bulk, index });
  }
  return rows;
}
