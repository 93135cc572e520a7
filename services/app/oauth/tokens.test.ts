import { hash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { findAppToken } from '#tables/repositories/oauth-records.ts';
import { wayToApp } from './browser.fixture.ts';
import { API, BASE, DAY, MCP, MINUTE, OAuthHarness, REDIRECT, SECOND } from './oauth-harness.fixture.ts';

let server: OAuthHarness;

beforeEach(async () => {
  server = await OAuthHarness.start();
});
afterEach(() => server.stop());

const stored = (token: string) =>
  findAppToken(createMemoryTableStore({ tables: server.tables, clock: server.clock }), hash('sha256', token, 'hex'));
const resourceOf = async (token: string) => (await stored(token))?.resource;
const approvalIds = () => [...server.approvals.keys()];
const isAlive = (approvalId = approvalIds()[0]!) => server.approvals.get(approvalId)?.revoked === false;

test('a strict client registers, is approved, redeems its code, refreshes and revokes', async () => {
  const { client, tokens } = await server.connected({ scope: 'posts:schedule' });
  expect(tokens.scope).toBe('posts:schedule');
  const [approval] = [...server.approvals.values()];
  expect(approval).toMatchObject({ clientId: client.client_id, name: 'Claude', permissions: ['posts:schedule'] });
  expect(await stored(tokens.access)).toEqual({
    approvalId: approval!.approvalId,
    resource: MCP,
    permissions: ['posts:schedule'],
    expiresAt: server.clock.now() + 15 * MINUTE,
  });

  const refreshed = await server.refresh(client, tokens.refresh);
  expect(refreshed.refresh).not.toBe(tokens.refresh);
  expect(server.uses).toContain(approval!.approvalId);

  const as = await server.discover();
  const response = await oauth.revocationRequest(as, client, oauth.None(), refreshed.refresh, server.options);
  await oauth.processRevocationResponse(response);
  expect(isAlive()).toBe(false);
  await expect(server.refresh(client, refreshed.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test.each(['client_secret_basic', 'client_secret_post'])('a client with a secret redeems by %s', async (method) => {
  const client = await server.register({ token_endpoint_auth_method: method });
  const { callback, verifier } = await server.approve(client);
  const as = await server.discover();
  const auth = method.endsWith('basic') ? oauth.ClientSecretBasic : oauth.ClientSecretPost;
  const redeem = async (secret: string) => {
    const parameters = oauth.validateAuthResponse(as, client, callback, 'a state');
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth(secret),
      parameters,
      REDIRECT,
      verifier,
      server.options,
    );
    return oauth.processAuthorizationCodeResponse(as, client, response);
  };
  await expect(redeem('guessed')).rejects.toThrow();
  expect(await redeem(client.client_secret as string)).toMatchObject({ token_type: 'bearer', expires_in: 900 });
});

describe('resources', () => {
  test('a request that names both gives tokens for either, one at a time, by code and by refresh', async () => {
    const client = await server.register();
    const approved = await server.approve(client, { resources: [MCP, API] });
    const tokens = await server.redeem(client, approved, { resource: API });
    expect(await resourceOf(tokens.access)).toBe(API);
    const forMcp = await server.refresh(client, tokens.refresh, { resource: MCP });
    expect(await resourceOf(forMcp.access)).toBe(MCP);
    const forApi = await server.refresh(client, forMcp.refresh, { resource: API });
    expect(await resourceOf(forApi.access)).toBe(API);
    expect(await resourceOf((await server.refresh(client, forApi.refresh)).access)).toBe(MCP);
  });

  test.each([
    ['none', []],
    ['one with a slash at the end', [`${MCP}/`]],
  ])('%s means /mcp', async (_what, resources) => {
    const { client, tokens } = await server.connected({ resources });
    expect(await resourceOf(tokens.access)).toBe(MCP);
    expect(await resourceOf((await server.refresh(client, tokens.refresh, { resource: `${MCP}/` })).access)).toBe(MCP);
  });

  test.each(['https://evil.test/mcp', BASE, `${MCP}/more`, `${MCP}?a=b`, 'not an address'])(
    'to ask for %s is refused by invalid_target',
    async (resource) => {
      const client = await server.register();
      const url = server.authorizeUrl(client, 'x'.repeat(43), { resources: [resource] });
      const way = wayToApp(await (await server.browser().get(url)).text());
      expect(way.href.startsWith(REDIRECT)).toBe(true);
      expect(Object.fromEntries(way.searchParams)).toMatchObject({
        error: 'invalid_target',
        iss: BASE,
        state: 'a state',
      });
    },
  );

  test('a token for the other resource is not had with a code or refresh token for one', async () => {
    const client = await server.register();
    const approved = await server.approve(client, { resources: [MCP] });
    await expect(server.redeem(client, approved, { resource: API })).rejects.toMatchObject({ error: 'invalid_target' });
    const { client: another, tokens } = await server.connected();
    const refreshed = server.refresh(another, tokens.refresh, { resource: API });
    await expect(refreshed).rejects.toMatchObject({ error: 'invalid_target' });
  });
});

describe('permissions', () => {
  test.each([
    ['nothing', undefined],
    ['an empty scope', ''],
    ['scopes of others alone', 'openid profile'],
    ['a refresh token alone', 'offline_access'],
  ])('who asks for %s is offered posts:schedule', async (_what, scope) => {
    const { tokens } = await server.connected(scope === undefined ? {} : { scope });
    expect((await stored(tokens.access))?.permissions).toEqual(['posts:schedule']);
  });

  test('the token gets what was ticked: less than was asked, or more', async () => {
    const all = 'posts:schedule posts:publish webhooks:manage';
    const less = await server.connected({ scope: all, permissions: ['posts:publish'] });
    expect(less.tokens.scope).toBe('posts:schedule posts:publish');
    const more = await server.connected({ scope: 'posts:schedule', permissions: ['webhooks:manage'] });
    expect(more.tokens.scope).toBe('posts:schedule webhooks:manage');
    expect((await stored(more.tokens.access))?.permissions).toEqual(['posts:schedule', 'webhooks:manage']);
    const refreshed = await server.refresh(more.client, more.tokens.refresh);
    expect(refreshed.scope).toBe('posts:schedule webhooks:manage');
  });

  test('a refresh may ask for less, and not for more', async () => {
    const { client, tokens } = await server.connected({ scope: 'posts:schedule posts:publish' });
    const less = await server.refresh(client, tokens.refresh, { scope: 'posts:schedule' });
    expect(less.scope).toBe('posts:schedule');
    const more = server.refresh(client, less.refresh, { scope: 'webhooks:manage' });
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' });
  });

  test('a wider request asks the person again, and leaves the earlier tokens alone', async () => {
    const { client, tokens } = await server.connected({ scope: 'posts:schedule' });
    const scope = 'posts:schedule posts:publish';
    const wider = await server.redeem(client, await server.approve(client, { scope }), {});
    expect(wider.scope).toBe(scope);
    expect(approvalIds()).toHaveLength(2);
    expect((await server.refresh(client, tokens.refresh)).scope).toBe('posts:schedule');
    expect((await server.refresh(client, wider.refresh)).scope).toBe(scope);
  });
});

describe('a refresh token', () => {
  test('used by three processes at once, on two replicas, is good for each, and so are all successors', async () => {
    const { client, tokens } = await server.connected();
    const other = await OAuthHarness.start({ of: server, seed: 2 });
    try {
      const all = await Promise.all([server, other, server].map((each) => each.refresh(client, tokens.refresh)));
      expect(new Set(all.map(({ refresh }) => refresh)).size).toBe(3);
      for (const { refresh } of all) await other.refresh(client, refresh);
      expect(isAlive()).toBe(true);
    } finally {
      await other.stop();
    }
  });

  test('may be used again for 60 s, also after its successor was; later it ends the approval', async () => {
    const { client, tokens } = await server.connected();
    const successor = await server.refresh(client, tokens.refresh);
    await server.clock.advance(30 * SECOND);
    await server.refresh(client, successor.refresh);
    await server.clock.advance(30 * SECOND);
    const again = await server.refresh(client, tokens.refresh);
    expect(isAlive()).toBe(true);
    await server.clock.advance(1);
    await expect(server.refresh(client, tokens.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(isAlive()).toBe(false);
    await expect(server.refresh(client, again.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('is good for 30 days from its last use, and no day longer', async () => {
    const { client, tokens } = await server.connected();
    await server.clock.advance(30 * DAY - 1);
    const second = await server.refresh(client, tokens.refresh);
    await server.clock.advance(30 * DAY - 1);
    const third = await server.refresh(client, second.refresh);
    await server.clock.advance(30 * DAY);
    await expect(server.refresh(client, third.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(isAlive()).toBe(true);
  });

  test('of another client is good for nothing, and ends nothing', async () => {
    const { tokens } = await server.connected();
    const thief = await server.register({ client_name: 'Thief' });
    await expect(server.refresh(thief, tokens.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
    const as = await server.discover();
    await oauth.revocationRequest(as, thief, oauth.None(), tokens.refresh, server.options);
    expect(isAlive()).toBe(true);
  });

  test('is not had by a client whose grants leave it out', async () => {
    const client = await server.register({ grant_types: ['authorization_code'] });
    expect((await server.redeem(client, await server.approve(client))).refresh).toBe('');
  });
});

describe('time goes by the Clock port', () => {
  test('a code lives for 60 s', async () => {
    const client = await server.register();
    const approved = await server.approve(client);
    server.clock.moveWall(60 * SECOND - 1);
    await server.redeem(client, approved);
    const late = await server.approve(client);
    server.clock.moveWall(60 * SECOND);
    await expect(server.redeem(client, late)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('a clock that an operator moved ahead by years ends nothing that is made afterwards', async () => {
    server.clock.moveWall(1_000 * DAY);
    const { client, tokens } = await server.connected();
    const { access } = await server.refresh(client, tokens.refresh);
    expect(await stored(access)).toMatchObject({ expiresAt: server.clock.now() + 15 * MINUTE });
  });
});

describe('the end of an approval', () => {
  test('ends its codes and tokens at once, and those of no other', async () => {
    const { client, tokens } = await server.connected();
    const waiting = await server.approve(client);
    const [first, second] = approvalIds();
    server.endApproval(second!);
    await expect(server.redeem(client, waiting)).rejects.toMatchObject({ error: 'invalid_grant' });
    const { refresh } = await server.refresh(client, tokens.refresh);
    server.endApproval(first!);
    await expect(server.refresh(client, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('is not caused by revoking an access token, which alone is gone', async () => {
    const { client, tokens } = await server.connected();
    const as = await server.discover();
    await oauth.revocationRequest(as, client, oauth.None(), tokens.access, server.options);
    expect([await stored(tokens.access), isAlive()]).toEqual([null, true]);
    await server.refresh(client, tokens.refresh);
  });
});

test('what happened is reported, without secrets', async () => {
  const { client, tokens } = await server.connected();
  await server.refresh(client, tokens.refresh);
  await expect(server.refresh(client, 'a guess')).rejects.toThrow();
  const of = (event: 'app-tokens-issued' | 'oauth-refused' | 'app-consent-given' | 'app-registered') =>
    server.reporter.of(event).map(({ facts }) => facts);
  expect(of('app-registered')).toEqual([{ outcome: 'registered', clientId: client.client_id }]);
  expect(of('app-consent-given')).toMatchObject([{ outcome: 'approved', registered: 'itself' }]);
  expect(of('app-tokens-issued').map(({ grantType }) => grantType)).toEqual(['authorization_code', 'refresh_token']);
  expect(of('oauth-refused')).toMatchObject([{ endpoint: 'token', error: 'invalid_grant' }]);
  expect(server.reporter.failures()).toEqual([]);
  const said = JSON.stringify(server.reporter.events);
  for (const secret of [tokens.access, tokens.refresh, 'a guess']) expect(said).not.toContain(secret);
});
