import { PortError } from '#ports/errors.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { PrepareAnswer, PublishAnswer, CallSummary } from '../contract/adapter.ts';
import { summaryOf, type CallResult } from '../http/call.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { UPLOAD_TIMEOUT_MS } from '../contract/waits.ts';
import { refusedCall, type Refused, type YouTubeWork } from './calls.ts';
import { isKnown, isOddRefusal, sessionFailureOf, TROUBLE } from './errors.ts';
import { isAtLastPart, partEnd, placedAt, write, type UploadHandle } from './handle.ts';
import { askSession, beginSession, putPart, summaryOfUpload, secretsOf, stateIn } from './session.ts';
import { lookAgainMs } from './waiting.ts';

/** A place told longer ago than this may be that of a worker that died when it had sent more: the session is asked. */
const FRESH_MS = 60_000;
/** How long sessions live is not documented; after this one is not relied on. */
const SESSION_MS = 24 * 3_600_000;
const DOMAINS = ['.googleapis.com'];

/** A session is begun and gets everything but the last part. Ready when only that is missing, or nothing. */
export async function prepareUpload(
  work: YouTubeWork,
  handle: UploadHandle | null,
  file: Rendition,
): Promise<PrepareAnswer> {
  if (handle === null) return begin(work, file);
  if (handle.video !== null)
    return ready(handle, { status: 0, detail: `all of it is there, as video ${handle.video}` });
  if (work.publication.now - handle.toldAt > FRESH_MS) return resume(work, handle, file);
  if (handle.file !== file.sha256) return begin(work, file);
  if (isAtLastPart(handle)) return ready(handle, { status: 0, detail: 'all but the last part is sent' });
  return sendPart(work, handle, file);
}

/** Without bytes nothing comes of a session: one that was begun and then forgotten dies unseen. */
async function begin(work: YouTubeWork, file: Rendition): Promise<PrepareAnswer> {
  const { now, accessToken } = work.publication;
  const called = await beginSession(work, file);
  const session = called.kind === 'answered' && called.status === 200 ? (called.headers['location'] ?? '') : '';
  if (session === '') return { ...refusedCall(called, now, [accessToken]), handle: null };
  if (!isTrustedAddress(session, [work.at.upload], DOMAINS)) {
    const detail = 'YouTube gave an upload address that is none of its own';
    return {
      kind: 'failed',
      failure: { reason: 'platform_problem', retry: 'never', detail },
      handle: null,
      summary: summaryOf(called, detail),
    };
  }
  const handle: UploadHandle = {
    session,
    file: file.sha256,
    bytes: file.bytes,
    from: 0,
    toldAt: now,
    corrections: 0,
    since: now,
    video: null,
  };
  const summary = summaryOf(called, `an upload of ${file.bytes} bytes is begun`);
  return isAtLastPart(handle) ? ready(handle, summary) : { kind: 'wait', handle: write(handle), delayMs: 0, summary };
}

/** Goes on from where the session says that it is, if it still is. */
async function resume(work: YouTubeWork, handle: UploadHandle, file: Rendition): Promise<PrepareAnswer> {
  const { now } = work.publication;
  const called = await askSession(work, handle);
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return ready({ ...handle, video: state.video }, summaryOfUpload(work, called, handle));
    case 'gone':
      return begin(work, file);
    case 'partial':
      if (handle.file !== file.sha256 || now - handle.since > SESSION_MS) return begin(work, file);
      return {
        kind: 'wait',
        handle: write({ ...handle, from: Math.min(state.received, handle.bytes), toldAt: now }),
        delayMs: 0,
        summary: summaryOfUpload(work, called, handle),
      };
    case 'unread':
      return { ...refusedBySession(work, called, handle), handle: write({ ...handle, toldAt: 0 }) };
  }
}

