import type { Rendition } from '#ports/rendition-source.ts';
import type { PrepareAnswer, CallSummary } from '../contract/adapter.ts';
import { waiting, type FailedAnswer } from '../contract/answers.ts';
import { at, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { isGood, refused, xGet, xPost, xSendBytes, type XWork } from './calls.ts';
import { processingFailureOf } from './errors.ts';
import { withFile, write, type XFile, type XHandle } from './handle.ts';
import { categoryOf, descriptionOf, PIECE_BYTES } from './media.ts';

/** How much is sent between two checkpoints. */
const STEP_BYTES = 32 * 1024 * 1024;
/** Unless X says when to look again; and whatever it says. */
const LOOK_SECONDS = 5;
const MAX_LOOK_SECONDS = 600;
const PROCESSING_MS = 30 * 60_000;

const UPLOAD = '/2/media/upload';

/** One of a post's files; `index`: its place. All of the handle's files before it are ready. */
export interface FileWork {
  readonly work: XWork;
  readonly handle: XHandle;
  readonly index: number;
  readonly file: Rendition;
}

/**
 * Begins the upload that `send` fills. Pictures go this way too: the one call that X has for them takes no
 * `media_type`, so X would guess what they are.
 */
export async function begin(one: FileWork): Promise<PrepareAnswer> {
  const { work, file } = one;
  const called = await xPost(work, `${UPLOAD}/initialize`, {
    media_type: file.contentType,
    total_bytes: file.bytes,
    media_category: categoryOf(file),
  });
  const media = isGood(called) ? textAt(called.json, 'data', 'id') : null;
  if (media === null) return { ...refused(work, called, 'upload'), handle: write(one.handle) };
  const key = textAt(called.kind === 'answered' ? called.json : null, 'data', 'media_key');
  const begun: XFile = { media, key, state: 'sending', sent: 0, since: work.publication.now };
  return kept(one, begun, summarize(work, called, `file ${media} begun`));
}

/** What is missing. Sending a piece twice is safe until the upload is ended. */
export async function send(one: FileWork, upload: XFile): Promise<PrepareAnswer> {
  const { work, file } = one;
  let { sent } = upload;
  let summary: CallSummary = { status: 0, detail: '' };
  for (const stopAt = Math.min(sent + STEP_BYTES, file.bytes); sent < stopAt;) {
    const end = Math.min(sent + PIECE_BYTES, file.bytes);
    const fields = { segment_index: String(sent / PIECE_BYTES) };
    const called = await xSendBytes(work, `${pathOf(upload)}/append`, fields, { file, from: sent, to: end });
    if (!isGood(called)) return gone(one, { ...upload, sent }, refused(work, called, 'upload'));
    sent = end;
    summary = summarize(work, called, `${sent} of ${file.bytes} bytes of file ${upload.media} sent`);
  }
  return kept(one, { ...upload, sent }, summary);
}

/**
 * Ends the upload. A refusal may mean that it was ended before, by a worker that died or whose answer was lost.
 */
export async function end(one: FileWork, upload: XFile): Promise<PrepareAnswer> {
  const { work } = one;
  const called = await xPost(work, `${pathOf(upload)}/finalize`, null);
  if (isGood(called)) return arrived(one, upload, called);
  const answer = refused(work, called, 'upload');
  if (answer.failure.reason !== 'media_problem') return gone(one, upload, answer);
  const looked = await xGet(work, statusPath(upload));
  return isGood(looked) && at(looked.json, 'data', 'processing_info') !== undefined
    ? arrived(one, upload, looked)
    : gone(one, upload, answer);
}

export async function look(one: FileWork, upload: XFile): Promise<PrepareAnswer> {
  const called = await xGet(one.work, statusPath(upload));
  return isGood(called) ? arrived(one, upload, called) : gone(one, upload, refused(one.work, called, 'upload'));
}

export async function describe(one: FileWork, upload: XFile): Promise<PrepareAnswer> {
  const { work, file } = one;
  const called = await xPost(work, '/2/media/metadata', {
    id: upload.media,
    metadata: { alt_text: { text: descriptionOf(file) } },
  });
  if (!isGood(called)) return { ...refused(work, called, 'other'), handle: write(one.handle) };
  return kept(
    one,
    { ...upload, state: 'ready', since: work.publication.now },
    summarize(work, called, `file ${upload.media} described`),
  );
}

/** X has the whole file: what the answer says of its processing. A readable answer without a state: it is done. */
function arrived(one: FileWork, upload: XFile, called: CallResult): PrepareAnswer {
  const { work, handle, index, file } = one;
  const { now } = work.publication;
  const data = called.kind === 'answered' ? at(called.json, 'data') : undefined;
  const info = at(data, 'processing_info');
  const state = typeof data === 'object' ? textAt(info, 'state') : 'not known';
  const summary = summarize(work, called, `file ${upload.media} is ${state ?? 'uploaded'}`);
  if (state === 'failed') {
    const failure = processingFailureOf(at(info, 'error'));
    const { detail } = summarize(work, called, failure.detail);
    return {
      kind: 'failed',
      failure: { ...failure, detail },
      handle: write(without(handle, index)),
      summary: { ...summary, detail },
    };
  }
  if (state === null || state === 'succeeded') {
    return kept(one, { ...upload, state: descriptionOf(file) === '' ? 'ready' : 'uploaded', since: now }, summary);
  }
  const since = upload.state === 'processing' ? upload.since : now;
  if (now - since > PROCESSING_MS * work.waitFactor) {
    const failure = {
      reason: 'platform_problem',
      retry: 'later',
      delayMs: TROUBLE_DELAY_MS,
      detail: 'X did not get done with the file',
    } as const;
    return { kind: 'failed', failure, handle: write(without(handle, index)), summary };
  }
  const seconds = at(info, 'check_after_secs');
  const waitSeconds = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, MAX_LOOK_SECONDS) : LOOK_SECONDS;
  return {
    ...kept(one, { ...upload, state: 'processing', since }, summary),
    delayMs: waitSeconds * 1000 * work.waitFactor,
  };
}

/**
 * Where X refuses the upload itself, it has forgotten or ended it, or the file is at fault: beginning again, once,
 * tells which.
 */
function gone({ handle, index }: FileWork, upload: XFile, answer: FailedAnswer): PrepareAnswer {
  if (answer.failure.reason !== 'media_problem') return { ...answer, handle: write(withFile(handle, index, upload)) };
  const rest = without(handle, index);
  return handle.again ? { ...answer, handle: write(rest) } : waiting(write({ ...rest, again: true }), answer.summary);
}

function kept(
  { handle, index }: FileWork,
  file: XFile,
  summary: CallSummary,
): Extract<PrepareAnswer, { kind: 'wait' }> {
  return waiting(write(withFile(handle, index, file)), summary);
}

function without(handle: XHandle, index: number): XHandle {
  return { ...handle, files: handle.files.slice(0, index) };
}

function pathOf({ media }: XFile): string {
  return `${UPLOAD}/${encodeURIComponent(media)}`;
}

function statusPath({ media }: XFile): string {
  return `${UPLOAD}?${new URLSearchParams({ command: 'STATUS', media_id: media })}`;
}

function summarize({ publication }: XWork, called: CallResult, detail: string): CallSummary {
  return summaryOf(called, detail, [publication.accessToken]);
}
