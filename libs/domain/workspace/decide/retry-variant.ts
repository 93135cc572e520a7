import { creditsHeldBy } from '../../plan/credits.ts';
import type { Asset } from '../../media/asset.ts';
import { coverOfVariant } from '../../post/covers.ts';
import { postIdOfVariant, variantNumberOf } from '../../post/ids.ts';
import type { Post, Variant } from '../../post/post.ts';
import { requeue } from '../../variant/moves.ts';
import type { RetryVariant } from '../commands.ts';
import { changedTo, changeVariants, channelOf, loaded, loadedPost, variantOf } from '../post-changes.ts';
import { refuse, authorize, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';

/** By then the command has made it due, unless the log lost it. */
const DUE_AGAIN_MS = 60_000;

/**
 * Of one Variant. Each may be a use of what the Network allows the operator's app in a day, which all Workspaces share,
 * and what was refused so often is not taken the next time either.
 */
const MAX_ATTEMPTS = 20;

/** What the Variant shows, and the picture of its cover. */
function filesOf(post: Post, variant: Variant): readonly string[] {
  const cover = coverOfVariant(variant, post.channelOptions);
  return [...post.media.map(({ assetId }) => assetId), ...(cover?.kind === 'picture' ? [cover.assetId] : [])];
}

function isGone(asset: Asset | null): boolean {
  return asset === null || asset.state === 'removed';
}

/**
 * Queues the next attempt; a command of the Workspace to itself then makes it due, as with every other Variant. A timer
 * does so too, a little later, for a log may lose its end: no timer that was set before is about this attempt.
 */
export function retryVariant({ state, view, now }: DecisionContext, command: RetryVariant): DecideResult {
  const standing = authorize(state, command.credential, 'posts:publish');
  if (!standing.ok) return unchanged(state, standing);
  const post = loadedPost(view, postIdOfVariant(command.variantId));
  const variant = post && variantOf(post, variantNumberOf(command.variantId));
  if (!post || !variant) return refuse(state, 'not_found', 'There is no such Variant.');
  if (variant.status !== 'failed') {
    return refuse(state, 'not_retryable', `Only a failed Variant can be retried; this one is ${variant.status}.`);
  }
  if (variant.attempt >= MAX_ATTEMPTS) {
    return refuse(
      state,
      'not_retryable',
      `A Variant has ${MAX_ATTEMPTS} attempts at most, and this one had them. Create the Post again to publish it.`,
    );
  }
  // Nothing could be made ready for the Variant any more, and a publisher would find nothing to send.
  if (filesOf(post, variant).some((id) => isGone(loaded(view.assets, id)))) {
    return refuse(
      state,
      'not_retryable',
      'The files of this Post are not kept any more. Create it again with its files.',
    );
  }
  const channel = channelOf(state, variant);
  if (channel.state !== 'connected') {
    return refuse(
      state,
      'channel_disconnected',
      `${channel.name} is not connected any more. Reconnect it, then retry.`,
    );
  }
  const queued = requeue(variant, { now, channelDisconnects: channel.disconnects });
  const credits = creditsHeldBy(queued) - creditsHeldBy(variant);
  if (credits > state.xCredits.available) {
    return refuse(
      state,
      'not_retryable',
      credits === 1
        ? 'A retry on X needs a Post credit and none is left. Buy more in the app, then retry.'
        : `A retry on X needs ${credits} Post credits, one of them for its first comment, and there are fewer. Buy more in the app, then retry.`,
    );
  }
  const change = changeVariants(state, post, [queued]);
  const number = variantNumberOf(queued.id);
  const due = { postId: post.id, attempt: queued.attempt, variants: [number] };
  const timerId = `retry/${post.id}/${queued.attempt}/${number}`;
  const itsDue = { type: 'VariantsDue', workspaceId: state.id, posts: [due] } as const;
  return changedTo(change, { ok: true, kind: 'variant', variantId: variant.id }, [
    { kind: 'command', command: itsDue },
    { kind: 'due-timer', timerId, at: now + DUE_AGAIN_MS, due },
  ]);
}
