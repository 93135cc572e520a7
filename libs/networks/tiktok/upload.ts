import type { Rendition } from '#ports/rendition-source.ts';
import { MISSING_FILE, readBytes } from '../contract/read-bytes.ts';
import type { Failure, PrepareAnswer, PublishAnswer, CallSummary } from '../contract/adapter.ts';
import { waiting, type FailedAnswer } from '../contract/answers.ts';
import { call, isClientError, summaryOf, type HttpAnswer, type CallResult } from '../http/call.ts';
import { tiktokFailure, type TikTokWork } from './calls.ts';
import { chunkEnd, lastChunkFrom, receivedOf } from './chunks.ts';
import { isUnknownPublication, TROUBLE } from './errors.ts';
import { write, type VideoHandle } from './handle.ts';
import { isIncomplete, readStatus } from './status.ts';
import { lookAgainMs, settleMs } from './waiting.ts';

const CHUNK_TIMEOUT_MS = 120_000;
/** TikTok may correct our place so often in a row before the upload counts as broken. */
const MAX_CORRECTIONS = 3;

/**
 * The upload address is over, or was never there. No token goes to it, so 401 and 403 speak of the address, not of the
 * account.
 */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);
const OUT_OF_PLACE = 416;

/** Sends one chunk that is not the last. Each is a checkpoint. */
export async function sendChunk(work: TikTokWork, handle: VideoHandle, file: Rendition): Promise<PrepareAnswer> {
  const end = chunkEnd(handle, handle.from);
  const { contentType } = file;
  const body = await file.read(handle.from, end);
  const called = await put(work, handle, { contentType, body, timeoutMs: CHUNK_TIMEOUT_MS });
  if (called.kind === 'lost') return { ...tiktokFailure(called, [handle.uploadUrl]), handle: write(handle) };
  if (isTaken(called)) return goOn(handle, receivedOf(called.headers, handle) ?? end, summaryOfUpload(called, handle));
  if (called.status === OUT_OF_PLACE) {
    const received =
      receivedOf(called.headers, handle) ?? (await readStatus(work, handle.publishId)).status?.uploaded ?? null;
    if (received !== null) return goOn(handle, received, summaryOfUpload(called, handle));
  }
  return refusedPut(called, handle);
}

function goOn(handle: VideoHandle, received: number, summary: CallSummary): PrepareAnswer {
  const next = placedAt(handle, received);
  if (next.gone)
    return {
      kind: 'failed',
      failure: { ...TROUBLE, detail: 'TikTok does not take the upload any further' },
      handle: write(next),
      summary,
    };
  return waiting(write(next), summary);
}

function placedAt(handle: VideoHandle, received: number): VideoHandle {
  const from = Math.min(received, handle.bytes);
  const corrections = from > handle.from ? 0 : handle.corrections + 1;
  return { ...handle, from, corrections, gone: handle.gone || corrections > MAX_CORRECTIONS };
}

/** Sends the last chunk, whose last byte publishes the video. */
export async function sendLastChunk(work: TikTokWork, handle: VideoHandle): Promise<PublishAnswer> {
  const [file] = work.publication.media;
  if (handle.from >= handle.bytes) return whatBecame(work, handle, null);
  if (handle.from < lastChunkFrom(handle)) throw new Error('tiktok publishes with the last chunk; others are missing');
  const bytes = file?.sha256 === handle.file ? await readBytes(file, handle.from, handle.bytes) : null;
  if (bytes === 'missing') return MISSING_FILE;
  if (file === undefined || bytes === null) {
    const detail = 'the video could not be read for its last part';
    return { kind: 'failed', failure: { ...TROUBLE, detail }, summary: { status: 0, detail, isUncalled: true } };
  }
  const { contentType } = file;
  const called = await put(work, handle, { contentType, body: bytes, timeoutMs: work.at.publishTimeoutMs });
  if (called.kind === 'lost')
    return called.sent
      ? { kind: 'unknown', summary: summaryOf(called, '', [handle.uploadUrl]) }
      : tiktokFailure(called, [handle.uploadUrl]);
  const isWhole =
    called.status === 201 ||
    called.status === 200 ||
    (called.status === 206 && receivedOf(called.headers, handle) === handle.bytes);
  if (isWhole)
    return {
      kind: 'accepted',
      delayMs: lookAgainMs(work, 0),
      summary: summaryOf(called, `all ${handle.bytes} bytes sent`),
    };
  if (called.status === 429)
    return { kind: 'unknown', ifAbsent: failureOfPut(called), summary: summaryOfUpload(called, handle) };
  const isRefused = called.status === 206 || isClientError(called);
  return isRefused ? whatBecame(work, handle, called) : { kind: 'unknown', summary: summaryOfUpload(called, handle) };
}

