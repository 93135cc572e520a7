import type { CreatePost } from '../commands.ts';
import { cancelledAtOf, loaded, loadedPost } from '../post-changes.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import type { Refusal } from '../results.ts';
import { replacedBy } from './replaced-post.ts';

export type Repeat = { readonly kind: 'first' } | { readonly kind: 'repeat'; readonly postId: string } | Refusal;

/** Kept with an Idempotency-Key, to know a repeat by. */
export function keyDigestOf({ keyDigest, digest }: CreatePost): string {
  return keyDigest ?? digest;
}

/** The Post that was created with the same Idempotency-Key, even if it was cancelled. */
export function byIdempotencyKey(situation: DecisionContext, command: CreatePost): Repeat {
  const record =
    command.idempotencyKey === null ? null : loaded(situation.view.idempotencyKeys, command.idempotencyKey);
  if (!record || command.issuedAt - record.createdAt >= situation.rules.idempotencyKeyMs) return { kind: 'first' };
  if (record.digest !== keyDigestOf(command)) {
    return refusal(
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another Post before. Use a new key for a new Post.',
    );
  }
  return { kind: 'repeat', postId: record.postId };
}

/**
 * The 10-minute rule. A wholly cancelled Post no longer counts, except for a command issued before the cancel: its
 * caller gave it up and cancelled, and a delayed copy of it must not create a second, live Post.
 */
export function bySamePost(situation: DecisionContext, command: CreatePost): Repeat {
  const record = loaded(situation.view.digests, command.digest);
  // Either of two may come late, so the one that is there may be the later one. One that lies further ahead was made by
  // a clock that led, and would stand for all that say the same until then.
  if (!record || Math.abs(command.issuedAt - record.createdAt) >= situation.rules.duplicateWindowMs)
    return { kind: 'first' };
  const post = loadedPost(situation.view, record.postId);
  if (post === null) return { kind: 'first' };
  const cancelledAt = cancelledAtOf(situation.state, post);
  if (cancelledAt !== null && command.issuedAt >= cancelledAt) return { kind: 'first' };
  return isUnreplaced(situation, command, record.postId)
    ? refusal('post_refused', ANOTHER, { blockers: [{ code: 'problem', message: ANOTHER }] })
    : { kind: 'repeat', postId: record.postId };
}

const ANOTHER =
  'The same Post was made a few minutes ago, so this one stays as it is. Change more of it, or cancel one of the two.';

/**
 * The Post that the command replaces waits still, so the same one is not its successor: answered with that, a caller
 * would take the one that waits for replaced.
 */
function isUnreplaced(situation: DecisionContext, command: CreatePost, samePostId: string): boolean {
  return command.replaces !== undefined && command.replaces !== samePostId && replacedBy(situation, command).ok;
}
