import type { SandboxFile } from '../files/files.ts';
import { isPostedOut, postsOf, type TiktokCallOptions } from './publish-request.ts';
import { PUBLIC } from './post-info.ts';
import type { TiktokPublication } from './publications.ts';

const PROCESSING_MS = 30_000;
const ID_SHOWN_AFTER_MS = 60_000;
const HELD_MS = 3 * 3_600_000;

const MIN_MS = 3_000;
const MIN_SIDE = 360;
const MAX_SIDE = 4_096;
const PHOTO_SIDES = { long: 1_920, short: 1_080 };

/** The problem that TikTok finds in a file; null: none. */
export function judge(
  { contentType, width, height, durationMs }: SandboxFile,
  kind: TiktokPublication['kind'],
  longestMs: number,
): string | null {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (kind === 'photo') {
    if (contentType !== 'image/jpeg' && contentType !== 'image/webp') return 'file_format_check_failed';
    return long > PHOTO_SIDES.long || short > PHOTO_SIDES.short ? 'picture_size_check_failed' : null;
  }
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 'file_format_check_failed';
  if (durationMs < MIN_MS || durationMs > longestMs) return 'duration_check_failed';
  return short < MIN_SIDE || long > MAX_SIDE ? 'picture_size_check_failed' : null;
}

/** Why it does not become a post; null: it does. */
function failReasonOf(
  { kind, accountId, fate }: TiktokPublication,
  files: readonly SandboxFile[] | null,
  now: number,
  options: TiktokCallOptions,
): string | null {
  if (files === null) return kind === 'photo' ? 'photo_pull_failed' : 'video_pull_failed';
  const found = files
    .map((file) => judge(file, kind, options.limits.get('videoSeconds') * 1_000))
    .find((wrong) => wrong !== null);
  if (found !== undefined) return found;
  if (fate?.fault === 'processing_failed') return fate.reason ?? 'internal';
  return isPostedOut(accountId, options, now) ? 'spam_risk_too_many_posts' : null;
}

/**
 * The upload is complete (`files` null: it could not be fetched), and its outcome is decided: it goes live, or it
 * fails, when processing ends.
 */
export function complete(
  publication: TiktokPublication,
  files: readonly SandboxFile[] | null,
  now: number,
  options: TiktokCallOptions,
): void {
  const { timing, publications, remoteIds } = options;
  const { fate, privacy } = publication;
  const failReason = failReasonOf(publication, files, now, options);
  const isStuck = fate?.fault === 'processing_stuck';
  const readyAt = isStuck ? null : now + timing.scaled('tiktok', PROCESSING_MS);
  const settled = { ...publication, files: files ?? [], failReason, readyAt };
  if (failReason !== null || readyAt === null) return publications.put(settled);
  const isNeverTold = fate?.fault === 'tiktok_no_post_id' || privacy !== PUBLIC;
  const heldMs = timing.scaled('tiktok', fate?.fault === 'moderation_hold' ? HELD_MS : ID_SHOWN_AFTER_MS);
  const postId = remoteIds.next();
  publications.put({ ...settled, postId, idShownAt: isNeverTold ? null : readyAt + heldMs });
  goLive(settled, postId, now, options);
}

function goLive(
  { accountId, kind, text, title, options = {}, files }: TiktokPublication,
  postId: string,
  now: number,
  { accounts, items, uses }: TiktokCallOptions,
): void {
  uses.add(postsOf(accountId), now);
  items.add({
    network: 'tiktok',
    accountId,
    remoteId: postId,
    placement: 'feed',
    text,
    ...(title === null ? {} : { title }),
    media: files!.map(({ sha256, bytes, contentType }) => ({ sha256, bytes, contentType })),
    altTexts: files!.map(() => null),
    publishedAt: now,
    path: `/sim/tiktok/@${accounts.get(accountId)!.username}/${kind}/${postId}`,
    options,
  });
}
