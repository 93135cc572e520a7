import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { HeadlessPerson } from '#testing/headless-person.ts';
import { StrictOAuthClient } from '#testing/strict-oauth-client.ts';
import { until } from '#testing/until.ts';

const HOUR = 3_600_000;
const REDIRECT = 'https://claude.ai/api/mcp/auth_callback';
const ALL = ['posts:publish', 'webhooks:manage'];

let crier: CrierUnderTest;
let person: HeadlessPerson;
let mcp: string;
let api: string;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ name: 'oauth-clients', env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  person = new HeadlessPerson(crier);
  mcp = `${crier.ready.baseUrl}/mcp`;
  api = `${crier.ready.baseUrl}/api`;
});
afterAll(() => crier[Symbol.asyncDispose]());

const register = (name: string, ...redirects: readonly string[]): Promise<StrictOAuthClient> =>
  StrictOAuthClient.register({
    baseUrl: crier.ready.baseUrl!,
    person,
    metadata: { client_name: name, redirect_uris: [...redirects] },
  });

const listTools = (token: string) =>
  send(
    'POST',
    mcp,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' } },
  );

describe('a strict client is sent back to', () => {
  test.each([
    ['Claude', 'https://claude.ai/api/mcp/auth_callback', null],
    ['ChatGPT', 'https://chatgpt.com/connector_platform_oauth_redirect', null],
    ['VS Code in the browser', 'https://vscode.dev/redirect', null],
    ['VS Code at its port', 'http://127.0.0.1:33418/', null],
    ['VS Code at another port', 'http://127.0.0.1:33418/', 'http://127.0.0.1:50123/'],
    ['Claude Code, registered without a port', 'http://localhost/callback', 'http://localhost:51234/callback'],
    ['Cursor', 'http://localhost:8787/callback', null],
    ['Cursor by a scheme of its own', 'cursor://anysphere.cursor-mcp/oauth/callback', null],
  ])('%s, with a code that gives a token', async (name, registered, used) => {
    const client = await register(name, registered);
    const redirectUri = used ?? registered;
    const { callback, access } = await client.tokens({ redirectUri, resources: [mcp] });
    expect(callback.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect((await listTools(access)).body.result.tools).toHaveLength(8);
  });
});

test('one approval gives a strict client tokens for both resources, each good for its own alone', async () => {
  const client = await register('Planner', REDIRECT);
  const asked = { redirectUri: REDIRECT, resources: [mcp, api], choice: { permissions: ALL } };
  const forMcp = await client.tokens(asked, mcp);
  const forApi = await client.refresh(forMcp.refresh, api);
  expect(forApi.scope?.split(' ').sort()).toEqual(['posts:publish', 'posts:schedule', 'webhooks:manage']);

  const rest = crier.api(forApi.access);
  expect([(await listTools(forMcp.access)).status, (await rest.send('GET', '/api/channels')).status]).toEqual([
    200, 200,
  ]);
  const misled = await listTools(forApi.access);
  expect([misled.status, JSON.stringify(misled.body)]).toEqual([401, expect.stringContaining(`resource is ${mcp}`)]);
  const astray = await crier.api(forMcp.access).send('GET', '/api/channels');
  expect([astray.status, astray.body.error.message]).toEqual([401, expect.stringContaining(`resource is ${api}`)]);
});

test('an app may over REST what was ticked, and its Posts tell its name and its Member', async () => {
  const client = await register('Planner', REDIRECT);
  const least = await client.tokens({ redirectUri: REDIRECT, resources: [api], choice: { permissions: [] } });
  const refused = await crier.api(least.access).send('GET', '/api/webhooks');
  expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('webhooks:manage')]);
  const text = { text: 'By an app', channelIds: [crier.ready.demo!.channels['threads']] };
  expect((await crier.api(least.access).send('POST', '/api/posts', text)).status).toBe(403);

  const more = await client.tokens({ redirectUri: REDIRECT, resources: [api], choice: { permissions: ALL } });
  const rest = crier.api(more.access);
  const endpoint = { url: 'https://inbox.sandbox/planner', events: ['variant.published'] };
  expect((await rest.send('POST', '/api/webhooks', endpoint)).status).toBe(201);
  const { workspaceId, memberId } = crier.ready.demo!;
  const { members } = await crier.admin().call('workspaces.get', { workspaceId });
  const by = members.find((member: { readonly memberId: string }) => member.memberId === memberId).name;
  const scheduledAt = new Date(Date.now() + HOUR).toISOString();
  for (const body of [text, { ...text, scheduledAt }]) {
    const { id } = await rest.createPost(body);
    expect(await rest.getPost(id)).toMatchObject({ via: { kind: 'app', name: 'Planner', by } });
  }
});

test('a strict client revokes: its access token alone, or with the refresh token all of the approval', async () => {
  const client = await register('Planner', REDIRECT);
  const asked = { redirectUri: REDIRECT, resources: [mcp, api] };
  const { access, refresh } = await client.tokens(asked, mcp);
  await client.revoke(access);
  expect((await listTools(access)).status).toBe(401);
  const next = await client.refresh(refresh, mcp);
  const rest = crier.api((await client.refresh(refresh, api)).access);
  const post = await rest.createPost({
    text: 'By an app',
    channelIds: [crier.ready.demo!.channels['threads']],
    scheduledAt: new Date(Date.now() + HOUR).toISOString(),
  });
  expect((await listTools(next.access)).status).toBe(200);
  await client.revoke(next.refresh);
  expect((await rest.send('POST', `/api/posts/${post.id}/cancel`)).status).toBe(401);
  await expect(client.refresh(next.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  // What a token may read is looked up anew within 5 seconds.
  await until(async () => (await listTools(next.access)).status === 401, {
    what: 'its reads refused',
    withinMs: 90_000,
  });
});

test('a person who says no is sent back with that, and no code', async () => {
  const client = await register('Planner', REDIRECT);
  const denied = client.tokens({ redirectUri: REDIRECT, resources: [mcp], choice: { decision: 'deny' } });
  await expect(denied).rejects.toMatchObject({ error: 'access_denied' });
});
