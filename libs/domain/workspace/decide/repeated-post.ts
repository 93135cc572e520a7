import type { CreatePost } from '../commands.ts';
import { cancelledAtOf, loaded, loadedPost } from '../post-changes.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import type { Refusal } from '../results.ts';

export type Repeat = { readonly kind: 'first' } | { readonly kind: 'repeat'; readonly postId: string } | Refusal;

/** What was made with the same Idempotency-Key; a cancelled Post counts as it is. */
export function byIdempotencyKey(situation: DecisionContext, command: CreatePost): Repeat {
  const record =
    command.idempotencyKey === null ? null : loaded(situation.view.idempotencyKeys, command.idempotencyKey);
  if (!record || command.issuedAt - record.createdAt >= situation.rules.idempotencyKeyMs) return { kind: 'first' };
  if (record.digest !== command.digest) {
    return refusal(
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another Post before. Use a new key for a new Post.',
    );
  }
  return { kind: 'repeat', postId: record.postId };
}

/**
 * The 10-minute rule. A Post that was cancelled whole frees its place, except for a command stamped before that:
 * whoever sent it gave it up and cancelled, and must not get a second, live Post from a copy that was on its way.
 */
export function bySamePost(situation: DecisionContext, command: CreatePost): Repeat {
  const record = loaded(situation.view.digests, command.digest);
  if (!record || command.issuedAt - record.createdAt >= situation.rules.duplicateWindowMs) return { kind: 'first' };
  const post = loadedPost(situation.view, record.postId);
  if (post === null) return { kind: 'first' };
  const cancelledAt = cancelledAtOf(situation.state, post);
  if (cancelledAt !== null && command.issuedAt >= cancelledAt) return { kind: 'first' };
  return { kind: 'repeat', postId: record.postId };
}
