import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { unreadAnswer } from '../contract/answers.ts';
import type { CallResult } from '../http/call.ts';
import { youtubeFailure, type YouTubeWork } from './calls.ts';
import { sessionFailureOf, TROUBLE } from './errors.ts';
import { placedAt, write, type UploadHandle } from './handle.ts';
import { lookAt } from './processing.ts';
import { askSession, summaryOfUpload, secretsOf, stateIn } from './session.ts';
import { findInUploads } from './uploads-list.ts';
import { retryMs, settleMs } from './waiting.ts';

type UnknownOutcome = Extract<ReconcileAnswer, { kind: 'unknown' }>;

/**
 * By its session, which knows whether the last byte came; by the channel's list of uploads, should the session be gone.
 */
export async function reconcile(work: YouTubeWork, handle: UploadHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  if (handle.video !== null) return lookAt(work, { video: handle.video, privacy: handle.privacy ?? null }, armed);
  const called = await askSession(work, handle);
  const state = stateIn(called);
  switch (state.kind) {
    case 'whole':
      return lookAt(work, state, armed);
    case 'gone':
      return findInUploads(work, armed);
    case 'partial':
      return incomplete(work, { called, received: state.received }, handle, armed);
    case 'unread':
      return unread(work, called, armed, secretsOf(work, handle));
  }
}

/** Once a lost connection can't bring any more bytes, what is missing proves that nothing was published. */
function incomplete(
  work: YouTubeWork,
  { called, received }: { readonly called: CallResult; readonly received: number },
  handle: UploadHandle,
  armed: ArmedCall,
): ReconcileAnswer {
  const summary = summaryOfUpload(work, called, handle);
  const sinceMs = work.publication.now - armed.armedAt;
  if (received >= handle.bytes) return { kind: 'unknown', delayMs: retryMs(sinceMs, armed.asked), summary };
  if (armed.asked === 0 || sinceMs < settleMs(work)) return { kind: 'unknown', delayMs: settleMs(work), summary };
  if (received === handle.from) return { kind: 'absent', summary };
  const next = placedAt(handle, received, work.publication.now);
  return {
    kind: 'failed',
    failure: { ...TROUBLE, delayMs: 0, detail: summary.detail },
    handle: next === null ? null : write(next),
    summary,
  };
}

/**
 * What can't be read tells nothing: ask again, with a better token where that is what is missing, until there is no
 * hope.
 */
export function unread(
  { publication }: YouTubeWork,
  called: CallResult,
  { armedAt, asked }: ArmedCall,
  secrets: readonly string[],
): UnknownOutcome {
  return unreadAnswer(
    youtubeFailure(called, publication.now, secrets, sessionFailureOf),
    retryMs(publication.now - armedAt, asked),
  );
}
