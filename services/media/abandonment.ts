import type { Post, Variant } from '#domain/post/post.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { JobContext } from './dependencies.ts';

/**
 * How often the Post is read to see whether a Variant still waits: abandoned work keeps a permit, and cores, for no
 * longer than that.
 */
const CHECK_EVERY_MS = 1_000;

/**
 * No Variant of the Post waits for its files any more: it was cancelled, its Channel was disconnected, or its missed
 * window has ended.
 */
export class WorkAbandoned extends Error {}

/** Variants whose files are still to be made ready. */
export function waitersOf(post: Post): readonly Variant[] {
  return post.variants.filter(({ status, mediaReady }) => status === 'scheduled' && !mediaReady);
}

/**
 * Runs work that may take minutes for a Post, in a context whose signal is aborted once no Variant waits for it. Reads
 * the Post first, for the work may have waited long for its permit. Rejects with `WorkAbandoned` when no Variant waits.
 */
export async function abortWhenAbandoned<T>(
  context: JobContext,
  work: (context: JobContext) => Promise<T>,
): Promise<T> {
  const { store, clock } = context;
  const { workspaceId, id } = context.post;
  const isWaitedFor = async (): Promise<boolean> => {
    const post = await readPost(store, workspaceId, id);
    return post !== null && waitersOf(post).length > 0;
  };
  if (!(await isWaitedFor())) throw new WorkAbandoned();
  const ending = new AbortController();
  let isOver = false;
  let cancel = (): void => {};
  const check = async (): Promise<void> => {
    // A store that is away tells nothing about the Post.
    if (!(await isWaitedFor().catch(() => true))) ending.abort(new WorkAbandoned());
    else if (!isOver) checkLater();
  };
  const checkLater = (): void => {
    cancel = clock.after(CHECK_EVERY_MS, () => void check());
  };
  checkLater();
  try {
    return await work({ ...context, signal: AbortSignal.any([context.signal, ending.signal]) });
  } finally {
    isOver = true;
    cancel();
  }
}
