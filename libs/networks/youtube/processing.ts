import type { ArmedCall, Failure, ReconcileAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { watchAddress, youtubeFailure, youtubeGet, type YouTubeWork } from './calls.ts';
import { failedFailureOf, rejectedFailureOf } from './errors.ts';
import { finish } from './finish.ts';
import { wantedPrivacy } from './session.ts';
import { isOverdue, lookAgainMs } from './waiting.ts';

const DELETED: Failure = {
  reason: 'rejected_by_platform',
  retry: 'never',
  detail: 'The video is not on YouTube any more.',
};
/** `terminated`: so long ago that YouTube forgot how it went. */
const DONE: ReadonlySet<string> = new Set(['succeeded', 'terminated']);

type Seen = 'there' | 'at work' | 'missing' | Failure;

/** A video that YouTube has whole. `privacy`: who sees it, as the upload's answer said; null: it did not say. */
export interface UploadedVideo {
  readonly video: string;
  readonly privacy: string | null;
}

/**
 * What becomes of a video that YouTube has whole. It is live unless YouTube says that it failed, or locked it to
 * private: what can't be looked at, or takes longer than failing does, is published. What the Member wanted beside the
 * video, its cover and its playlists, comes last: it needs the video, and never fails it.
 */
export async function lookAt(
  work: YouTubeWork,
  { video, privacy }: UploadedVideo,
  { armedAt }: Pick<ArmedCall, 'armedAt'>,
): Promise<ReconcileAnswer> {
  const { publication, at: place } = work;
  const called = await youtubeGet(work, '/videos', { part: 'status,processingDetails', id: video });
  const sinceMs = publication.now - armedAt;
  const seen = seenIn(called);
  const summary = summaryOf(called, `video ${video} ${wordsOf(called, seen, publication.now)}`, [
    publication.accessToken,
  ]);
  if (typeof seen === 'object') return { kind: 'failed', failure: seen, handle: null, summary };
  const locked = lockedFailure(work, video);
  // The upload's own answer counts only where no newer one can be had.
  const seenPrivacy = privacyIn(called);
  if (seenPrivacy !== null && isLocked(work, seenPrivacy))
    return { kind: 'failed', failure: locked, handle: null, summary };
  const isLooked = seen !== 'there' && !isClosed(called, publication.now);
  if (isLooked && !isOverdue(work, sinceMs))
    return { kind: 'processing', delayMs: lookAgainMs(work, sinceMs), summary };
  if (seen === 'missing') return { kind: 'failed', failure: DELETED, handle: null, summary };
  if (seenPrivacy === null && isLocked(work, privacy))
    return { kind: 'failed', failure: locked, handle: null, summary };
  const missed = await finish(work, video);
  const detail = [summary.detail, ...missed].join('; ');
  return published(video, watchAddress(place, video), summaryOf(called, detail, [publication.accessToken]));
}

/** YouTube locks what apps upload that it has not audited: whatever they asked for, only the owner sees it. */
function isLocked({ publication }: YouTubeWork, privacy: string | null): boolean {
  return privacy === 'private' && wantedPrivacy(publication) !== 'private';
}

function lockedFailure({ at: place, publication }: YouTubeWork, video: string): Failure {
  return {
    reason: 'rejected_by_platform',
    retry: 'never',
    detail:
      `YouTube locked the video to private, though it was to be ${wantedPrivacy(publication)}: it has not audited the ` +
      `app that uploaded it. The operator of Crier can ask YouTube for the audit. Until then only the owner sees the ` +
      `video, at ${watchAddress(place, video)}`,
  };
}

/** null: YouTube did not say. */
function privacyIn(called: CallResult): string | null {
  return called.kind === 'answered' && called.status === 200
    ? textAt(called.json, 'items', 0, 'status', 'privacyStatus')
    : null;
}

function seenIn(called: CallResult): Seen {
  if (called.kind === 'lost') return 'at work';
  const items = at(called.json, 'items');
  const isMissing = called.status === 404 || (called.status === 200 && Array.isArray(items) && items.length === 0);
  if (isMissing) return 'missing';
  const item = called.status === 200 ? listAt(called.json, 'items')[0] : undefined;
  const processing = textAt(item, 'processingDetails', 'processingStatus') ?? '';
  switch (textAt(item, 'status', 'uploadStatus')) {
    case 'processed':
      return 'there';
    case 'failed':
      return failedFailureOf(textAt(item, 'status', 'failureReason'));
    case 'rejected':
      return rejectedFailureOf(textAt(item, 'status', 'rejectionReason'));
    case 'deleted':
      return DELETED;
    default:
      if (processing === 'failed') return failedFailureOf(null);
      return DONE.has(processing) ? 'there' : 'at work';
  }
}

/** Looking again with this token is no use; what YouTube took it has all the same. */
function isClosed(called: CallResult, now: number): boolean {
  if (called.kind === 'lost' || called.status === 200 || called.status === 404) return false;
  const { retry } = youtubeFailure(called, now, []).failure;
  return retry !== 'later';
}

function wordsOf(called: CallResult, seen: Seen, now: number): string {
  if (typeof seen === 'object') return `is lost: ${seen.detail}`;
  if (seen === 'missing') return 'is not to be seen';
  if (called.kind === 'lost' || called.status !== 200)
    return `could not be looked at: ${youtubeFailure(called, now, []).failure.detail}`;
  const upload = textAt(called.json, 'items', 0, 'status', 'uploadStatus');
  const privacy = privacyIn(called);
  return `is ${upload ?? 'without a status'}${privacy === null ? '' : `, ${privacy}`}`;
}
