import type { PublishAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { answeredText, graphGet, graphPostForm, graphSummary } from '../graph/calls.ts';
import { LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { refused, type ThreadsWork } from './calls.ts';
import type { ThreadsHandle } from './handle.ts';

/** Publishes the container. The Network publishes it once only, however often it is called. */
export async function publish(work: ThreadsWork, { container }: ThreadsHandle): Promise<PublishAnswer> {
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
  // No error here is proof: Threads has answered HTTP 500 with a permission error to posts that went live.
  return { kind: 'unknown', ifAbsent: failure, summary };
}

/** Nice to have: it never changes what became of a Variant. */
async function permalinkOf({ at, publication }: ThreadsWork, remoteId: string): Promise<string | null> {
  const url = `${at.api}/v1.0/${encodeURIComponent(remoteId)}?fields=id,permalink`;
  return answeredText(await graphGet(publication, url, LOOKUP_TIMEOUT_MS), 'permalink');
}
