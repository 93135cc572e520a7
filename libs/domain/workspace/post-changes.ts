import assert from 'node:assert/strict';
import type { Channel } from '../channel/channel.ts';
import { settleCredits } from '../plan/credits.ts';
import { postIdOfVariant, variantNumberOf } from '../post/ids.ts';
import type { Post, Variant } from '../post/post.ts';
import type { Effect } from './effects.ts';
import { countHeld, withHeld } from './held-counts.ts';
import type { Result } from './results.ts';
import type { DecideResult } from './decision-context.ts';
import type { LoadedView } from './loads.ts';
import type { WorkspaceState } from './state.ts';

/** A Post that `loadsOf` named, or one that a loaded record names; null when this Workspace has no such Post. */
export function loadedPost(view: LoadedView, postId: string): Post | null {
  return loaded(view.posts, postId);
}

/**
 * Everything that `loadsOf` named is in the view, absent things as null: a missing entry is a defect, not an absence.
 */
export function loaded<T>(from: ReadonlyMap<string, T>, key: string): T {
  const value = from.get(key);
  assert(value !== undefined, `${key} was not loaded`);
  return value;
}

export function variantOf(post: Post, number: number): Variant | undefined {
  return post.variants[number - 1];
}

/** One that a large state was relieved of (see room.ts) counts as disconnected, for good. */
export function channelOf(state: WorkspaceState, variant: Variant): Channel {
  return state.channels[variant.channelId] ?? forgottenChannel(variant);
}

function forgottenChannel({ channelId, network, scheduledAt }: Variant): Channel {
  return {
    ...{ id: channelId, network, name: `A former ${network} account`, avatarUrl: null, accountId: '', kind: '' },
    ...{ state: 'not_connected', connectedAt: 0, seenAt: 0, disconnects: Number.MAX_SAFE_INTEGER },
    lastDisconnect: { at: scheduledAt ?? 0, by: null },
  };
}

/**
 * Set when the Variant's Channel was disconnected after it was queued: it must not publish, even before the sweep
 * cancels its row, and even if the Channel was reconnected since.
 */
export function endedByDisconnect(
  state: WorkspaceState,
  variant: Variant,
): { readonly at: number; readonly by: string | null } | null {
  const channel = channelOf(state, variant);
  if (variant.channelDisconnects === channel.disconnects) return null;
  assert(
    variant.channelDisconnects < channel.disconnects && channel.lastDisconnect,
    `channel ${channel.id} lost count of its disconnects`,
  );
  return channel.lastDisconnect;
}

/**
 * When all of the Post was cancelled; null: it was not. Variants that the sweep has yet to cancel count as cancelled.
 */
export function cancelledAtOf(state: WorkspaceState, post: Post): number | null {
  let latest = -Infinity;
  for (const variant of post.variants) {
    const at = variant.status === 'scheduled' ? (endedByDisconnect(state, variant)?.at ?? null) : variant.cancelledAt;
    if (at === null) return null;
    latest = Math.max(latest, at);
  }
  return latest;
}

export interface PostChange {
  readonly state: WorkspaceState;
  readonly post: Post;
  readonly effect: Effect;
}

/** Puts changed Variants into their Post, settles their credits and counts those that are held. */
export function changeVariants(state: WorkspaceState, post: Post, changed: readonly Variant[]): PostChange {
  const variants = [...post.variants];
  let credits = state.xCredits;
  let { held } = state;
  for (const after of changed) {
    const index = variantNumberOf(after.id) - 1;
    const before = variants[index];
    assert(
      before && before.id === after.id && postIdOfVariant(after.id) === post.id,
      `variant ${after.id} is not of post ${post.id}`,
    );
    assert(after.attempt >= before.attempt, `variant ${after.id} went back to attempt ${after.attempt}`);
    credits = settleCredits(credits, before, after);
    held = countHeld(held, before, after);
    variants[index] = after;
  }
  const next: Post = { ...post, variants };
  return {
    state: withHeld(credits === state.xCredits ? state : { ...state, xCredits: credits }, held),
    post: next,
    effect: { kind: 'variants-changed', post: next, variants: changed.map((variant) => variantNumberOf(variant.id)) },
  };
}

/** The outcome of a command that changed one Post: its change first, then what follows from it. */
export function changedTo(change: PostChange, result: Result | null, effects: readonly Effect[] = []): DecideResult {
  return { state: change.state, posts: [change.post], result, effects: [change.effect, ...effects], rest: null };
}
