import type { PublishAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { answeredText, graphGet, graphPostForm, graphSummary } from '../graph/calls.ts';
import { LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { isTokenRefusal } from '../graph/errors.ts';
import { refused, type ThreadsWork } from './calls.ts';
import { findOwnPosts, readContainer } from './container.ts';
import { MEDIA_NOT_FOUND } from './errors.ts';
import type { ThreadsHandle } from './handle.ts';

/** A container that was ready for so long has settled: if Threads does not find it then, it never will. */
const SETTLES_WITHIN_MS = 30_000;

/** Publishes the container. The Network publishes it once only, however often it is called. */
export async function publish(work: ThreadsWork, handle: ThreadsHandle): Promise<PublishAnswer> {
  const { container } = handle;
  if (container === null) throw new Error('threads publishes containers, and the handle names none');
  const { at, publication } = work;
  const secrets = [publication.accessToken];
  const url = `${at.api}/v1.0/${encodeURIComponent(publication.accountId)}/threads_publish`;
  const called = await graphPostForm(publication, url, { creation_id: container }, at.publishTimeoutMs);
  const remoteId = answeredText(called, 'id');
  if (remoteId !== null) {
    const permalink = await permalinkOf(work, remoteId);
    return published(remoteId, permalink, graphSummary(called, `published as ${remoteId}`, secrets));
  }
  const { failure, summary } = refused(work, called, 'publish');
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary } : { kind: 'failed', failure, summary };
  const problem = graphProblemOf(called);
  if (isTokenRefusal(problem)) return { kind: 'failed', failure, summary };
  if (problem.subcode === MEDIA_NOT_FOUND && (await isLost(work, { ...handle, container }))) {
    const detail = `Threads lost container ${container}, which was ready: ${failure.detail}`;
    return { kind: 'failed', failure: { ...failure, detail }, handle: null, summary };
  }
  // No other error here is proof: Threads has answered HTTP 500 with a permission error to posts that went live.
  return { kind: 'unknown', ifAbsent: failure, summary };
}

/**
 * Whether a container that publishing did not find is lost: it was ready before, is still unpublished, and the account
 * has no post that could be it. Only then is a new one no second post, should an earlier call have gone through.
 */
async function isLost(work: ThreadsWork, handle: ThreadsHandle & { readonly container: string }): Promise<boolean> {
  const { at: place, publication } = work;
  const { readyAt = null, since } = handle;
  if (readyAt === null || publication.now - readyAt < SETTLES_WITHIN_MS * place.waitFactor) return false;
  if ((await readContainer(work, handle.container)).status !== 'FINISHED') return false;
  const { posts, isWhole } = await findOwnPosts(work, since ?? readyAt, handle);
  return isWhole && posts?.length === 0;
}

/** Nice to have: it never changes what became of a Variant. */
async function permalinkOf({ at, publication }: ThreadsWork, remoteId: string): Promise<string | null> {
  const url = `${at.api}/v1.0/${encodeURIComponent(remoteId)}?fields=id,permalink`;
  return answeredText(await graphGet(publication, url, LOOKUP_TIMEOUT_MS), 'permalink');
}
