import type { Rendition } from '#ports/rendition-source.ts';
import type { CallSummary, PrepareAnswer } from '../contract/adapter.ts';
import { waiting, foreignUpload, unfit } from '../contract/answers.ts';
import { summaryOf } from '../http/call.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { UPLOAD_TIMEOUT_MS } from '../contract/waits.ts';
import { youtubeFailure, type YouTubeWork } from './calls.ts';
import { isOddRefusal, TROUBLE } from './errors.ts';
import { isAtLastPart, namedAs, partEnd, placedAt, write, type UploadHandle } from './handle.ts';
import { videoOf } from './media.ts';
import { askSession, beginSession, putPart, sessionFailure, stateIn, summaryOfUpload } from './session.ts';
import { titleOf } from './title.ts';

/** An offset older than this may be that of a worker that sent more and then died: the session is asked for it. */
const FRESH_MS = 60_000;
/** How long sessions live is not documented; after this one is not relied on. */
const SESSION_MS = 24 * 3_600_000;
const DOMAINS = ['.googleapis.com'];

/** A session is begun and gets everything but the last part. Ready when only that is missing, or nothing. */
export async function prepare(work: YouTubeWork, handle: UploadHandle | null): Promise<PrepareAnswer> {
  const post = videoOf(work.publication);
  if (post.kind === 'unfit') return unfit(post.detail);
  if (titleOf(work.publication) === null) return unfit('A video on YouTube needs a title.', 'rejected_by_platform');
  const { file } = post;
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
  if (session === '') return { ...youtubeFailure(called, now, [accessToken]), handle: null };
  if (!isTrustedAddress(session, [work.at.upload], DOMAINS))
    return { ...foreignUpload('YouTube', (detail) => summaryOf(called, detail)), handle: null };
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
  return isAtLastPart(handle) ? ready(handle, summary) : waiting(write(handle), summary);
}

/** Goes on from where the session says that it is, if it still is. */
async function resume(work: YouTubeWork, handle: UploadHandle, file: Rendition): Promise<PrepareAnswer> {
  const { now } = work.publication;
  const called = await askSession(work, handle);
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return ready(namedAs(handle, state), summaryOfUpload(work, called, handle));
    case 'gone':
      return begin(work, file);
    case 'partial':
      if (handle.file !== file.sha256 || now - handle.since > SESSION_MS) return begin(work, file);
      return waiting(
        write({ ...handle, from: Math.min(state.received, handle.bytes), toldAt: now }),
        summaryOfUpload(work, called, handle),
      );
    case 'unread':
      return { ...sessionFailure(work, called, handle), handle: write({ ...handle, toldAt: 0 }) };
  }
}

/** Sends one part that is not the last. Each is a checkpoint. */
async function sendPart(work: YouTubeWork, handle: UploadHandle, file: Rendition): Promise<PrepareAnswer> {
  const { contentType } = file;
  const body = await file.read(handle.from, partEnd(handle));
  const called = await putPart(work, handle, { contentType, body, timeoutMs: UPLOAD_TIMEOUT_MS });
  const state = stateIn(called);
  if (state.kind === 'whole') return ready(namedAs(handle, state), summaryOfUpload(work, called, handle));
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
  return { ...sessionFailure(work, called, handle), handle: write({ ...handle, toldAt: 0 }) };
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
  return waiting(write(next), summary);
}

function ready(handle: UploadHandle, summary: CallSummary): PrepareAnswer {
  return { kind: 'ready', handle: write(handle), summary };
}
