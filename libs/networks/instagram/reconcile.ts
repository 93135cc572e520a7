import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, neverKnown, UNREADABLE_HANDLE } from '../contract/answers.ts';
import type { CallResult } from '../http/call.ts';
import { graphSummary, unread } from '../graph/calls.ts';
import { TROUBLE } from '../graph/errors.ts';
import { identified } from '../graph/identified.ts';
import { mayGiveUp, sinceArmedMs, TROUBLE_DELAY_MS } from '../contract/waits.ts';
import type { AccountWork } from './calls.ts';
import { findOwnMedia, readContainer } from './container.ts';
import { containerFailureOf, failureOf } from './errors.ts';
import type { InstagramHandle } from './handle.ts';

/** A container that is published may read as ready for so long. */
const SETTLE_MS = 30_000;
const POLL_MS = 10_000;
/** Failed reads of the container before the account's list is asked instead. */
const CONTAINER_READS = 3;

/** The container says whether it was published; which post it became, only the account's list says. */
export async function reconcile(
  work: AccountWork,
  { container }: InstagramHandle,
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  if (container === null) return UNREADABLE_HANDLE;
  const { at: place, publication } = work;
  const { status, detail, called } = await readContainer(work, container);
  const summary = graphSummary(called, `container ${container} is ${status}`, [publication.accessToken]);
  switch (status) {
    case 'PUBLISHED':
      return identify(work, container, armed);
    case 'FINISHED': {
      const settleMs = SETTLE_MS * place.waitFactor;
      const isProof = armed.asked > 0 && sinceArmedMs(armed, publication.now) >= settleMs;
      const delayMs = settleMs + (armed.clockSkewMs ?? 0);
      return isProof ? { kind: 'absent', summary } : { kind: 'unknown', delayMs, summary };
    }
    case 'IN_PROGRESS':
      // Not for want of an answer: each look had one.
      if (mayGiveUp({ armedAt: armed.armedAt, asked: armed.asked }, publication.now))
        return over('Instagram did not get done with it', summary);
      return { kind: 'processing', delayMs: POLL_MS * place.waitFactor, summary };
    case 'ERROR':
      return { kind: 'failed', failure: containerFailureOf(detail), handle: null, summary };
    case 'EXPIRED':
      return over('the container expired before it was published', summary);
    case null:
      return hidden(work, armed, called);
  }
}

/** Not published, and this container is published by no later try. */
function over(detail: string, summary: ReconcileAnswer['summary']): ReconcileAnswer {
  return { kind: 'failed', failure: { ...TROUBLE, delayMs: TROUBLE_DELAY_MS, detail }, handle: null, summary };
}

async function identify(work: AccountWork, container: string, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { found, called } = await findOwnMedia(work, armed.armedAt);
  const secrets = [work.publication.accessToken];
  const listed = { container, posts: found, called, unlisted: 'processing', secrets } as const;
  return identified(listed, { asked: armed.asked, waitFactor: work.at.waitFactor });
}

/**
 * A caption tells a post from others; without one, and in a Story, nothing does. The list proves presence, never
 * absence.
 */
async function hidden(work: AccountWork, armed: ArmedCall, read: CallResult): Promise<ReconcileAnswer> {
  const { publication } = work;
  const secrets = [publication.accessToken];
  const answer = unread(read, (answered) => failureOf(answered, 'container'), secrets, {
    ...armed,
    now: publication.now,
  });
  const hasDistinctText = publication.placement === 'feed' && publication.text.trim() !== '';
  if (answer.tokenRefused === true || armed.asked < CONTAINER_READS || !hasDistinctText) return answer;
  const { found, called } = await findOwnMedia(work, armed.armedAt);
  const [media, ...others] = found ?? [];
  if (media === undefined) return answer;
  if (others.length > 0) return neverKnown(graphSummary(called, 'several posts of the account say this', secrets));
  return foundAs(media, graphSummary(called, `found in the list as ${media.id}`, secrets), answer);
}
