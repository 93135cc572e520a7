import type { Rendition } from '#ports/rendition-source.ts';
import type { CallSummary, Publication } from '../contract/adapter.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { call, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { youtubeFailure, type YouTubeWork } from './calls.ts';
import { sessionFailureOf } from './errors.ts';
import type { UploadHandle } from './handle.ts';
import { titleOf } from './title.ts';

/** "People & Blogs", YouTube's own default. */
const CATEGORY = '22';

/**
 * Begins a session, which tells of wrong titles and texts and of spent quotas before anything exists. One without bytes
 * becomes nothing.
 */
export function beginSession({ at, publication }: YouTubeWork, file: Rendition): Promise<CallResult> {
  const { notifySubscribers = true } = publication.options;
  const query = new URLSearchParams({
    uploadType: 'resumable',
    part: 'snippet,status',
    notifySubscribers: String(notifySubscribers),
  });
  const body = JSON.stringify(resourceOf(publication));
  const headers = {
    authorization: `Bearer ${publication.accessToken}`,
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-type': file.contentType,
    'x-upload-content-length': String(file.bytes),
  };
  return call(publication.http, {
    method: 'POST',
    url: `${at.upload}/videos?${query}`,
    headers,
    body,
    timeoutMs: CALL_TIMEOUT_MS,
  });
}

function resourceOf(publication: Publication): object {
  const { categoryId = CATEGORY, tags = [], madeForKids = false, syntheticMedia } = publication.options;
  return {
    snippet: {
      title: titleOf(publication),
      description: publication.text,
      categoryId,
      ...(tags.length === 0 ? {} : { tags }),
    },
    status: {
      privacyStatus: wantedPrivacy(publication),
      selfDeclaredMadeForKids: madeForKids,
      ...(syntheticMedia === undefined ? {} : { containsSyntheticMedia: syntheticMedia }),
    },
  };
}

/** Who is to see the video, in YouTube's words. */
export function wantedPrivacy({ options }: Pick<Publication, 'options'>): 'public' | 'unlisted' | 'private' {
  const { privacy } = options;
  return privacy === 'unlisted' || privacy === 'private' ? privacy : 'public';
}

interface UploadPart {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** Sends the bytes from where the session is. */
export function putPart(
  { publication }: YouTubeWork,
  handle: UploadHandle,
  { contentType, body, timeoutMs }: UploadPart,
): Promise<CallResult> {
  const range = `bytes ${handle.from}-${handle.from + body.length - 1}/${handle.bytes}`;
  const headers = {
    authorization: `Bearer ${publication.accessToken}`,
    'content-type': contentType,
    'content-length': String(body.length),
    'content-range': range,
  };
  return call(publication.http, { method: 'PUT', url: handle.session, headers, body, timeoutMs });
}

/** Asks how far a session came; one that has everything gives its last answer again. Sends nothing. */
export function askSession({ publication }: YouTubeWork, { session, bytes }: UploadHandle): Promise<CallResult> {
  const headers = {
    authorization: `Bearer ${publication.accessToken}`,
    'content-length': '0',
    'content-range': `bytes */${bytes}`,
  };
  return call(publication.http, { method: 'PUT', url: session, headers, timeoutMs: CALL_TIMEOUT_MS });
}

export type SessionState =
  /** All of it is there, and has become a video. `privacy`: who sees it, in YouTube's words; null: not said. */
  | { readonly kind: 'whole'; readonly video: string; readonly privacy: string | null }
  | { readonly kind: 'partial'; readonly received: number }
  /** The session is over, or was never there. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unread' };

const RANGE = /^(?:bytes[= ])?0-([0-9]+)$/i;

/** What a session's answer says of it. */
export function stateIn(called: CallResult): SessionState {
  if (called.kind === 'lost') return { kind: 'unread' };
  const { status, headers, json } = called;
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 200 || status === 201) {
    const video = textAt(json, 'id');
    const privacy = textAt(json, 'status', 'privacyStatus');
    return video === null ? { kind: 'unread' } : { kind: 'whole', video, privacy };
  }
  if (status !== 308) return { kind: 'unread' };
  const range = headers['range']?.trim();
  // No range: not a byte was kept.
  const received = range === undefined || range === '' ? 0 : Number(RANGE.exec(range)?.[1] ?? Number.NaN) + 1;
  return Number.isSafeInteger(received) ? { kind: 'partial', received } : { kind: 'unread' };
}

/** A session's address is a credential: it is enough to send to the session. */
export function secretsOf({ publication }: YouTubeWork, { session }: Pick<UploadHandle, 'session'>): readonly string[] {
  const id = (URL.canParse(session) ? new URL(session).searchParams.get('upload_id') : null) ?? '';
  // A short one would blot out words, and is none of Google's.
  return [publication.accessToken, session, ...(id.length < 8 ? [] : [id])];
}

/** A call to a session that did not do what it should, as a failure. */
export function sessionFailure(work: YouTubeWork, called: CallResult, handle: UploadHandle): FailedAnswer {
  return youtubeFailure(called, work.publication.now, secretsOf(work, handle), sessionFailureOf);
}

export function summaryOfUpload(work: YouTubeWork, called: CallResult, handle: UploadHandle): CallSummary {
  return summaryOf(called, wordsOf(called, handle), secretsOf(work, handle));
}

/** '' for a lost answer: its own message says it. */
function wordsOf(called: CallResult, { bytes, from }: UploadHandle): string {
  if (called.kind === 'lost') return '';
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return `all ${bytes} bytes are there, as video ${state.video}`;
    case 'partial':
      return `${state.received} of ${bytes} bytes are there`;
    case 'gone':
      return `the upload session is gone, at ${from} of ${bytes} bytes`;
    case 'unread':
      return `HTTP ${called.status} at ${from} of ${bytes} bytes`;
  }
}
