import type { Armed, Publication, ReconcileAnswer } from '../adapter.ts';
import { saidBy, type Called } from '../call.ts';
import { askAgainMs, mayGiveUp } from '../waits.ts';
import { findOwnPosts, readContainer } from './container.ts';
import { containerFailureOf, failureOf } from './errors.ts';

/** A published post shows up in the account's list a few seconds later. */
const LIST_LAG_MS = 5_000;
const LIST_LOOKS = 4;
/** Failed reads of the container before the account's list is asked instead. */
const CONTAINER_READS = 3;

/** The container says whether it was published; which post it became, only the account's list says. */
export async function reconcileThreads(api: string, publication: Publication, armed: Armed): Promise<ReconcileAnswer> {
  if (armed.handle === null) throw new Error('threads publishes containers; there is none');
  const { status, errorMessage, called } = await readContainer(api, publication, armed.handle);
  const said = saidBy(called, status === null ? '' : `container ${armed.handle} is ${status}`, [publication.accessToken]);
  switch (status) {
    case 'PUBLISHED':
      return identify(api, publication, armed, armed.handle);
    case 'FINISHED':
      return { kind: 'absent', said };
    case 'ERROR':
      return { kind: 'failed', failure: containerFailureOf(errorMessage), said };
    case 'EXPIRED': {
      const detail = 'the container expired before it was published';
      return { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later', delayMs: 0, detail }, said };
    }
    case 'IN_PROGRESS':
      return { kind: 'unknown', delayMs: mayGiveUp(armed, publication.now) ? null : askAgainMs(armed.asked), said };
    case null:
      return unread(api, publication, armed, called);
  }
}

/** It is live. Its id is worth a few looks; without it the container's own id stands for it. */
async function identify(api: string, publication: Publication, armed: Armed, handle: string): Promise<ReconcileAnswer> {
  const { posts, called } = await findOwnPosts(api, publication, armed.armedAt);
  const [post, ...others] = posts ?? [];
  if (post !== undefined && others.length === 0) {
    return { kind: 'published', remoteId: post.id, permalink: post.permalink, said: saidBy(called, `published; found as ${post.id}`) };
  }
  if (post === undefined && armed.asked < LIST_LOOKS) {
    return { kind: 'unknown', delayMs: LIST_LAG_MS, said: saidBy(called, 'published, but not in the list yet', [publication.accessToken]) };
  }
  return { kind: 'published', remoteId: handle, permalink: null, said: saidBy(called, 'published; which post it became is not known') };
}

async function unread(api: string, publication: Publication, armed: Armed, read: Called): Promise<ReconcileAnswer> {
  const secrets = [publication.accessToken];
  const giveUp = mayGiveUp(armed, publication.now);
  const delayMs = giveUp ? null : askAgainMs(armed.asked);
  if (read.kind === 'lost') return { kind: 'unknown', delayMs, said: saidBy(read, '', secrets) };
  const failure = failureOf(read, 'container');
  const said = saidBy(read, failure.detail, secrets);
  if (failure.retry === 'refresh' || failure.retry === 'afterReconnect') return { kind: 'unknown', delayMs, tokenRefused: true, said };
  if (failure.reason === 'rate_limited') return { kind: 'unknown', delayMs: delayMs === null ? null : Math.max(delayMs, failure.delayMs ?? 0), said };
  if (armed.asked < CONTAINER_READS) return { kind: 'unknown', delayMs, said };
  // The list can prove presence, never absence.
  const { posts, called } = await findOwnPosts(api, publication, armed.armedAt);
  const [post, ...others] = posts ?? [];
  if (post === undefined) return { kind: 'unknown', delayMs, said };
  if (others.length > 0) return { kind: 'unknown', delayMs: null, said: saidBy(called, 'several posts of the account say this') };
  return { kind: 'published', remoteId: post.id, permalink: post.permalink, said: saidBy(called, `found in the list as ${post.id}`) };
}
