import type { Crier, Post } from '#clients/typescript/client.ts';
import type { CsvPost } from '#clients/csv/read-row.ts';
import type { RowOutcome } from './row-outcome.ts';

const PAGE_POSTS = 500;

/**
 * Marks the rows whose Post is there: the same text, Channels, time and number of files. Idempotency-Keys are kept for
 * a day; this holds for any time, and spares rows that were published meanwhile a refusal for being too early. A Post
 * that was cancelled does not count.
 */
export async function markPresent(
  crier: Crier,
  rows: readonly RowOutcome[],
  signal: AbortSignal,
): Promise<readonly RowOutcome[]> {
  const times = rows.flatMap(({ post }) => (post?.scheduledAt === undefined ? [] : [Date.parse(post.scheduledAt)]));
  if (times.length === 0) return rows;
  const [from, to] = times.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [times[0]!, times[0]!]);
  const present = new Map<string, string>();
  const filter = { from: new Date(from!), to: new Date(to! + 1), limit: PAGE_POSTS };
  for await (const post of crier.posts.list(filter, { signal })) {
    const likeness = likenessOfPost(post);
    if (likeness !== null) present.set(likeness, post.id);
  }
  return rows.map((row) => {
    const postId = row.post?.scheduledAt === undefined ? undefined : present.get(likenessOfRow(row.post));
    return postId === undefined ? row : { ...row, state: 'there', postId };
  });
}

function likenessOfRow({ text, channelIds, scheduledAt, media }: CsvPost): string {
  return JSON.stringify([text, [...channelIds].sort(), Date.parse(scheduledAt!), media.length]);
}

function likenessOfPost({ text, variants, media }: Post): string | null {
  const scheduledAt = variants[0]?.scheduledAt;
  if (scheduledAt === null || scheduledAt === undefined) return null;
  if (variants.every(({ status }) => status === 'cancelled')) return null;
  const channelIds = [...new Set(variants.map(({ channelId }) => channelId))].sort();
  return JSON.stringify([text, channelIds, Date.parse(scheduledAt), media.length]);
}
