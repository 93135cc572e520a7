import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { Post } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import type { PostReader } from './dependencies.ts';
import { FIRST_POSTS, postsAtOnce } from './posts-at-once.ts';

export interface EachPostOptions {
  readonly posts: Pick<PostReader, 'list'>;
  readonly slices: TimeSlices;
}

/** Of Posts that were written, or have a Variant scheduled, in [from, to). Instants in milliseconds. */
export interface LookedAt {
  readonly from: number;
  readonly to: number;
  /** How many Posts are enough. */
  readonly most: number;
  /** How many Variants are enough, of all of these Posts together. */
  readonly mostVariants: number;
}

/** Of the texts that are read in one go, so that reading and decoding them takes some milliseconds. */
const READ_CHARACTERS = 500_000;
/** What a Post and each of its Variants take beside texts. */
const CHARACTERS_BESIDE = 500;

/**
 * Calls `use` with each Post, newest written first. They are read a few at a time, and others have the event loop in
 * between. True: there are more. Rejects with `PortError`, and with the reason of the call's signal.
 */
export async function eachPost(
  call: Pick<ApiCall, 'workspaceId' | 'signal'>,
  { from, to, most, mostVariants }: LookedAt,
  { posts, slices }: EachPostOptions,
  use: (post: Post) => void,
): Promise<boolean> {
  const pause = slices.begin(call.workspaceId);
  let limit = FIRST_POSTS;
  let [seen, variants, characters] = [0, 0, 0];
  for (let before: string | null = null; from < to;) {
    call.signal.throwIfAborted();
    await pause();
    const page = await posts.list(call.workspaceId, { from, to, limit, before });
    for (const post of page.posts) {
      use(post);
      variants += post.variants.length;
      characters += charactersOf(post);
    }
    seen += page.posts.length;
    before = page.posts.at(-1)?.id ?? null;
    if (!page.more || before === null) return false;
    if (seen >= most || variants >= mostVariants) return true;
    limit = postsAtOnce({ asked: limit, count: seen, size: characters }, READ_CHARACTERS);
  }
  return false;
}

function charactersOf({ text, channelOptions, variants }: Post): number {
  const own = Object.values(channelOptions).map((each) => (each.text ?? '').length + (each.firstComment ?? '').length);
  return own.reduce((sum, each) => sum + each, text.length + CHARACTERS_BESIDE * (1 + variants.length));
}
