import type { Failure, FirstComment, NetworkComments, NetworkEndpoints } from '../contract/adapter.ts';
import { UNREADABLE_HANDLE } from '../contract/answers.ts';
import { REJECTED } from '../contract/verdicts.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf, type ThreadsPlace, type ThreadsWork } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/** The first comment is a reply: a text of the account with a container of its own, published as a post is. */
export function createThreadsComments(endpoints: NetworkEndpoints, options: AdapterOptions): NetworkComments {
  const place = placeOf(endpoints, options);
  return {
    network: 'threads',
    // Threads counts replies apart from posts, up to 1,000 a day.
    isUse: false,
    publishTimeoutMs: place.publishTimeoutMs,
    prepare: async (comment, text) => {
      const answer = await prepare(workOn(place, comment), parseHandle(text));
      return answer.kind === 'failed' ? { ...answer, failure: ofComment(answer.failure) } : answer;
    },
    publish: async (comment, text) => {
      const handle = parseHandle(text);
      if (handle === null)
        throw new Error('threads publishes the reply that it prepared, and there is no handle of it');
      const answer = await publish(workOn(place, comment), handle);
      if (answer.kind === 'failed') return { ...answer, failure: ofComment(answer.failure) };
      if (answer.kind !== 'unknown' || answer.ifAbsent === undefined) return answer;
      return { ...answer, ifAbsent: ofComment(answer.ifAbsent) };
    },
    reconcile: async (comment, armed) => {
      const handle = parseHandle(armed.handle);
      return handle === null ? UNREADABLE_HANDLE : reconcile(workOn(place, comment), handle, armed);
    },
    search: (comment, sought) => search(workOn(place, comment), sought),
  };
}

/** The reply as the text that it is. */
function workOn(place: ThreadsPlace, { itemId, text, ...access }: FirstComment): ThreadsWork {
  const post = { placement: 'feed', title: null, options: {}, media: [], cover: null } as const;
  return { at: place, publication: { ...access, ...post, text }, replyTo: itemId };
}

/**
 * A permission that is missing for replies alone does not make the Channel one that needs a reconnect: it still
 * publishes.
 */
function ofComment(failure: Failure): Failure {
  if (failure.retry !== 'afterReconnect') return failure;
  const what = `Threads does not let Crier reply for this account (${failure.detail}).`;
  const help = 'Ask the operator whether the app at Threads lacks the permission threads_manage_replies.';
  return { ...REJECTED, detail: `${what} ${help}` };
}
