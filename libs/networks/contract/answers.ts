import type { CallSummary, Failure, PrepareAnswer, PublishAnswer, ReconcileAnswer } from './adapter.ts';

/** What prepare, publish and reconcile answer when the Network refused a call, or no call could be made. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
  readonly summary: CallSummary;
}

/** A Variant that the Network never takes as it is. No call was made. `detail`: why, in words for a person. */
export function unfit(detail: string, reason: Failure['reason'] = 'media_problem'): FailedAnswer {
  return { kind: 'failed', failure: { reason, detail, retry: 'never' }, summary: { status: 0, detail } };
}

/** Files that a Network does not take; `detail`: why, in words for a person. */
export interface UnfitFiles {
  readonly kind: 'unfit';
  readonly detail: string;
}

export function unfitFiles(detail: string): UnfitFiles {
  return { kind: 'unfit', detail };
}

/**
 * Reconciling without a handle that this release can read: nothing names the armed call at the Network, so asking can
 * never tell what became of it.
 */
export const UNREADABLE_HANDLE: ReconcileAnswer = {
  kind: 'unknown',
  delayMs: null,
  summary: { status: 0, detail: 'the handle of the armed call can not be read, so the Network can not be asked' },
};

/**
 * Reconciling by a call that failed: it says nothing about the armed call, so the Network is asked again after
 * `delayMs`, later where it limits calls, and with a better token where it refused this one. `delayMs` null: it was
 * asked often enough.
 */
export function unreadAnswer(
  { failure, summary }: Pick<FailedAnswer, 'failure' | 'summary'>,
  delayMs: number | null,
): Extract<ReconcileAnswer, { kind: 'unknown' }> {
  if (failure.retry === 'refresh' || failure.retry === 'afterReconnect')
    return { kind: 'unknown', delayMs, tokenRefused: true, summary };
  const isLimited = failure.reason === 'rate_limited' && delayMs !== null;
  return { kind: 'unknown', delayMs: isLimited ? Math.max(delayMs, failure.delayMs ?? 0) : delayMs, summary };
}

/** Prepare goes on from `handle` after `delayMs`; 0: at once, so that the handle is stored in between. */
export function waiting(handle: string, summary: CallSummary, delayMs = 0): Extract<PrepareAnswer, { kind: 'wait' }> {
  return { kind: 'wait', handle, delayMs, summary };
}

/** No further question to the Network can tell whether the armed call published. */
export function neverKnown(summary: CallSummary): Extract<ReconcileAnswer, { kind: 'unknown' }> {
  return { kind: 'unknown', delayMs: null, summary };
}

/** It is live, as `remoteId`. */
export function published(
  remoteId: string,
  permalink: string | null,
  summary: CallSummary,
): Extract<PublishAnswer & ReconcileAnswer, { kind: 'published' }> {
  return { kind: 'published', remoteId, permalink, summary };
}

/** As `published`, by what the item says and when; `ifOthers`: the answer if it is known to be another Variant's. */
export function foundAs(
  { id, permalink }: { readonly id: string; readonly permalink: string | null },
  summary: CallSummary,
  ifOthers: ReconcileAnswer,
): ReconcileAnswer {
  return { ...published(id, permalink, summary), ifOthers };
}

/** Of an item that another Variant is known to have made: it tells nothing of the armed call. */
export function onlyOthers(summary: CallSummary): ReconcileAnswer {
  return neverKnown({ ...summary, detail: 'what the account shows and says the same is of another post' });
}

/**
 * The Network named an upload address under none of its own domains. The file is not sent there, nor is a token: see
 * `isTrustedAddress`.
 */
export function foreignUpload(displayName: string, summarize: (detail: string) => CallSummary): FailedAnswer {
  const detail = `${displayName} gave an upload address that is none of its own`;
  return {
    kind: 'failed',
    failure: { reason: 'platform_problem', retry: 'never', detail },
    summary: summarize(detail),
  };
}
