import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpClient } from '#adapters/undici/http-client.ts';
import { NETWORKS } from '#domain/network.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import { userAgentOf } from './user-agent.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A Network that answers every request with an empty object, and the user agents that it read. */
async function startNetwork() {
  const userAgents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    userAgents.push(request.headers['user-agent']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  return { userAgents, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const VIDEO = { kind: 'video', contentType: 'video/mp4', sha256: 'a'.repeat(64) } as const;
const TOKENS = { accessToken: 'access', refreshToken: 'refresh', expiresAt: 1 };

test.each(NETWORKS)('calls to %s, of sign-ins and of Posts, say who asks', async (network) => {
  const { userAgents, origin } = await startNetwork();
  const http = createHttpClient({
    userAgent: userAgentOf({ version: '1.2.3', publicUrl: 'https://crier.example.com' }),
  });
  cleanups.push(() => http.close());
  const { auths, adapters } = createNetworks(sandboxEndpoints(origin));
  await auths[network]!.exchange(http, { code: 'code', redirectUri: 'https://a.test', verifier: 'v', now: 0 });
  await auths[network]!.accounts(http, TOKENS, 0);
  const ofSignIn = userAgents.length;
  await adapters[network]!.prepare(
    publicationOf({ http, media: [renditionOf(Buffer.from('bytes'), VIDEO)], options: { privacy: 'public' } }),
    null,
  );
  expect([ofSignIn > 0, userAgents.length > ofSignIn]).toEqual([true, true]);
  expect(new Set(userAgents)).toEqual(new Set(['crier/1.2.3 (+https://crier.example.com)']));
});

test.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'https://localhost:8443'])(
  'an address that only this machine reaches is left out: %s',
  (publicUrl) => {
    expect(userAgentOf({ version: '1.2.3', publicUrl })).toBe('crier/1.2.3');
  },
);