/** Sends one part that is not the last. Each is a checkpoint. */
async function sendPart(work: YouTubeWork, handle: UploadHandle, file: Rendition): Promise<PrepareAnswer> {
  const called = await putPart(
    work,
    handle,
    file.contentType,
    await file.read(handle.from, partEnd(handle)),
    UPLOAD_TIMEOUT_MS,
  );
  const state = stateIn(called);
  if (state.kind === 'whole') return ready({ ...handle, video: state.video }, summaryOfUpload(work, called, handle));
  if (state.kind === 'partial') return goOn(work, handle, state.received, summaryOfUpload(work, called, handle));
  if (state.kind === 'gone')
    return {
      kind: 'failed',
      failure: { ...TROUBLE, detail: 'the upload session is gone' },
      handle: null,
      summary: summaryOfUpload(work, called, handle),
    };
  if (called.kind === 'answered' && isOddRefusal(called)) {
    const asked = await askSession(work, handle);
    const place = stateIn(asked);
    if (place.kind === 'partial' && place.received !== handle.from)
      return goOn(work, handle, place.received, summaryOfUpload(work, asked, handle));
  }
  return { ...refusedBySession(work, called, handle), handle: write({ ...handle, toldAt: 0 }) };
}

function goOn(work: YouTubeWork, handle: UploadHandle, received: number, summary: CallSummary): PrepareAnswer {
  const next = placedAt(handle, received, work.publication.now);
  if (next === null)
    return {
      kind: 'failed',
      failure: { ...TROUBLE, detail: 'YouTube does not take the upload any further' },
      handle: null,
      summary,
    };
  return { kind: 'wait', handle: write(next), delayMs: 0, summary };
}

/** Sends the last part, whose last byte publishes the video. */
export async function sendLastPart(work: YouTubeWork, handle: UploadHandle): Promise<PublishAnswer> {
  const { publication, at } = work;
  if (handle.video !== null)
    return accepted(work, handle, handle.video, {
      status: 0,
      detail: `nothing is left to send of video ${handle.video}`,
    });
  if (!isAtLastPart(handle)) throw new Error('youtube publishes with the last part; others are missing');
  // YouTube has every byte and did not say what came of them.
  if (handle.from >= handle.bytes)
    return { kind: 'unknown', summary: { status: 0, detail: `all ${handle.bytes} bytes were sent` } };
  const [file] = publication.media;
  const bytes = file?.sha256 === handle.file ? await lastBytes(file, handle) : null;
  if (file === undefined || bytes === null) {
    const detail = 'the video could not be read for its last part';
    return { kind: 'failed', failure: { ...TROUBLE, detail }, summary: { status: 0, detail } };
  }
  const called = await putPart(work, handle, file.contentType, bytes, at.publishTimeoutMs);
  const summary = summaryOfUpload(work, called, handle);
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return accepted(work, handle, state.video, summary);
    case 'gone':
      return { kind: 'failed', failure: { ...TROUBLE, detail: summary.detail }, handle: null, summary };
    case 'partial': {
      if (state.received >= handle.bytes) return { kind: 'unknown', summary };
      const next = placedAt(handle, state.received, publication.now);
      return {
        kind: 'failed',
        failure: { ...TROUBLE, detail: summary.detail },
        handle: next === null ? null : write(next),
        summary,
      };
    }
    case 'unread':
      return untold(work, called, handle);
  }
}

/**
 * Only a connection that was never made, or a refusal in YouTube's own words, proves that the last byte was not taken.
 */
function untold(work: YouTubeWork, called: CallResult, handle: UploadHandle): PublishAnswer {
  const refused = refusedBySession(work, called, handle);
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary: refused.summary } : refused;
  if (isKnown(called)) return { ...refused, handle: write({ ...handle, toldAt: 0 }) };
  const isRefusal = called.status >= 400 && called.status < 500 && called.status !== 408;
  return isRefusal
    ? { kind: 'unknown', ifAbsent: refused.failure, summary: refused.summary }
    : { kind: 'unknown', summary: refused.summary };
}

function accepted(work: YouTubeWork, handle: UploadHandle, video: string, summary: CallSummary): PublishAnswer {
  return {
    kind: 'accepted',
    delayMs: lookAgainMs(work, 0),
    handle: write({ ...handle, from: handle.bytes, video }),
    summary,
  };
}

function ready(handle: UploadHandle, summary: CallSummary): PrepareAnswer {
  return { kind: 'ready', handle: write(handle), summary };
}

/** Nothing has left yet, so a file that can't be read right now is no mystery. */
async function lastBytes(file: Rendition, { from, bytes }: UploadHandle): Promise<Uint8Array | null> {
  try {
    return await file.read(from, bytes);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return null;
  }
}

function refusedBySession(work: YouTubeWork, called: CallResult, handle: UploadHandle): Refused {
  return refusedCall(called, work.publication.now, secretsOf(work, handle), sessionFailureOf);
}
