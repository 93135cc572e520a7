import type { ArmedCall, Failure, ReconcileAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { youtubeFailure, youtubeGet, type YouTubeWork } from './calls.ts';
import { failedFailureOf, rejectedFailureOf } from './errors.ts';
import { isOverdue, lookAgainMs } from './waiting.ts';

const DELETED: Failure = {
  reason: 'rejected_by_platform',
  retry: 'never',
  detail: 'The video is not on YouTube any more.',
};
/** `terminated`: so long ago that YouTube forgot how it went. */
const DONE: ReadonlySet<string> = new Set(['succeeded', 'terminated']);

type Seen = 'there' | 'at work' | 'missing' | Failure;

/**
 * What becomes of a video that YouTube has whole. It is live unless YouTube says that it failed: what can't be looked
 * at, or takes longer than failing does, is published.
 */
export async function lookAt(
  work: YouTubeWork,
  video: string,
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
  const isLooked = seen !== 'there' && !isClosed(called, publication.now);
  if (isLooked && !isOverdue(work, sinceMs))
    return { kind: 'processing', delayMs: lookAgainMs(work, sinceMs), summary };
  if (seen === 'missing') return { kind: 'failed', failure: DELETED, handle: null, summary };
  return published(video, `${place.site}/watch?v=${encodeURIComponent(video)}`, summary);
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
  const [upload, privacy] = [
    textAt(called.json, 'items', 0, 'status', 'uploadStatus'),
    textAt(called.json, 'items', 0, 'status', 'privacyStatus'),
  ];
  return `is ${upload ?? 'without a status'}${privacy === null ? '' : `, ${privacy}`}`;
}
