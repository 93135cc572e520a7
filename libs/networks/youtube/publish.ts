import { MISSING_FILE, readBytes } from '../contract/read-bytes.ts';
import type { CallSummary, PublishAnswer } from '../contract/adapter.ts';
import { isClientError, type CallResult } from '../http/call.ts';
import type { YouTubeWork } from './calls.ts';
import { isKnown, TROUBLE } from './errors.ts';
import { isAtLastPart, namedAs, placedAt, write, type UploadHandle } from './handle.ts';
import { putPart, sessionFailure, stateIn, summaryOfUpload } from './session.ts';
import { lookAgainMs } from './waiting.ts';

/** Sends the last part, whose last byte publishes the video. */
export async function publish(work: YouTubeWork, handle: UploadHandle): Promise<PublishAnswer> {
  const { publication, at } = work;
  if (handle.video !== null)
    return accepted(work, handle, {
      status: 0,
      detail: `nothing is left to send of video ${handle.video}`,
    });
  if (!isAtLastPart(handle)) throw new Error('youtube publishes with the last part; others are missing');
  // YouTube has every byte and did not say what came of them.
  if (handle.from >= handle.bytes)
    return { kind: 'unknown', summary: { status: 0, detail: `all ${handle.bytes} bytes were sent` } };
  const [file] = publication.media;
  const bytes = file?.sha256 === handle.file ? await readBytes(file, handle.from, handle.bytes) : null;
  if (bytes === 'missing') return MISSING_FILE;
  if (file === undefined || bytes === null) {
    const detail = 'the video could not be read for its last part';
    return { kind: 'failed', failure: { ...TROUBLE, detail }, summary: { status: 0, detail, isUncalled: true } };
  }
  const { contentType } = file;
  const called = await putPart(work, handle, { contentType, body: bytes, timeoutMs: at.publishTimeoutMs });
  const summary = summaryOfUpload(work, called, handle);
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return accepted(work, namedAs(handle, state), summary);
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
      return unknownUnlessRefused(work, called, handle);
  }
}

/**
 * Only a connection that was never made, or a refusal in YouTube's own words, proves that no video was made of the last
 * byte. A refused token proves it also without words: the session ends its upload with that answer, and should it have
 * the video nevertheless, the next try learns so from the session before it sends anything.
 */
function unknownUnlessRefused(work: YouTubeWork, called: CallResult, handle: UploadHandle): PublishAnswer {
  const refused = sessionFailure(work, called, handle);
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary: refused.summary } : refused;
  if (isKnown(called) || called.status === 401) return { ...refused, handle: write({ ...handle, toldAt: 0 }) };
  return isClientError(called)
    ? { kind: 'unknown', ifAbsent: refused.failure, summary: refused.summary }
    : { kind: 'unknown', summary: refused.summary };
}

function accepted(work: YouTubeWork, handle: UploadHandle, summary: CallSummary): PublishAnswer {
  return {
    kind: 'accepted',
    delayMs: lookAgainMs(work, 0),
    handle: write({ ...handle, from: handle.bytes }),
    summary,
  };
}
