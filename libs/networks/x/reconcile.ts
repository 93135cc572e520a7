import type { AccountAccess, ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, neverKnown, onlyOthers, published, unreadAnswer } from '../contract/answers.ts';
import { summaryOf, type CallResult } from '../http/call.ts';
import { askAgainMs, mayGiveUp } from '../contract/waits.ts';
import { permalinkOf, type XWork } from './calls.ts';
import { failureOf, problemOf } from './errors.ts';
import { parseHandle } from './handle.ts';
import { findOnTimeline, MAX_LISTED, type SoughtPost } from './timeline.ts';

/**
 * When to look at the timeline, after arming: a post may take a while to appear. After the last look none follows. In a
 * sandbox, they appear at once, so that the looks of a call whose sender is dead are over sooner.
 */
const LOOKS_MS = [10_000, 60_000, 180_000] as const;

/** By the account's timeline. It proves that a post is there, never that it is not. */
export function reconcile(work: XWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { text, media } = work.publication;
  // The files themselves may be gone by now; the handle says what was uploaded of them.
  const mediaKeys = parseHandle(armed.handle)?.files.map(({ key }) => key) ?? media.map(() => null);
  return lookOnTimeline(work, armed, { text, mediaKeys, inReplyTo: null });
}

export async function lookOnTimeline(
  work: XWork<AccountAccess>,
  armed: ArmedCall,
  sought: SoughtPost,
): Promise<ReconcileAnswer> {
  const { publication } = work;
  const sinceMs = publication.now - armed.armedAt;
  const looks = LOOKS_MS.map((look) => (armed.isSenderDead === true ? look * work.waitFactor : look));
  const first = looks[0]!;
  if (sinceMs < first)
    return {
      kind: 'unknown',
      delayMs: first - sinceMs,
      summary: { status: 0, detail: 'too early to look at the timeline' },
    };
  const found = await findOnTimeline(work, sought, armed.armedAt);
  if (found.kind === 'unreadable') return unreadable(found.last, publication, armed);
  if (found.kind === 'too many')
    return neverKnown(
      summaryOf(found.last, `X lists the newest ${MAX_LISTED} posts only, and all of them are newer than this one`),
    );
  const [remoteId, ...others] = found.ids;
  if (remoteId !== undefined && others.length === 0) {
    const summary = summaryOf(found.last, `found on the timeline as ${remoteId}`);
    const permalink = permalinkOf(work, remoteId);
    return found.isSure
      ? published(remoteId, permalink, summary)
      : foundAs({ id: remoteId, permalink }, summary, onlyOthers(summary));
  }
  if (remoteId !== undefined) return neverKnown(summaryOf(found.last, 'several posts on the timeline say this'));
  const next = looks.find((look) => look > sinceMs);
  return {
    kind: 'unknown',
    delayMs: next === undefined ? null : next - sinceMs,
    summary: summaryOf(found.last, 'not on the timeline; it may still be live'),
  };
}

export function unreadable(last: CallResult, publication: AccountAccess, armed: ArmedCall): ReconcileAnswer {
  const delayMs = mayGiveUp(armed, publication.now) ? null : askAgainMs(armed.asked);
  const secrets = [publication.accessToken];
  if (last.kind === 'lost') return { kind: 'unknown', delayMs, summary: summaryOf(last, '', secrets) };
  const failure = failureOf(last, 'other', publication.now);
  const summary = summaryOf(last, problemOf(last).detail, secrets);
  // An exhausted window opens when X says; asking earlier only lengthens it.
  return failure === 'reconcile' ? { kind: 'unknown', delayMs, summary } : unreadAnswer({ failure, summary }, delayMs);
}
