import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { neverKnown } from '../contract/answers.ts';
import { comparable } from '../contract/comparable-text.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { youtubeFailure, youtubeGet, type YouTubeWork } from './calls.ts';
import { lookAt } from './processing.ts';
import { titleOf } from './title.ts';
import { listAgainMs, retryMs } from './waiting.ts';

/** The name of the account fact that holds the id of the channel's list of uploads; kept when it is connected. */
export const UPLOADS = 'uploads';
const MAX_LISTED = '25';

/**
 * A session that is gone tells nothing. The list proves presence, never absence: the last byte may have been sent, or
 * not.
 */
export async function findInUploads(work: YouTubeWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { publication } = work;
  const sinceMs = publication.now - armed.armedAt;
  const playlistId = publication.accountFacts[UPLOADS];
  if (playlistId === undefined)
    return neverKnown({ status: 0, detail: 'the upload session is gone, and the list of uploads is not known' });
  const called = await youtubeGet(work, '/playlistItems', {
    part: 'snippet,contentDetails',
    playlistId,
    maxResults: MAX_LISTED,
  });
  const items = itemsIn(called);
  if (items === null) return unlisted(work, called, armed, sinceMs);
  const found = items.filter((item) => isOurs(work, item) && wasMadeSince(item, armed.armedAt));
  const [video, ...others] = found
    .map((item) => textAt(item, 'contentDetails', 'videoId') ?? textAt(item, 'snippet', 'resourceId', 'videoId'))
    .filter((id) => id !== null);
  if (others.length > 0)
    return neverKnown(summaryOf(called, 'the upload session is gone, and several uploads have this title and text'));
  if (video !== undefined) return lookAt(work, { video, privacy: null }, armed);
  return {
    kind: 'unknown',
    delayMs: listAgainMs(work, sinceMs),
    summary: summaryOf(
      called,
      'the upload session is gone, and the list of uploads does not show the video, which proves nothing',
    ),
  };
}

/** null: it could not be read. A channel without uploads may have no list. */
export function itemsIn(called: CallResult): readonly unknown[] | null {
  if (called.kind === 'lost') return null;
  if (called.status === 404) return [];
  return called.status === 200 && Array.isArray(at(called.json, 'items')) ? listAt(called.json, 'items') : null;
}

function unlisted(
  { publication }: YouTubeWork,
  called: CallResult,
  { asked }: ArmedCall,
  sinceMs: number,
): ReconcileAnswer {
  const { failure, summary } = youtubeFailure(called, publication.now, [publication.accessToken]);
  const delayMs = retryMs(sinceMs, asked);
  const isRefused = failure.retry === 'refresh' || failure.retry === 'afterReconnect';
  return { kind: 'unknown', delayMs, ...(isRefused ? { tokenRefused: true } : {}), summary };
}

/** The text, where the list has it, tells apart what has the same title. */
export function isOurs({ publication }: YouTubeWork, item: unknown): boolean {
  if (comparable(textAt(item, 'snippet', 'title') ?? '') !== comparable(titleOf(publication) ?? '')) return false;
  const text = at(item, 'snippet', 'description');
  return typeof text !== 'string' || comparable(text) === comparable(publication.text);
}

export function wasMadeSince(item: unknown, instant: number): boolean {
  return Date.parse(textAt(item, 'snippet', 'publishedAt') ?? '') >= instant - NETWORK_CLOCK_SKEW_MS;
}
