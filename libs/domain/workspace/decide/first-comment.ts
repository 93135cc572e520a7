import { postIdOfVariant, variantNumberOf } from '../../post/ids.ts';
import type { Variant } from '../../post/post.ts';
import { endFirstComment } from '../../variant/moves.ts';
import type { FirstCommentEnded } from '../commands.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { Effect } from '../effects.ts';
import { changedTo, changeVariants, channelOf, loadedPost, variantOf } from '../post-changes.ts';

/** As long as a webhook is attempted. */
const TRIED_FOR_MS = 24 * 3_600_000;

/** The job of the comment under a Variant that was just found to be live; `itemId`: the Variant's id at the Network. */
export function commentEffects(
  { state, now }: Pick<DecisionContext, 'state' | 'now'>,
  variant: Variant,
  itemId: string,
): readonly Effect[] {
  if (variant.status !== 'published' || variant.firstComment?.status !== 'waiting') return [];
  const { accountId } = channelOf(state, variant);
  const { id: variantId, network, channelId } = variant;
  const about = { workspaceId: state.id, variantId, network, channelId, accountId, itemId };
  return [{ kind: 'comment', job: { ...about, dueAt: now, latestStart: now + TRIED_FOR_MS } }];
}

/** The first report decides, except for a proof that comes late. It changes nothing of the Variant itself. */
export function firstCommentEnded({ state, view }: DecisionContext, report: FirstCommentEnded): DecideResult {
  const post = loadedPost(view, postIdOfVariant(report.variantId));
  const variant = post && variantOf(post, variantNumberOf(report.variantId));
  const before = variant?.firstComment?.status;
  const isProvenLate = before === 'unconfirmed' && report.status === 'published';
  if (!post || !variant || (before !== 'waiting' && !isProvenLate)) return unchanged(state);
  return changedTo(changeVariants(state, post, [endFirstComment(variant, report)]), null);
}
