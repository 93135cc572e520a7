import type { NetworkAdapter, NetworkEndpoints, Publication, PublishAnswer } from '../contract/adapter.ts';
import { answeredText, graphGet, graphPostForm, graphSummary } from '../graph/calls.ts';
import { LOOKUP_TIMEOUT_MS, PUBLISH_TIMEOUT_MS, type AdapterOptions } from '../contract/waits.ts';
import { parseHandle } from './handle.ts';
import { prepareContainer, refused } from './prepare.ts';
import { reconcileThreads } from './reconcile.ts';

/**
 * Threads: containers are made, become ready, and one is published; it can be published once only, whoever asks how
 * often.
 */
export function createThreadsAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const { api } = endpoints;
  const publishTimeoutMs = options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS;
  const waitFactor = options.waitFactor ?? 1;
  return {
    network: 'threads',
    publishTimeoutMs,
    prepare: async (publication, handle) => {
      if (publication.placement === 'feed')
        return prepareContainer({ api, waitFactor, publication }, parseHandle(handle));
      const detail = 'Threads has no Stories.';
      return {
        kind: 'failed',
        failure: { reason: 'rejected_by_platform', detail, retry: 'never' },
        summary: { status: 0, detail },
      };
    },
    publish: (publication, handle) => {
      const container = parseHandle(handle)?.container ?? null;
      if (container === null) throw new Error('threads publishes containers; there is none');
      return publish(api, publishTimeoutMs, publication, container);
    },
    reconcile: async (publication, armed) => {
      const handle = parseHandle(armed.handle);
      const container = handle?.container ?? null;
      if (handle === null || container === null)
        return {
          kind: 'unknown',
          delayMs: null,
          summary: { status: 0, detail: 'what was armed is not known any more' },
        };
      return reconcileThreads(api, publication, armed, { ...handle, container });
    },
  };
}

async function publish(
  api: string,
  timeoutMs: number,
  publication: Publication,
  container: string,
): Promise<PublishAnswer> {
  const secrets = [publication.accessToken];
  const url = `${api}/v1.0/${encodeURIComponent(publication.accountId)}/threads_publish`;
  const called = await graphPostForm(publication, url, { creation_id: container }, timeoutMs);
  const remoteId = answeredText(called, 'id');
  if (remoteId !== null) {
    const permalink = await permalinkOf(api, publication, remoteId);
    return {
      kind: 'published',
      remoteId,
      permalink,
      summary: graphSummary(called, `published as ${remoteId}`, secrets),
    };
  }
  const { failure, summary } = refused({ publication }, called, 'publish');
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary } : { kind: 'failed', failure, summary };
  // No error here is proof: Threads has answered HTTP 500 with a permission error to posts that went live.
  return { kind: 'unknown', ifAbsent: failure, summary };
}

/** Nice to have: it never changes what became of a Variant. */
async function permalinkOf(api: string, publication: Publication, remoteId: string): Promise<string | null> {
  const url = `${api}/v1.0/${encodeURIComponent(remoteId)}?fields=id,permalink`;
  return answeredText(await graphGet(publication, url, LOOKUP_TIMEOUT_MS), 'permalink');
}
