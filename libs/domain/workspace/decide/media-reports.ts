import type { Asset } from '../../media/asset.ts';
import type { PostFile, Variant } from '../../post/post.ts';
import { cancelByDisconnect, markFailed, withMediaReady } from '../../variant/moves.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { FileFetched, MediaFailed, MediaPrepared } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { changedTo, changeVariants, endedByDisconnect, loaded, loadedPost, variantOf } from '../post-changes.ts';
import { unchanged, type Outcome, type Situation } from '../situation.ts';
import { comeDue, dueEffects } from './come-due.ts';

/**
 * The Post shows the file from now on, and it counts against the Plan's storage: how large it is was not known before. Told again, or of
 * a file that was removed since, it changes nothing.
 */
export function fileFetched({ state, view }: Situation, { postId, assetId, facts, blob }: FileFetched): Outcome {
  const post = loadedPost(view, postId);
  const asset = loaded(view.assets, assetId);
  if (post === null || asset === null || asset.state !== 'attached' || asset.postId !== postId || asset.facts !== null) return unchanged(state);
  const fetched: Asset = { ...asset, facts, blob, countedBytes: facts.bytes };
  const stored: PostFile['stored'] = { blob, contentType: facts.contentType };
  const media = post.media.map((file) => (file.assetId === assetId ? { ...file, kind: facts.kind, stored } : file));
  const next = { ...post, media };
  const bytes = state.storage.bytes - asset.countedBytes + fetched.countedBytes;
  const effects: readonly Effect[] = [{ kind: 'asset-changed', asset: fetched }, { kind: 'content-changed', post: next }];
  return { state: { ...state, storage: { bytes } }, posts: [next], result: null, effects, rest: null };
}

/** Those that are due go on at once. */
export function mediaPrepared(situation: Situation, { postId, variants }: MediaPrepared): Outcome {
  const { state, view, now } = situation;
  const post = loadedPost(view, postId);
  if (post === null) return unchanged(state);
  const changed = variants.flatMap((number): Variant[] => {
    const variant = variantOf(post, number);
    if (variant === undefined || variant.mediaReady) return [];
    const ready = withMediaReady(variant);
    return [ready.status === 'scheduled' && ready.dueAt - now <= CLOCK_SKEW_MS ? comeDue(situation, ready) : ready];
  });
  if (changed.length === 0) return unchanged(state);
  const change = changeVariants(state, post, changed);
  return changedTo(change, null, changed.flatMap((variant) => dueEffects({ ...situation, state: change.state }, change.post, variant)));
}

/** At once, not when they are due: there is time to make the Post anew. */
export function mediaFailed(situation: Situation, { postId, attempt, variants, detail }: MediaFailed): Outcome {
  const { state, view } = situation;
  const post = loadedPost(view, postId);
  if (post === null) return unchanged(state);
  const changed = variants.flatMap((number): Variant[] => {
    const variant = variantOf(post, number);
    if (variant === undefined || variant.mediaReady || variant.status !== 'scheduled' || variant.attempt !== attempt) return [];
    const ended = endedByDisconnect(state, variant);
    return [ended ? cancelByDisconnect(variant, ended) : markFailed(variant, 'media_problem', detail)];
  });
  if (changed.length === 0) return unchanged(state);
  const change = changeVariants(state, post, changed);
  return changedTo(change, null, changed.flatMap((variant) => dueEffects({ ...situation, state: change.state }, change.post, variant)));
}
