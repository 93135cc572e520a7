import type { NetworkAdapter, NetworkEndpoints, PublishAnswer } from '../contract/adapter.ts';
import { answeredText, graphGet, graphPostForm, graphSummary, unpublished } from '../graph/calls.ts';
import { LOOKUP_TIMEOUT_MS, type AdapterOptions } from '../contract/waits.ts';
import { accountUrl, objectUrl, placeOf, type AccountWork } from './container.ts';
import { failureOf } from './errors.ts';
import { parseHandle } from './handle.ts';
import { prepareContainer } from './prepare.ts';
import { reconcileContainer } from './reconcile.ts';

/**
 * Instagram: containers are made, become ready, and one is published; it can be published once only, whoever asks how
 * often.
 */
export function createInstagramAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return {
    network: 'instagram',
    publishTimeoutMs: at.publishTimeoutMs,
    prepare: (publication, text) => prepareContainer({ at, publication }, parseHandle(text)),
    publish: (publication, text) => {
      const container = parseHandle(text)?.container ?? null;
      if (container === null) throw new Error('instagram publishes containers; there is none');
      return publish({ at, publication }, container);
    },
    reconcile: async (publication, armed) => {
      const container = parseHandle(armed.handle)?.container ?? null;
      if (container === null)
        return {
          kind: 'unknown',
          delayMs: null,
          summary: { status: 0, detail: 'what was armed is not known any more' },
        };
      return reconcileContainer({ at, publication }, container, armed);
    },
  };
}

async function publish(work: AccountWork, container: string): Promise<PublishAnswer> {
  const { at, publication } = work;
  const secrets = [publication.accessToken];
  const called = await graphPostForm(
    publication,
    accountUrl(work, 'media_publish'),
    { creation_id: container },
    at.publishTimeoutMs,
  );
  const remoteId = answeredText(called, 'id');
  if (remoteId === null) return unpublished(called, (answer) => failureOf(answer, 'publish'), secrets);
  const looked = await graphGet(
    publication,
    `${objectUrl(work, remoteId)}?fields=id,permalink,shortcode,timestamp,media_product_type`,
    LOOKUP_TIMEOUT_MS,
  );
  return {
    kind: 'published',
    remoteId,
    permalink: answeredText(looked, 'permalink'),
    summary: graphSummary(called, `published as ${remoteId}`, secrets),
  };
}
