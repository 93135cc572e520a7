import type { ArmedCall, Publication, ReconcileAnswer } from '../contract/adapter.ts';
import { neverKnown, published, unreadAnswer } from '../contract/answers.ts';
import { summaryOf, type CallResult } from '../http/call.ts';
import { askAgainMs, mayGiveUp } from '../contract/waits.ts';
import { permalinkOf, type XWork } from './calls.ts';
import { failureOf, problemOf } from './errors.ts';
import { findOnTimeline } from './timeline.ts';

/** When to look at the timeline, after arming: a post may take a while to appear. After the last look none follows. */
const LOOKS_MS = [10_000, 60_000, 180_000] as const;

/** By the account's timeline. It proves that a post is there, never that it is not. */
export async function reconcile(work: XWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { api, publication } = work;
  const sinceMs = publication.now - armed.armedAt;
  const [first] = LOOKS_MS;
  if (sinceMs < first)
    return {
      kind: 'unknown',
      delayMs: first - sinceMs,
      summary: { status: 0, detail: 'too early to look at the timeline' },
    };
  const found = await findOnTimeline(api, publication, armed);
  if (found.kind === 'unreadable') return unreadable(found.last, publication, armed);
  const [remoteId, ...others] = found.ids;
  if (remoteId !== undefined && others.length === 0) {
    return published(
      remoteId,
      permalinkOf(work, remoteId),
      summaryOf(found.last, `found on the timeline as ${remoteId}`),
    );
  }
  if (remoteId !== undefined) return neverKnown(summaryOf(found.last, 'several posts on the timeline say this'));
  const next = LOOKS_MS.find((look) => look > sinceMs);
  return {
    kind: 'unknown',
    delayMs: next === undefined ? null : next - sinceMs,
    summary: summaryOf(found.last, 'not on the timeline; it may still be live'),
  };
}

function unreadable(last: CallResult, publication: Publication, armed: ArmedCall): ReconcileAnswer {
  const delayMs = mayGiveUp(armed, publication.now) ? null : askAgainMs(armed.asked);
  const secrets = [publication.accessToken];
  if (last.kind === 'lost') return { kind: 'unknown', delayMs, summary: summaryOf(last, '', secrets) };
  const failure = failureOf(last, 'other', publication.now);
  const summary = summaryOf(last, problemOf(last).detail, secrets);
  // An exhausted window opens when X says; asking earlier only lengthens it.
  return failure === 'reconcile' ? { kind: 'unknown', delayMs, summary } : unreadAnswer({ failure, summary }, delayMs);
}
