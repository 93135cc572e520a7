import type { Post, Variant } from '#domain/post/post.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { MediaContext } from './dependencies.ts';

/**
 * How often it is looked whether anybody waits still: what nobody wants keeps a place, and cores, for no longer than
 * that.
 */
const LOOK_EVERY_MS = 1_000;

/**
 * No Variant of the Post waits for its files any more: it was cancelled, its Channel disconnected, or its time is over.
 */
export class WorkAbandoned extends Error {}

/** Variants whose files are still to be made ready. */
export function waitersOf(post: Post): readonly Variant[] {
  return post.variants.filter(({ status, mediaReady }) => status === 'scheduled' && !mediaReady);
}

/**
 * Runs work that may take minutes for a Post, with a workshop whose signal is aborted once nobody waits for it. Who
 * waited for a place before finds out here that nobody does by now. Rejects with `WorkAbandoned` then.
 */
export async function abortWhenAbandoned<T>(
  context: MediaContext,
  { workspaceId, id }: Post,
  work: (context: MediaContext) => Promise<T>,
): Promise<T> {
  const { store, clock } = context;
  const isWaitedFor = async (): Promise<boolean> => {
    const post = await readPost(store, workspaceId, id);
    return post !== null && waitersOf(post).length > 0;
  };
  if (!(await isWaitedFor())) throw new WorkAbandoned();
  const ending = new AbortController();
  let isOver = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    // A store that is away says nothing of the Post.
    if (!(await isWaitedFor().catch(() => true))) ending.abort(new WorkAbandoned());
    else if (!isOver) lookLater();
  };
  const lookLater = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, () => void look());
  };
  lookLater();
  try {
    return await work({ ...context, signal: AbortSignal.any([context.signal, ending.signal]) });
  } finally {
    isOver = true;
    cancel();
  }
}
