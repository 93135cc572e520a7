import type { Post, Variant } from '../post/post.ts';
import { cancel, cancelByDisconnect } from '../variant/moves.ts';
import { endedByDisconnect } from './post-changes.ts';
import type { WorkspaceState } from './state.ts';

/** What is queued of a Post, cancelled. */
export interface CancelledVariants {
  readonly changed: readonly Variant[];
  /** False: a Disconnect had ended all of it before. */
  readonly endsAny: boolean;
}

export function queuedOf({ variants }: Pick<Post, 'variants'>): readonly Variant[] {
  return variants.filter(({ status }) => status === 'scheduled' || status === 'draft');
}

/** Variants that a Disconnect ended before are written as cancelled by it, as the sweep through its Posts will. */
export function cancelQueued(state: WorkspaceState, post: Post, at: number): CancelledVariants {
  const queued = queuedOf(post);
  const ends = queued.map((variant) => endedByDisconnect(state, variant));
  return {
    changed: queued.map((variant, index) => {
      const end = ends[index] ?? null;
      return end === null ? cancel(variant, at) : cancelByDisconnect(variant, end);
    }),
    endsAny: ends.includes(null),
  };
}
