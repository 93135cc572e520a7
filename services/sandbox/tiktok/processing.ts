import type { Fault, NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import type { TiktokDeps } from './asked.ts';
import type { Publication } from './publications.ts';

const PROCESSING_MS = 30_000;
const ID_SHOWN_AFTER_MS = 60_000;
const HELD_MS = 3 * 3_600_000;
const LEAST_SIDE = 360;
const MOST_SIDE = 4_096;

/** What TikTok finds when it looks at a file; null: nothing wrong. */
function judge({ contentType, width, height, durationMs }: SandboxFile, kind: Publication['kind']): string | null {
  if (kind === 'photo') {
    if (contentType !== 'image/jpeg' && contentType !== 'image/webp') return 'file_format_check_failed';
    return Math.max(width, height) > 1_920 || Math.min(width, height) > 1_080 ? 'picture_size_check_failed' : null;
  }
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 'file_format_check_failed';
  if (durationMs < 3_000 || durationMs > 600_000) return 'duration_check_failed';
  return Math.min(width, height) < LEAST_SIDE || Math.max(width, height) > MOST_SIDE ? 'picture_size_check_failed' : null;
}

/** All came (`files` null: it could not be fetched), and what becomes of it is settled: it goes live, or it fails, when processing ends. */
export function complete(publication: Publication, files: readonly SandboxFile[] | null, fault: Fault<NetworkFault> | null, now: number, deps: TiktokDeps): void {
  const { kind, accountId, text, title } = publication;
  const unfetched = kind === 'photo' ? 'photo_pull_failed' : 'video_pull_failed';
  const found = files === null ? unfetched : (files.map((file) => judge(file, kind)).find((wrong) => wrong !== null) ?? null);
  const failReason = found ?? (fault?.fault === 'processing_failed' ? (fault.reason ?? 'internal') : null);
  const stuck = fault?.fault === 'processing_stuck';
  const readyAt = stuck ? null : now + deps.timing.scaled('tiktok', PROCESSING_MS);
  const heldMs = fault?.fault === 'moderation_hold' ? deps.timing.scaled('tiktok', HELD_MS) : deps.timing.scaled('tiktok', ID_SHOWN_AFTER_MS);
  const idShownAt = readyAt === null || fault?.fault === 'tiktok_no_post_id' ? null : readyAt + heldMs;
  const postId = deps.remoteIds.next();
  deps.publications.put({ ...publication, files, failReason, readyAt, idShownAt, postId });
  if (failReason !== null || stuck) return;
  const { username } = deps.accounts.get(accountId)!;
  deps.items.add({
    network: 'tiktok',
    accountId,
    remoteId: postId,
    placement: 'feed',
    text,
    ...(title === null ? {} : { title }),
    media: files!.map(({ sha256, bytes, contentType }) => ({ sha256, bytes, contentType })),
    altTexts: files!.map(() => null),
    publishedAt: now,
    path: permalinkPath(username, kind, postId),
  });
}

export const permalinkPath = (username: string, kind: Publication['kind'], postId: string): string => `/sim/tiktok/@${username}/${kind}/${postId}`;
