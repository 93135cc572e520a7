import type { Asset } from '../../media/asset.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import { coverOfVariant } from '../../post/covers.ts';
import { variantNumberOf } from '../../post/ids.ts';
import type { Post, PostFile, Variant } from '../../post/post.ts';
import { cancelByDisconnect, markFailed, withMediaReady } from '../../variant/moves.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { FileFetched, MediaFailed, MediaPrepared } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { changedTo, changeVariants, endedByDisconnect, loaded, loadedPost, variantOf } from '../post-changes.ts';
import { removeAssets } from '../remove-assets.ts';
import { unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import { comeDue, dueEffects } from './come-due.ts';

/**
 * From now on the Post shows the file, unless it is the picture of a cover, and its size, which was not known before,
 * counts against the Plan's storage. A file that is more than the Plan has room for is removed, and the Variants that
 * wait for it fail. A repeat, and a report of a removed file, change nothing.
 */
export function fileFetched(situation: DecisionContext, { postId, assetId, facts, blob }: FileFetched): DecideResult {
  const { state, view } = situation;
  const post = loadedPost(view, postId);
  const asset = loaded(view.assets, assetId);
  if (post === null || asset === null || asset.state !== 'attached' || asset.postId !== postId || asset.facts !== null)
    return unchanged(state);
  const fetched: Asset = { ...asset, facts, blob, countedBytes: facts.bytes };
  const bytes = state.storage.bytes - asset.countedBytes + fetched.countedBytes;
  if (!allows(state.plan, 'storageBytes', bytes)) return withoutRoom(situation, post, asset, facts.bytes);
  const isShown = post.media.some((file) => file.assetId === assetId);
  const stored: PostFile['stored'] = { blob, contentType: facts.contentType };
  const media = post.media.map((file) => (file.assetId === assetId ? { ...file, kind: facts.kind, stored } : file));
  const next = { ...post, media };
  const effects: Effect[] = [{ kind: 'asset-changed', asset: fetched }];
  if (isShown) effects.push({ kind: 'content-changed', post: next });
  return { state: { ...state, storage: { bytes } }, posts: isShown ? [next] : [], result: null, effects, rest: null };
}

const MB = 1_000_000;

/** They fail at once, as with a file that can not be fetched. */
function withoutRoom(situation: DecisionContext, post: Post, asset: Asset, bytes: number): DecideResult {
  const { state } = situation;
  const removed = removeAssets(state, [asset], 'no room');
  const size = `${(Math.ceil((10 * bytes) / MB) / 10).toLocaleString('en-US')} MB`;
  const detail = `${planAllows(state.plan, 'storageBytes')}, and a file of this Post has ${size}, which is more than is left. Make room or choose a larger Plan, and create the Post again.`;
  const isShown = post.media.some((file) => file.assetId === asset.id);
  const needsIt = (variant: Variant): boolean => {
    const cover = coverOfVariant(variant, post.channelOptions);
    return isShown || (cover?.kind === 'picture' && cover.assetId === asset.id);
  };
  const failed = failWaiting({ ...situation, state: removed.state }, post, post.variants.filter(needsIt), detail);
  return { ...failed, effects: [...removed.effects, ...failed.effects] };
}

/** Variants that are due publish at once; the others wait for their instant. */
export function mediaPrepared(situation: DecisionContext, { postId, variants }: MediaPrepared): DecideResult {
  const { state, view, now } = situation;
  const post = loadedPost(view, postId);
  if (post === null) return unchanged(state);
  const changed = variants.flatMap((number): Variant[] => {
    const variant = variantOf(post, number);
    if (variant === undefined || variant.mediaReady) return [];
    const ready = withMediaReady(variant);
    return [ready.status === 'scheduled' && isDue(ready, now) ? comeDue(situation, ready) : ready];
  });
  if (changed.length === 0) return unchanged(state);
  const change = changeVariants(state, post, changed);
  // A Variant that had ended before causes nothing: the event of its outcome was sent when it ended.
  const following = changed
    .filter(({ id }) => variantOf(post, variantNumberOf(id))?.status === 'scheduled')
    .flatMap((variant) => dueEffects({ ...situation, state: change.state }, change.post, variant));
  return changedTo(change, null, [...following, ...dueSoon(situation, post, changed)]);
}

/** What nobody chose an instant for is due at once, though the clock may have led when it was made. */
function isDue({ dueAt, scheduledAt, attempt }: Variant, now: number): boolean {
  return dueAt <= now || scheduledAt === null || attempt > 1;
}

/**
 * The timer of a Variant that is due within seconds may have fired already, by a scheduler whose clock is a little
 * ahead of ours. It found the files not ready, and nothing else would publish the Variant before its missed window
 * ends.
 */
function dueSoon({ now }: DecisionContext, post: Post, ready: readonly Variant[]): readonly Effect[] {
  const soon = ready.filter(
    ({ status, dueAt }) => status === 'scheduled' && dueAt > now && dueAt - now <= CLOCK_SKEW_MS,
  );
  return [...Map.groupBy(soon, ({ attempt }) => attempt)].map(([attempt, variants]) => {
    const due = { postId: post.id, attempt, variants: variants.map(({ id }) => variantNumberOf(id)) };
    return {
      kind: 'due-timer',
      timerId: `due/${post.id}/${attempt}/${due.variants[0]}/${now}`,
      at: Math.max(...variants.map(({ dueAt }) => dueAt)),
      due,
    };
  });
}

/** They fail at once and not when they are due, which leaves time to create the Post anew. */
export function mediaFailed(
  situation: DecisionContext,
  { postId, attempt, variants, detail }: MediaFailed,
): DecideResult {
  const { state, view } = situation;
  const post = loadedPost(view, postId);
  if (post === null) return unchanged(state);
  const named = variants
    .map((number) => variantOf(post, number))
    .filter((variant) => variant !== undefined && variant.attempt === attempt);
  return failWaiting(
    situation,
    post,
    named.filter((variant) => variant !== undefined),
    detail,
  );
}

/** Those of the Variants that wait for their files. */
function failWaiting(
  situation: DecisionContext,
  post: Post,
  variants: readonly Variant[],
  detail: string,
): DecideResult {
  const { state } = situation;
  const changed = variants
    .filter(({ status, mediaReady }) => status === 'scheduled' && !mediaReady)
    .map((variant): Variant => {
      const ended = endedByDisconnect(state, variant);
      return ended ? cancelByDisconnect(variant, ended) : markFailed(variant, 'media_problem', detail);
    });
  if (changed.length === 0) return unchanged(state);
  const change = changeVariants(state, post, changed);
  return changedTo(
    change,
    null,
    changed.flatMap((variant) => dueEffects({ ...situation, state: change.state }, change.post, variant)),
  );
}
