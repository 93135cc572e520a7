import { expect, test } from 'vitest';
import { openIngressWorld } from '../ingress-harness.fixture.ts';

const ROOT = '/.well-known/oauth-protected-resource';

test.each([
  [ROOT, '/mcp'],
  [`${ROOT}/mcp`, '/mcp'],
  [`${ROOT}/api`, '/api'],
])('%s tells any page where tokens for %s come from', async (path, resource) => {
  await using open = await openIngressWorld();
  const { url, call } = open.harness;
  const { status, headers, body } = await call('GET', path, { headers: { Origin: 'https://anybody.test' } });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cache-control')).toMatch(/max-age/);
  expect(body).toMatchObject({
    resource: url + resource,
    authorization_servers: [url],
    scopes_supported: ['posts:schedule', 'posts:publish', 'webhooks:manage'],
    bearer_methods_supported: ['header'],
  });
  const preflight = await call('OPTIONS', path, {
    headers: { Origin: 'https://anybody.test', 'Access-Control-Request-Headers': 'mcp-protocol-version' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect((await call('POST', path)).status).toBe(405);
});

test('the metadata name the public address, never the host of the request', async () => {
  await using open = await openIngressWorld({ publicUrl: 'https://crier.test' });
  const { body } = await open.harness.call('GET', ROOT, { headers: { 'X-Forwarded-Host': 'evil.test' } });
  expect([body.resource, body.authorization_servers]).toEqual(['https://crier.test/mcp', ['https://crier.test']]);
});
