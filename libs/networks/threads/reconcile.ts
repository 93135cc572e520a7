import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, neverKnown, UNREADABLE_HANDLE } from '../contract/answers.ts';
import type { HttpAnswer, CallResult } from '../http/call.ts';
import { graphSummary, unread } from '../graph/calls.ts';
import { identified } from '../graph/identified.ts';
import { askAgainMs, mayGiveUp, sinceArmedMs } from '../contract/waits.ts';
import type { ThreadsWork } from './calls.ts';
import { findOwnPosts, readContainer } from './container.ts';
import { containerFailureOf, failureOf } from './errors.ts';
import type { ThreadsHandle } from './handle.ts';

/** How long a container that is published may still read as ready. */
const SETTLE_MS = 30_000;
/** Failed reads of the container before the account's list is asked instead. */
const CONTAINER_READS = 3;

/** A call is armed with the container that it publishes. */
type ArmedHandle = ThreadsHandle & { readonly container: string };

/** The container says whether it was published; which post it became, only the account's list says. */
export async function reconcile(
  work: ThreadsWork,
  { container, ...rest }: ThreadsHandle,
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  if (container === null) return UNREADABLE_HANDLE;
  const { at: place, publication } = work;
  const handle = { ...rest, container };
  const { status, errorMessage, called } = await readContainer(work, container);
  const summary = graphSummary(called, `container ${container} is ${status}`, [publication.accessToken]);
  switch (status) {
    case 'PUBLISHED':
      return identify(work, armed, handle);
    case 'FINISHED': {
      const settleMs = SETTLE_MS * place.waitFactor;
      const isProof = armed.asked > 0 && sinceArmedMs(armed, publication.now) >= settleMs;
      const delayMs = settleMs + (armed.clockSkewMs ?? 0);
      return isProof ? { kind: 'absent', summary } : { kind: 'unknown', delayMs, summary };
    }
    case 'ERROR':
      return { kind: 'failed', failure: containerFailureOf(errorMessage, handle.kind), handle: null, summary };
    case 'EXPIRED': {
      const detail = 'the container expired before it was published';
      return {
        kind: 'failed',
        failure: { reason: 'platform_problem', retry: 'later', delayMs: 0, detail },
        handle: null,
        summary,
      };
    }
    case 'IN_PROGRESS':
      return { kind: 'unknown', delayMs: mayGiveUp(armed, publication.now) ? null : askAgainMs(armed.asked), summary };
    case null:
      return hidden(work, armed, handle, called);
  }
}

async function identify(work: ThreadsWork, armed: ArmedCall, handle: ArmedHandle): Promise<ReconcileAnswer> {
  const { posts, called } = await findOwnPosts(work, armed.armedAt, handle);
  const secrets = [work.publication.accessToken];
  const listed = { container: handle.container, posts, called, unlisted: 'unknown', secrets } as const;
  return identified(listed, { asked: armed.asked, waitFactor: work.at.waitFactor });
}

/** Where the container can't be read, the list proves presence by what tells a post from others, never absence. */
async function hidden(
  work: ThreadsWork,
  armed: ArmedCall,
  handle: ArmedHandle,
  read: CallResult,
): Promise<ReconcileAnswer> {
  const { publication } = work;
  const secrets = [publication.accessToken];
  const judge = (answer: HttpAnswer) => failureOf(answer, 'container');
  const answer = unread(read, judge, secrets, { ...armed, now: publication.now });
  const mayAsk = read.kind === 'answered' && answer.tokenRefused !== true && judge(read).reason !== 'rate_limited';
  if (!mayAsk || armed.asked < CONTAINER_READS) return answer;
  const { posts, called } = await findOwnPosts(work, armed.armedAt, handle);
  const [post, ...others] = posts?.filter(({ isIdentified }) => isIdentified) ?? [];
  if (post === undefined) return answer;
  if (others.length > 0) return neverKnown(graphSummary(called, 'several posts of the account say this', secrets));
  return foundAs(post, graphSummary(called, `found in the list as ${post.id}`, secrets), answer);
}
