import { request as sendHttp } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API, BASE, MCP, OAuthHarness } from './oauth-harness.fixture.ts';

let server: OAuthHarness;

beforeAll(async () => {
  server = await OAuthHarness.start();
});
afterAll(() => server.stop());

const SUFFIXES = ['', '/mcp', '/api'];
const DOCUMENTS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'].flatMap((path) =>
  SUFFIXES.map((suffix) => path + suffix),
);

const documentAt = async (path: string) => {
  const response = await server.fetch(BASE + path);
  return { response, body: (await response.json()) as Record<string, unknown> };
};

test.each(DOCUMENTS)('%s describes the server to anybody, with what clients of MCP look for', async (path) => {
  const { response, body } = await documentAt(path);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(body).toMatchObject({
    issuer: BASE,
    authorization_endpoint: `${BASE}/oauth/authorize`,
    token_endpoint: `${BASE}/oauth/token`,
    registration_endpoint: `${BASE}/oauth/register`,
    revocation_endpoint: `${BASE}/oauth/revoke`,
    jwks_uri: `${BASE}/oauth/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    scopes_supported: ['posts:schedule', 'posts:publish', 'webhooks:manage', 'offline_access'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test('what is switched off is not in the metadata', async () => {
  const { body } = await documentAt(DOCUMENTS[0]!);
  const off = ['userinfo', 'device_authorization', 'pushed_authorization_request', 'end_session', 'introspection'];
  expect(Object.keys(body).filter((name) => off.some((word) => name.startsWith(word)))).toEqual([]);
  expect(body).not.toHaveProperty('dpop_signing_alg_values_supported');
});

test('the public keys are served, and none is private', async () => {
  const { body } = await documentAt('/oauth/jwks');
  expect(body['keys']).toEqual([expect.objectContaining({ kty: 'RSA', use: 'sig', alg: 'RS256' })]);
  expect(JSON.stringify(body)).not.toMatch(/"(d|p|q|dp|dq|qi)":/);
});

/** Sends a request line and headers that fetch would not. */
function raw(path: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = sendHttp({ port: server.port, host: '127.0.0.1', path, headers }, async (response) => {
      let body = '';
      for await (const chunk of response) body += String(chunk);
      resolve({ status: response.statusCode!, body });
    });
    outgoing.on('error', reject).end();
  });
}

test.each([
  ['Host', '/.well-known/oauth-authorization-server', { host: 'evil.test' }],
  [
    'forwarded headers',
    '/.well-known/oauth-authorization-server',
    {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.test;proto=http',
    },
  ],
  ['a request in absolute form', 'http://evil.test/.well-known/oauth-authorization-server', { host: 'evil.test' }],
])('%s decides no address in a document', async (_what, path, headers) => {
  const { status, body } = await raw(path, headers);
  expect([status, body.includes('evil')]).toEqual([200, false]);
  expect(JSON.parse(body)).toMatchObject({ issuer: BASE, token_endpoint: `${BASE}/oauth/token` });
});

describe('each address', () => {
  test.each([
    ['/oauth/token', 'POST', 'OPTIONS'],
    ['/oauth/register', 'POST', 'OPTIONS'],
    ['/oauth/revoke', 'POST', 'OPTIONS'],
    ['/.well-known/oauth-authorization-server', 'GET', 'OPTIONS'],
  ])('%s may be asked by a page of any origin', async (path, method) => {
    const headers = {
      origin: 'https://inspector.test',
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type',
    };
    const preflight = await server.fetch(BASE + path, { method: 'OPTIONS', headers });
    expect([preflight.status, ...names(preflight)]).toEqual([204, '*', 'authorization, content-type']);
    const answer = await server.fetch(BASE + path, { method, headers: { origin: 'https://inspector.test' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  const names = ({ headers }: Response) => [
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-headers'),
  ];

  test.each([
    ['/oauth/token', 'GET', 'POST'],
    ['/oauth/register', 'DELETE', 'POST'],
    ['/oauth/authorize', 'POST', 'GET'],
    ['/.well-known/oauth-authorization-server', 'POST', 'GET, HEAD'],
  ])('%s answers %s with 405 and what is allowed', async (path, method, allowed) => {
    const answer = await server.fetch(BASE + path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  test.each([
    ['/token', '/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token' }) }],
    ['/register', '/oauth/register', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
    ['/authorize?client_id=nobody', '/oauth/authorize?client_id=nobody', {}],
  ])('%s at the root answers as %s does', async (root, path, options) => {
    const [one, other] = await Promise.all([root, path].map((each) => server.fetch(BASE + each, options)));
    expect([one!.status, await one!.text()]).toEqual([other!.status, await other!.text()]);
  });

  test('a refused token is reported in JSON, also to who would rather see a page', async () => {
    const headers = { accept: 'text/html' };
    const answer = await server.fetch(`${BASE}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams() });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.status).toBe(400);
  });

  test('what is not the authorization server’s is left to others', async () => {
    expect((await server.fetch(`${BASE}/oauth/else`)).status).toBe(404);
    expect((await server.fetch(MCP)).status + (await server.fetch(API)).status).toBe(808);
  });

  test('a HEAD of a document has its headers', async () => {
    const answer = await server.fetch(BASE + DOCUMENTS[0]!, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});
