import { sinceArmedMs } from '../contract/waits.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { ArmedCall, PrepareAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { waiting, foreignUpload } from '../contract/answers.ts';
import { summaryOf } from '../http/call.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { dataText, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';
import { chunksOf, lastChunkFrom } from './chunks.ts';
import { askLeave } from './creator.ts';
import { isUnknownPublication, TROUBLE } from './errors.ts';
import { write, type VideoHandle } from './handle.ts';
import { videoInfo } from './post-info.ts';
import { levelOf } from './privacy.ts';
import { judgeStatus, unread } from './status-answer.ts';
import { isIncomplete, readStatus } from './status.ts';
import { sendChunk } from './upload.ts';
import { settleMs } from './waiting.ts';

/** Upload addresses live an hour; none is begun to be used shortly before. */
const UPLOAD_MS = 55 * 60_000;
const DOMAINS = ['.tiktokapis.com'];

/** An upload is begun and gets everything but the last chunk. Ready when only that is missing. */
export async function prepareVideo(
  work: TikTokWork,
  handle: VideoHandle | null,
  file: Rendition,
): Promise<PrepareAnswer> {
  if (handle === null || handle.file !== file.sha256) return begin(work, file);
  if (isOver(handle, work.publication.now) || isForOthers(handle, work)) return replace(work, handle, file);
  if (handle.from < lastChunkFrom(handle)) return sendChunk(work, handle, file);
  return { kind: 'ready', handle: write(handle), summary: { status: 0, detail: 'all but the last chunk is sent' } };
}

function isOver({ gone, since }: VideoHandle, now: number): boolean {
  return gone || now - since > UPLOAD_MS;
}

/** The privacy was chosen anew, as with a retry: what was begun for other people must not be published. */
function isForOthers({ privacy }: VideoHandle, { publication }: TikTokWork): boolean {
  const level = levelOf(publication.options.privacy);
  return level !== null && level !== privacy;
}

async function begin(work: TikTokWork, file: Rendition): Promise<PrepareAnswer> {
  const { publication, at: place } = work;
  const asked = await askLeave(work);
  if (asked.kind === 'failed') return asked;
  const { creator, level } = asked;
  if (creator.longestMs !== null && file.durationMs !== null && file.durationMs > creator.longestMs) {
    const detail = `TikTok lets this account post videos of at most ${creator.longestMs / 1000} seconds; this one has ${Math.ceil(file.durationMs / 1000)}.`;
    return {
      kind: 'failed',
      failure: { reason: 'media_problem', retry: 'never', detail },
      handle: null,
      summary: { status: 0, detail },
    };
  }
  const { chunkBytes, count } = chunksOf(file.bytes);
  const source = { source: 'FILE_UPLOAD', video_size: file.bytes, chunk_size: chunkBytes, total_chunk_count: count };
  const called = await tiktokPost(work, '/v2/post/publish/video/init/', {
    post_info: videoInfo(publication, creator, level),
    source_info: source,
  });
  const [publishId, uploadUrl] = [dataText(called, 'publish_id'), dataText(called, 'upload_url')];
  // Without bytes nothing is published: an upload that was begun and then forgotten dies unseen.
  if (publishId === null || uploadUrl === null)
    return { ...tiktokFailure(called, [publication.accessToken]), handle: null };
  if (!isTrustedAddress(uploadUrl, [place.api], DOMAINS))
    return { ...foreignUpload('TikTok', (detail) => summaryOf(called, detail)), handle: null };
  const upload = {
    publishId,
    uploadUrl,
    file: file.sha256,
    bytes: file.bytes,
    chunkBytes,
    from: 0,
    corrections: 0,
    gone: false,
  };
  const handle = write({
    kind: 'video',
    ...upload,
    creator: creator.username,
    privacy: level,
    since: publication.now,
  });
  const summary = summaryOf(called, `publication ${publishId} begun`, [publication.accessToken, uploadUrl]);
  return count === 1 ? { kind: 'ready', handle, summary } : waiting(handle, summary);
}

/** An upload that is over gives way to a new one, once TikTok has said that nothing came of it. */
async function replace(work: TikTokWork, handle: VideoHandle, file: Rendition): Promise<PrepareAnswer> {
  const { status, called } = await readStatus(work, handle.publishId);
  if (status === null) {
    const isUnknown = called.kind === 'answered' && isUnknownPublication(called);
    return isUnknown ? begin(work, file) : tiktokFailure(called, [work.publication.accessToken]);
  }
  const isAlive =
    status.failure === null && !(status.word === 'PROCESSING_UPLOAD' && (status.uploaded ?? 0) < handle.bytes);
  if (!isAlive) return begin(work, file);
  // Goes on as ready, with nothing left to send: publishing then only looks.
  return {
    kind: 'ready',
    handle: write({ ...handle, from: handle.bytes }),
    summary: summaryOf(called, `publication ${handle.publishId} is ${status.word}`),
  };
}

/** By what TikTok has of it: all, then its word counts; less, then the rest can be sent to the same upload. */
export async function reconcileVideo(
  work: TikTokWork,
  handle: VideoHandle,
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  const { publication } = work;
  const { status, called } = await readStatus(work, handle.publishId);
  if (status === null) return unread(work, called, armed);
  if (!isIncomplete(status, handle.bytes))
    return judgeStatus(work, { ...handle, place: 'video' }, { status, called }, armed);
  const received = status.uploaded ?? 0;
  const summary = summaryOf(called, `publication ${handle.publishId} has ${received} of ${handle.bytes} bytes`);
  if (armed.asked === 0 || sinceArmedMs(armed, publication.now) < settleMs(work))
    return { kind: 'unknown', delayMs: settleMs(work) + (armed.clockSkewMs ?? 0), summary };
  if (received === handle.from && !isOver(handle, publication.now)) return { kind: 'absent', summary };
  return {
    kind: 'failed',
    failure: { ...TROUBLE, delayMs: 0, detail: summary.detail },
    handle: write({ ...handle, from: received }),
    summary,
  };
}