/**
 * An upload refuses its last chunk when something is missing, when it is over, and when it has it all: only the status
 * tells which.
 */
async function whatBecame(work: TikTokWork, handle: VideoHandle, refused: HttpAnswer | null): Promise<PublishAnswer> {
  const { status, called } = await readStatus(work, handle.publishId);
  if (status === null) {
    const dead = deadToken(work, called);
    // The address took no byte of the last chunk, and nothing is published without it. A place in dispute, or a part
    // that was taken, leaves that open.
    if (dead !== null && refused !== null && GONE.has(refused.status))
      return { ...dead, handle: write({ ...handle, gone: true }) };
    return {
      kind: 'unknown',
      summary: summaryOf(refused ?? called, 'the upload refused its last chunk', [
        work.publication.accessToken,
        handle.uploadUrl,
      ]),
    };
  }
  const summary = summaryOf(
    refused ?? called,
    `publication ${handle.publishId} is ${status.word}, with ${status.uploaded ?? '?'} of ${handle.bytes} bytes`,
  );
  if (status.failure !== null) return { kind: 'failed', failure: status.failure, handle: null, summary };
  if (!isIncomplete(status, handle.bytes)) return { kind: 'accepted', delayMs: lookAgainMs(work, 0), summary };
  if (refused === null || refused.status === OUT_OF_PLACE || refused.status === 206) {
    return {
      kind: 'failed',
      failure: { ...TROUBLE, detail: summary.detail },
      handle: write(placedAt(handle, status.uploaded ?? 0)),
      summary,
    };
  }
  const failure = { ...failureOfPut(refused), delayMs: settleMs(work) };
  return { kind: 'failed', failure, handle: write({ ...handle, gone: true }), summary };
}

/** The refusal of the account's token, where TikTok gave no status for that reason; null: for another reason. */
function deadToken({ publication }: TikTokWork, called: CallResult): FailedAnswer | null {
  if (called.kind === 'lost' || isUnknownPublication(called)) return null;
  const failed = tiktokFailure(called, [publication.accessToken]);
  return failed.failure.reason === 'needs_reconnect' ? failed : null;
}

interface Chunk {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** Sends the bytes from where the upload is. */
function put(
  { publication }: TikTokWork,
  handle: VideoHandle,
  { contentType, body, timeoutMs }: Chunk,
): Promise<CallResult> {
  const range = `bytes ${handle.from}-${handle.from + body.length - 1}/${handle.bytes}`;
  // The address itself lets the bytes in: no token goes there.
  const headers = { 'content-type': contentType, 'content-length': String(body.length), 'content-range': range };
  return call(publication.http, { method: 'PUT', url: handle.uploadUrl, headers, body, timeoutMs });
}

function isTaken({ status }: HttpAnswer): boolean {
  return status === 206 || status === 201 || status === 200;
}

function refusedPut(called: HttpAnswer, handle: VideoHandle): PrepareAnswer {
  const isOver = isClientError(called) && called.status !== 429;
  return {
    kind: 'failed',
    failure: failureOfPut(called),
    handle: write(isOver ? { ...handle, gone: true } : handle),
    summary: summaryOfUpload(called, handle),
  };
}

/** The upload host has no envelope. */
function failureOfPut({ status }: HttpAnswer): Failure {
  const detail = `the upload was refused with HTTP ${status}`;
  if (status === 429) return { reason: 'rate_limited', retry: 'later', delayMs: 60_000, detail };
  const isOurs = isClientError({ status }) && status !== OUT_OF_PLACE && !GONE.has(status);
  return isOurs ? { reason: 'platform_problem', retry: 'once', detail } : { ...TROUBLE, detail };
}

function summaryOfUpload(called: CallResult, handle: VideoHandle): CallSummary {
  const status = called.kind === 'answered' ? called.status : 0;
  return summaryOf(called, `HTTP ${status} to bytes from ${handle.from} of ${handle.bytes}`, [handle.uploadUrl]);
}
