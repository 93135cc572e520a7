import type { PublishAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { answeredText, graphGet, graphPostForm, graphSummary, unpublished } from '../graph/calls.ts';
import { LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { accountUrl, objectUrl, type AccountWork } from './calls.ts';
import { failureOf, isBlocked } from './errors.ts';
import type { InstagramHandle } from './handle.ts';

/** Publishes the container. The Network publishes it once only, however often it is called. */
export async function publish(work: AccountWork, { container }: InstagramHandle): Promise<PublishAnswer> {
  if (container === null) throw new Error('instagram publishes containers, and the handle names none');
  const { at, publication } = work;
  const secrets = [publication.accessToken];
  const called = await graphPostForm(
    publication,
    accountUrl(work, 'media_publish'),
    { creation_id: container },
    at.publishTimeoutMs,
  );
  const remoteId = answeredText(called, 'id');
  if (remoteId === null) {
    const answer = unpublished(called, (refused) => failureOf(refused, 'publish'), secrets);
    if (answer.kind !== 'failed' || called.kind === 'lost' || !isBlocked(called)) return answer;
    // The container tells: posts went live that Instagram had answered so.
    return { kind: 'unknown', ifAbsent: answer.failure, summary: answer.summary };
  }
  const looked = await graphGet(
    publication,
    `${objectUrl(work, remoteId)}?fields=id,permalink,shortcode,timestamp,media_product_type`,
    LOOKUP_TIMEOUT_MS,
  );
  return published(
    remoteId,
    answeredText(looked, 'permalink'),
    graphSummary(called, `published as ${remoteId}`, secrets),
  );
}
