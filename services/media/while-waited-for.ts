import type { Post, Variant } from '#domain/post/post.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { Workshop } from './dependencies.ts';

/** How often it is looked whether anybody waits still: what nobody wants keeps a place, and cores, for no longer than that. */
const LOOK_EVERY_MS = 1_000;

/** No Variant of the Post waits for its files any more: it was cancelled, its Channel disconnected, or its time is over. */
export class NobodyWaits extends Error {}

/** Variants whose files are still to be made ready. */
export function waitingOf(post: Post): readonly Variant[] {
  return post.variants.filter(({ status, mediaReady }) => status === 'scheduled' && !mediaReady);
}

/**
 * Runs work that may take minutes for a Post, with a workshop whose signal is aborted once nobody waits for it. Who waited for a place
 * before finds out here that nobody does by now. Rejects with `NobodyWaits` then.
 */
export async function whileWaitedFor<T>(workshop: Workshop, { workspaceId, id }: Post, work: (workshop: Workshop) => Promise<T>): Promise<T> {
  const { store, clock } = workshop;
  const isWaitedFor = async (): Promise<boolean> => {
    const post = await readPost(store, workspaceId, id);
    return post !== null && waitingOf(post).length > 0;
  };
  if (!(await isWaitedFor())) throw new NobodyWaits();
  const ending = new AbortController();
  let isOver = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    // A store that is away says nothing of the Post.
    if (!(await isWaitedFor().catch(() => true))) ending.abort(new NobodyWaits());
    else if (!isOver) lookLater();
  };
  const lookLater = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, () => void look());
  };
  lookLater();
  try {
    return await work({ ...workshop, signal: AbortSignal.any([workshop.signal, ending.signal]) });
  } finally {
    isOver = true;
    cancel();
  }
}
