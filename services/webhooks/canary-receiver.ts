import type { PublicHttp } from '#ports/public-http.ts';

/**
 * Where events of the canary go: an address of no host stands in its endpoint, and this process takes what is sent
 * there. Up to here a delivery of the canary is made, queued, unsealed and signed as any other.
 */
export const CANARY_RECEIVER: PublicHttp = {
  send: async () => ({ status: 204, headers: {}, body: nothing() }),
};

async function* nothing(): AsyncIterable<Uint8Array> {}
