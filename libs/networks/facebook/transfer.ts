import type { Rendition } from '#ports/rendition-source.ts';
import type { PrepareAnswer } from '../contract/adapter.ts';
import { waiting } from '../contract/answers.ts';
import { at, type HttpAnswer, type CallResult } from '../http/call.ts';
import { graphPostFile, graphSummary } from '../graph/calls.ts';
import { isOneOf, SESSION_GONE, WRONG_OFFSET } from './errors.ts';
import { offsetOf, write, type VideoHandle } from './handle.ts';
import { refused, sessionUrl, type PageWork } from './calls.ts';

const CHUNK_BYTES = 8 * 1024 * 1024;
/** How much is sent between two checkpoints. */
const STEP_BYTES = 32 * 1024 * 1024;
/** Facebook may correct our place so often in a step before the session counts as broken. */
const MAX_CORRECTIONS = 3;

const WRONG_OFFSETS: ReadonlySet<number> = new Set([WRONG_OFFSET]);

/**
 * Sends what is missing, from where Facebook says that it has got to; sending a piece twice is safe. Ready when it has
 * everything.
 */
export async function transfer(work: PageWork, handle: VideoHandle, file: Rendition): Promise<PrepareAnswer> {
  const { accessToken } = work.publication;
  let { from, to } = handle;
  let corrections = 0;
  let called: CallResult | null = null;
  for (const stopAt = from + STEP_BYTES; from < file.bytes;) {
    if (from >= stopAt) return waiting(write({ ...handle, from, to }), summaryAt(called, from, file, accessToken));
    called = await sendPiece(work, { ...handle, from, to }, file);
    const next = called.kind === 'answered' ? nextOf(called) : null;
    if (next === null) {
      const isGone = called.kind === 'answered' && isOneOf(called, SESSION_GONE);
      return refused(work, called, { handle: isGone ? null : { ...handle, from, to } });
    }
    if (next.from <= from) corrections += 1;
    if (corrections > MAX_CORRECTIONS || next.from > file.bytes) return refused(work, called, { handle: null });
    ({ from, to } = next);
  }
  return { kind: 'ready', handle: write({ ...handle, from, to }), summary: summaryAt(called, from, file, accessToken) };
}

async function sendPiece(work: PageWork, { session, from, to }: VideoHandle, file: Rendition): Promise<CallResult> {
  const asked = to > from ? to - from : CHUNK_BYTES;
  const end = Math.min(from + Math.min(asked, CHUNK_BYTES), file.bytes);
  const fields = { upload_phase: 'transfer', upload_session_id: session, start_offset: String(from) };
  return graphPostFile(work.publication, sessionUrl(work), fields, {
    field: 'video_file_chunk',
    fileName: 'video.mp4',
    contentType: 'application/octet-stream',
    bytes: await file.read(from, end),
    boundary: `video-${file.sha256}`,
  });
}

/** Where to go on, from a good answer or from one that corrects our offset. */
function nextOf(answer: HttpAnswer): { readonly from: number; readonly to: number } | null {
  const { json, status } = answer;
  const isCorrection = isOneOf(answer, WRONG_OFFSETS);
  if (status !== 200 && !isCorrection) return null;
  for (const place of isCorrection ? [json, at(json, 'error'), dataOf(at(json, 'error', 'error_data'))] : [json]) {
    const from = offsetOf(at(place, 'start_offset'));
    if (from !== null) return { from, to: offsetOf(at(place, 'end_offset')) ?? from };
  }
  return null;
}

/** `error_data` is an object, or one written down. */
function dataOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return null;
  }
}

function summaryAt(called: CallResult | null, from: number, file: Rendition, accessToken: string) {
  const detail = `${from} of ${file.bytes} bytes sent`;
  return called === null ? { status: 0, detail } : graphSummary(called, detail, [accessToken]);
}
