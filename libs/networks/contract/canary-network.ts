import type { HttpClient } from '#ports/http-client.ts';
import type { Network } from '#domain/network.ts';
import type { NetworkAdapter } from './adapter.ts';
import { PUBLISH_TIMEOUT_MS } from './waits.ts';

/**
 * What the canary publishes to in place of the Network of its Channel: it answers in this process, keeps nothing, and
 * has no address, so that nothing of the canary can reach a real Network, whichever process publishes it. What was
 * sent twice is as little live as what was sent once, so that it is absent is always true.
 */
export function canaryNetwork(network: Network): NetworkAdapter {
  const summary = { status: 200, detail: 'the canary was published: nothing left this process' };
  const absent = { status: 200, detail: 'nothing of the canary is ever live' };
  return {
    network,
    publishTimeoutMs: PUBLISH_TIMEOUT_MS,
    prepare: async () => ({ kind: 'ready', handle: null, summary }),
    publish: async () => ({ kind: 'published', remoteId: 'canary', permalink: null, summary }),
    reconcile: async () => ({ kind: 'absent', summary: absent }),
    search: async () => ({ kind: 'searched', items: [], isProof: true, listedAfterMs: 0, summary: absent }),
  };
}

/** Makes no request. */
export const NOWHERE: HttpClient = {
  send: () => Promise.reject(new Error('the canary makes no requests')),
};
