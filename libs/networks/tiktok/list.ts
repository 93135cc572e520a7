import { comparable } from '../contract/comparable-text.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { dataOf, tiktokPost, type TikTokWork } from './calls.ts';

export const MAX_LISTED = 20;
export const LISTED_FIELDS = 'id,create_time,share_url,title,video_description,duration';

/** A post in the list of the account. */
interface ListedPost {
  readonly id: string;
  readonly shareUrl: string | null;
}

/** Whether the list can show which post is the Variant's: it names posts by their text alone. */
export function isTellable({ publication }: TikTokWork): boolean {
  return comparable(publication.text) !== '';
}

/**
 * The public posts of the account with the text of this one, made since `instant`. The list proves presence, never
 * absence. `posts` null: it could not be read.
 */
export async function findInList(
  work: TikTokWork,
  instant: number,
  timeoutMs: number,
): Promise<{ readonly posts: readonly ListedPost[] | null; readonly called: CallResult }> {
  const path = `/v2/video/list/?fields=${LISTED_FIELDS}`;
  const called = await tiktokPost(work, path, { max_count: MAX_LISTED }, timeoutMs);
  const data = dataOf(called);
  if (data === null) return { posts: null, called };
  const wanted = comparable(work.publication.text);
  const posts = listAt(data, 'videos').flatMap((post) => {
    const id = textAt(post, 'id');
    const isIt = comparable(textAt(post, 'video_description') ?? '') === wanted && wasMadeSince(post, instant);
    return id !== null && isIt ? [{ id, shareUrl: textAt(post, 'share_url') }] : [];
  });
  return { posts, called };
}

/** Seconds since the epoch. */
function wasMadeSince(post: unknown, instant: number): boolean {
  const madeAt = at(post, 'create_time');
  return typeof madeAt === 'number' && madeAt * 1000 >= instant - NETWORK_CLOCK_SKEW_MS;
}
