import { postIdOfVariant, variantNumberOf } from '../../post/ids.ts';
import { hasMetrics, nextReadingAt } from '../../variant/metrics.ts';
import { giveBack, markFailed, markPublished } from '../../variant/moves.ts';
import type { Variant } from '../../post/post.ts';
import type { PublishFailed, PublishHeld, PublishSucceeded, PublishUnconfirmed } from '../commands.ts';
import { changedTo, changeVariants, loadedPost, variantOf } from '../post-changes.ts';
import type { Effect } from '../effects.ts';
import { commentEffects } from './first-comment.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

export type PublishReport = PublishSucceeded | PublishFailed | PublishUnconfirmed;

function reported(variant: Variant, report: PublishReport): Variant {
  switch (report.type) {
    case 'PublishSucceeded':
      return markPublished(variant, report.remoteId, report.permalink);
    case 'PublishFailed':
      return markFailed(variant, report.reason, report.detail);
    case 'PublishUnconfirmed':
      return markFailed(variant, 'unconfirmed', report.detail);
  }
}

/** The proof came after the verdict `unconfirmed`: its sender was held up until then. */
function provenLate(variant: Variant, report: PublishReport): boolean {
  return variant.status === 'failed' && variant.failureReason === 'unconfirmed' && report.type === 'PublishSucceeded';
}

/** Figures are read from an hour after publishing on, where the Network has any. */
function firstReading(
  { id, network, channelId, status, remoteId }: Variant,
  workspaceId: string,
  now: number,
): readonly Effect[] {
  const dueAt = nextReadingAt(now, now, now);
  if (status !== 'published' || remoteId === null || !hasMetrics(network) || dueAt === null) return [];
  return [
    {
      kind: 'metrics-timer',
      reading: { workspaceId, variantId: id, network, channelId, remoteId, publishedAt: now, dueAt },
    },
  ];
}

/**
 * The first report of an attempt decides it, except for a proof that comes late. Repeats, and reports of older
 * attempts, change nothing.
 */
export function publishReport(situation: DecisionContext, report: PublishReport): DecideResult {
  const { state, view, now } = situation;
  const post = loadedPost(view, postIdOfVariant(report.variantId));
  const number = variantNumberOf(report.variantId);
  const variant = post && variantOf(post, number);
  if (!post || !variant || variant.attempt !== report.attempt) return unchanged(state);
  if (variant.status !== 'publishing' && !provenLate(variant, report)) return unchanged(state);
  const after = reported(variant, report);
  const change = changeVariants(state, post, [after]);
  return changedTo(change, null, [
    { kind: 'outcome', post: change.post, variant: number, at: now },
    ...firstReading(after, state.id, now),
    ...(report.type === 'PublishSucceeded' ? commentEffects(situation, after, report.remoteId) : []),
  ]);
}

/** The Variant waits as what comes due while publishing is held, also if the hold has ended by now. */
export function publishHeld({ state, view }: DecisionContext, report: PublishHeld): DecideResult {
  const post = loadedPost(view, postIdOfVariant(report.variantId));
  const variant = post && variantOf(post, variantNumberOf(report.variantId));
  if (!post || variant?.status !== 'publishing' || variant.attempt !== report.attempt) return unchanged(state);
  return changedTo(changeVariants(state, post, [giveBack(variant)]), null);
}
