import type { Rendition } from '#ports/rendition-source.ts';
import type { PrepareAnswer } from '../contract/adapter.ts';
import { waiting, foreignUpload } from '../contract/answers.ts';
import { MEDIA_ONCE } from '../contract/verdicts.ts';
import { at, call, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { answeredText, graphPostJson, graphSummary } from '../graph/calls.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { TROUBLE } from '../graph/errors.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { TROUBLE_DELAY_MS, UPLOAD_TIMEOUT_MS } from '../contract/waits.ts';
import type { UploadProblem } from './errors.ts';
import { write, type ReelHandle } from './handle.ts';
import { pageUrl, refused, type PageWork } from './calls.ts';
import { readVideo } from './video-state.ts';

const CHUNK_BYTES = 8 * 1024 * 1024;
const STEP_BYTES = 32 * 1024 * 1024;
const MAX_CORRECTIONS = 3;
const UPLOADED_POLL_MS = 2_000;
const DOMAINS = ['.facebook.com'];

/** Gets a video and the address that takes its bytes. */
export async function begin(
  work: PageWork,
  edge: 'video_reels' | 'video_stories',
  kind: ReelHandle['kind'],
): Promise<PrepareAnswer> {
  const { publication, at: place } = work;
  const called = await graphPostJson(publication, pageUrl(work, edge), { upload_phase: 'start' });
  const [video, uploadUrl] = [answeredText(called, 'video_id'), answeredText(called, 'upload_url')];
  if (video === null || uploadUrl === null) return refused(work, called);
  if (!isTrustedAddress(uploadUrl, place.own, DOMAINS))
    return foreignUpload('Facebook', (detail) => graphSummary(called, detail));
  const begun: ReelHandle = {
    kind,
    video,
    uploadUrl,
    from: 0,
    fetched: false,
    repeated: false,
    since: publication.now,
  };
  return waiting(write(begun), graphSummary(called, `video ${video} begun`, [publication.accessToken]));
}

/** Sends what is missing, then waits until Facebook says that it has everything. */
export async function upload(work: PageWork, handle: ReelHandle, file: Rendition): Promise<PrepareAnswer> {
  const secrets = [work.publication.accessToken, handle.uploadUrl];
  let now = handle;
  // How often in this step Facebook was not further than before.
  let corrections = 0;
  for (const stopAt = now.from + STEP_BYTES; now.from < file.bytes;) {
    if (now.from >= stopAt)
      return {
        kind: 'wait',
        handle: write(now),
        delayMs: 0,
        summary: { status: 200, detail: `${now.from} of ${file.bytes} bytes sent` },
      };
    const called = await sendPiece(work, now, file);
    const problem = problemOf(called);
    if (called.kind === 'answered' && called.status === 200 && problem === null) {
      now = { ...now, from: endOf(now, file) };
      continue;
    }
    if (problem === null) return refused(work, called, { handle: now, secrets });
    const summary = graphSummary(called, `${problem.type}: ${problem.message}`, secrets);
    if (isFinal(problem))
      return { kind: 'failed', failure: { ...MEDIA_ONCE, detail: summary.detail }, handle: null, summary };
    const { state } = await readVideo(work, now.video, 'status');
    const kept = state === null ? null : (state.received ?? (problem.isProgress ? endOf(now, file) : null));
    // Not kept at all: this host takes a file whole or not at all, and a file is not held in memory whole. One that
    // says that it took the piece gets it once more, because the status may be behind.
    const isLost = problem.type === 'PartialRequestError' && kept === now.from;
    const fetched = now.fetched || (isLost && (!problem.isProgress || corrections > 0));
    corrections += kept !== null && kept > now.from ? 0 : 1;
    if (kept === null || corrections > MAX_CORRECTIONS) {
      const failure = { ...TROUBLE, delayMs: TROUBLE_DELAY_MS, detail: summary.detail };
      return { kind: 'failed', failure, handle: corrections > MAX_CORRECTIONS ? null : write(now), summary };
    }
    now = { ...now, from: kept, fetched };
  }
  return arrived(work, now, file);
}

async function arrived(work: PageWork, handle: ReelHandle, file: Rendition): Promise<PrepareAnswer> {
  const { state, called } = await readVideo(work, handle.video, 'status');
  if (state === null) return refused(work, called, { handle });
  const summary = graphSummary(
    called,
    `video ${handle.video} is ${state.failure?.detail ?? (state.isUploaded ? 'uploaded' : 'being uploaded')}`,
    [work.publication.accessToken],
  );
  if (state.failure !== null) return { kind: 'failed', failure: state.failure, handle: null, summary };
  if (state.isUploaded) return { kind: 'ready', handle: write(handle), summary };
  const from = handle.fetched ? handle.from : Math.min(state.received ?? handle.from, file.bytes);
  return waiting(write({ ...handle, from }), summary, UPLOADED_POLL_MS * work.at.waitFactor);
}

function endOf({ from, fetched }: ReelHandle, file: Rendition): number {
  return fetched ? file.bytes : Math.min(from + CHUNK_BYTES, file.bytes);
}

async function sendPiece({ publication }: PageWork, handle: ReelHandle, file: Rendition): Promise<CallResult> {
  const authorization = `OAuth ${publication.accessToken}`;
  const request = { method: 'POST', url: handle.uploadUrl, timeoutMs: UPLOAD_TIMEOUT_MS } as const;
  if (handle.fetched) return call(publication.http, { ...request, headers: { authorization, file_url: file.url } });
  const headers = {
    authorization,
    offset: String(handle.from),
    file_size: String(file.bytes),
    'content-type': 'application/octet-stream',
  };
  return call(publication.http, { ...request, headers, body: await file.read(handle.from, endOf(handle, file)) });
}

/** null: an answer without one, or none. */
function problemOf(called: CallResult): UploadProblem | null {
  if (called.kind === 'lost' || hasEnvelope(called)) return null;
  const info = at(called.json, 'debug_info');
  const type = textAt(info, 'type');
  if (type === null) return null;
  const retriable = at(info, 'retriable') === true;
  const isProgress = called.status === 206 && retriable && type === 'PartialRequestError';
  return { retriable, isProgress, type, message: textAt(info, 'message') ?? '' };
}

function hasEnvelope(answer: HttpAnswer): boolean {
  return graphProblemOf(answer).code !== null;
}

/** A wrong place or a part of a file are put right, whatever else is said of them. */
function isFinal({ retriable, type }: UploadProblem): boolean {
  return !retriable && type !== 'OffsetInvalidError' && type !== 'PartialRequestError';
}
