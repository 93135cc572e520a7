import { describe, expect, test } from 'vitest';
import { openIngressHarness } from '../ingress-harness.fixture.ts';
import { call, legacy, modern, openMcpWorld } from './mcp-harness.fixture.ts';

const ERAS = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
] as const;
const LIST = modern('tools/list');

describe('who has no token that is good here gets 401 with where and how to get one', () => {
  test.each([
    ['no token', null, /./],
    ['an unknown token', 'a'.repeat(43), /approval ended/],
    ['a text that is no token', 'a b', /./],
    ['an API key', 'key', /REST API/],
  ])('%s', async (_what, sent, said) => {
    await using open = await openMcpWorld();
    const answer = await open.post(LIST, { key: sent === 'key' ? open.key : sent });
    expect(answer.status).toBe(401);
    expect(answer.body.error_description).toMatch(said);
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toContain('scope="posts:schedule"');
    expect(challenge).toContain(`resource_metadata="${open.harness.url}/.well-known/oauth-protected-resource/mcp"`);
    expect(challenge?.includes('error=')).toBe(sent !== null && sent !== 'a b');
  });
});

test('a token is for one resource: the other refuses it and names its own', async () => {
  await using open = await openMcpWorld();
  const { harness, world, scenario, token } = open;
  const { token: forApi } = await world.app(scenario, { resource: `${harness.url}/api` });
  const refused = await open.post(LIST, { key: forApi });
  expect([refused.status, refused.body.error_description]).toEqual([
    401,
    expect.stringContaining(`resource is ${harness.url}/mcp`),
  ]);
  expect((await harness.call('GET', '/api/channels', { key: forApi })).status).toBe(200);
  const onRest = await harness.call('GET', '/api/channels', { key: token });
  expect([onRest.status, onRest.body.error.message]).toEqual([
    401,
    expect.stringContaining(`resource is ${harness.url}/api`),
  ]);
  expect(onRest.headers.get('www-authenticate')).toContain(
    `resource_metadata="${harness.url}/.well-known/oauth-protected-resource/api"`,
  );
});

test('a token ends by the clock of the installation', async () => {
  await using open = await openMcpWorld();
  expect((await open.post(LIST)).status).toBe(200);
  open.clock.moveWall(900_000);
  const answer = await open.post(LIST);
  expect([answer.status, answer.body.error_description]).toEqual([401, expect.stringContaining('expired')]);
});

test.each(ERAS)('an approval that ended changes nothing at once, and reads nothing after 5 s: %s', async (_era, as) => {
  await using open = await openMcpWorld();
  const { world, scenario, approvalId, channels, clock } = open;
  const schedule = as(
    ...call('schedule_post', { text: 'Hello', channelIds: channels, scheduledAt: '2026-11-21T12:00:00Z' }),
  );
  expect((await open.post(LIST)).status).toBe(200);
  await world.revokeApproval(scenario, approvalId);
  const refused = await open.post(schedule);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata');
  expect(scenario.posts.size).toBe(0);
  await clock.advance(5_000);
  expect((await open.post(LIST)).status).toBe(401);
});

test.each(ERAS)('a tool whose permissions a token lacks is 403 with all of them: %s', async (_era, as) => {
  await using open = await openMcpWorld({}, ['posts:schedule']);
  const answer = await open.post(as(...call('publish_now', { text: 'Hello', channelIds: open.channels })));
  expect(answer.status).toBe(403);
  expect(answer.body.error).toBe('insufficient_scope');
  const challenge = answer.headers.get('www-authenticate');
  expect(challenge).toContain('error="insufficient_scope"');
  expect(challenge).toContain('scope="posts:schedule posts:publish"');
  expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp"');
  expect(open.scenario.posts.size).toBe(0);
});

test('a token that was asked for less than was approved has less, on both doors', async () => {
  await using open = await openMcpWorld();
  const { harness, world, scenario, approvalId } = open;
  const narrow = { approvalId, asked: ['webhooks:manage'] } as const;
  const { token } = await world.app(scenario, { resource: open.resource, ...narrow });
  const answer = await open.post(modern(...call('list_channels')), { key: token });
  expect([answer.status, answer.body.scope]).toEqual([403, 'posts:schedule']);
  const { token: forApi } = await world.app(scenario, { resource: `${harness.url}/api`, ...narrow });
  expect((await harness.call('GET', '/api/channels', { key: forApi })).status).toBe(403);
  expect((await harness.call('GET', '/api/webhooks', { key: forApi })).status).toBe(200);
});

test('a method other than POST is 405 with what is taken', async () => {
  await using open = await openMcpWorld();
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await open.harness.call(method, '/mcp', { key: open.token });
    expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS']);
  }
});

test('the address with a slash at its end answers too, and redirects nobody', async () => {
  await using open = await openMcpWorld();
  expect((await open.post(LIST, { path: '/mcp/' })).status).toBe(200);
});

describe('origins and hosts', () => {
  const ALLOWED = 'https://inspector.test';

  test('a page of a stranger is refused, whatever its token; one that is allowed may read the answer', async () => {
    await using open = await openMcpWorld({ allowedOrigins: [ALLOWED] });
    const from = (origin: string, key: string | null = open.token) =>
      open.post(LIST, { key, more: { Origin: origin } });
    for (const origin of [
      'https://evil.test',
      'null',
      `${ALLOWED}.evil.test`,
      'http://inspector.test',
      `${ALLOWED}:8443`,
    ]) {
      const answer = await from(origin);
      expect([origin, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
    }
    for (const origin of [ALLOWED, open.harness.url]) {
      const answer = await from(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
    const unknown = await from(ALLOWED, null);
    expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([401, ALLOWED]);
    expect(unknown.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  test('what a browser asks beforehand is answered without a token', async () => {
    await using open = await openMcpWorld({ allowedOrigins: [ALLOWED] });
    const ask = (origin: string) =>
      open.harness.call('OPTIONS', '/mcp', {
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
        },
      });
    const answer = await ask(ALLOWED);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
    expect((await ask('https://evil.test')).status).toBe(403);
  });

  test('a name that somebody made to point here is refused', async () => {
    await using open = await openMcpWorld({ publicUrl: 'https://crier.test' });
    const answer = await open.post(LIST);
    expect([answer.status, answer.body.error.message]).toEqual([
      403,
      expect.stringContaining('https://crier.test/mcp'),
    ]);
  });

  test('behind a trusted proxy the host that it forwards counts', async () => {
    await using open = await openMcpWorld();
    const { world, scenario } = open;
    const publicUrl = 'https://crier.test';
    await using harness = await openIngressHarness(world, { publicUrl, trustedProxies: ['127.0.0.1'] });
    const { token: key } = await world.app(scenario, { resource: `${publicUrl}/mcp` });
    const ask = (host: string) =>
      harness.call('POST', '/mcp', {
        key,
        body: LIST.body,
        headers: { ...LIST.headers, Accept: 'application/json, text/event-stream', 'X-Forwarded-Host': host },
      });
    expect((await ask('crier.test')).status).toBe(200);
    expect((await ask('crier.test:443')).status).toBe(200);
    expect((await ask('evil.test')).status).toBe(403);
    expect((await ask('crier.test@evil.test')).status).toBe(403);
  });
});

test('a body that is too large, or no JSON, is refused in JSON-RPC’s form', async () => {
  await using open = await openMcpWorld();
  const large = await open.post({ body: JSON.stringify({ ...LIST.body, more: 'x'.repeat(1_000_001) }) });
  expect([large.status, large.body.jsonrpc]).toEqual([413, '2.0']);
  for (const body of ['{', '', '[[[', '\u{0}']) {
    const answer = await open.post({ body });
    expect([body, answer.status, answer.body.error.code]).toEqual([body, 400, -32_700]);
  }
  const form = await open.post({ body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  expect(form.status).toBe(415);
});

test('nothing that a client sends is answered with a 5xx', async () => {
  await using open = await openMcpWorld();
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const bodies: unknown[] = [
    'null',
    '1',
    '"a"',
    '[]',
    '{}',
    '[1]',
    '[[]]',
    '[null]',
    deep,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_post","arguments":{"postId":${deep}}}}`,
    legacy('tools/call', {}).body,
    legacy('tools/call', { name: 5 }).body,
    legacy('tools/call', { name: 'get_post', arguments: 'x' }).body,
    legacy('nothing/known').body,
    legacy('tools/list', { cursor: 5 }).body,
    { jsonrpc: '2.0', id: {}, method: 'ping' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    Array.from({ length: 100 }, (_, id) => legacy('ping', {}, id).body),
    Array.from({ length: 101 }, (_, id) => legacy('ping', {}, id).body),
    modern('subscriptions/listen', { notifications: { toolsListChanged: true } }).body,
    legacy('__proto__').body,
    legacy(...call('constructor')).body,
  ];
  for (const body of bodies) {
    for (const headers of [
      {},
      modern('tools/call').headers,
      { 'Mcp-Protocol-Version': 'nonsense' },
      { Accept: 'text/html' },
    ]) {
      const { status } = await open.post({ body, headers: headers as Record<string, string> });
      expect([JSON.stringify(body).slice(0, 100), headers, status < 500]).toEqual([
        JSON.stringify(body).slice(0, 100),
        headers,
        true,
      ]);
    }
  }
  expect(open.harness.reporter.failures()).toEqual([]);
});

test('a batch that cancels its own calls is answered as one that does not', async () => {
  await using open = await openMcpWorld();
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const headers = { 'Mcp-Protocol-Version': '2025-03-26' };
  const answer = await open.post({ body: [legacy(...call('list_channels')).body, cancel], headers });
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({ id: 1, result: expect.objectContaining({ structuredContent: expect.anything() }) }),
  ]);
  expect((await open.post({ body: [cancel], headers })).status).toBe(202);
});

test('a subscription is acknowledged as one to nothing, and ends at once', async () => {
  await using open = await openMcpWorld();
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['file:///a'] };
  const { status, headers, body } = await open.post(modern('subscriptions/listen', { notifications }));
  const frames = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]: string[]) => JSON.parse(data!));
  expect([status, headers.get('content-type'), frames]).toEqual([
    200,
    'text/event-stream',
    [
      expect.objectContaining({
        method: 'notifications/subscriptions/acknowledged',
        params: expect.objectContaining({ notifications: {} }),
      }),
      expect.objectContaining({ id: 1, result: expect.objectContaining({ resultType: 'complete' }) }),
    ],
  ]);
});

test('a client that leaves ends what its call asks of others', async () => {
  let begun = () => {};
  const inspecting = new Promise<void>((resolve) => (begun = resolve));
  const ended = Promise.withResolvers<void>();
  await using open = await openMcpWorld({
    inspectAddress: (_url, signal) => {
      begun();
      signal.addEventListener('abort', () => ended.resolve(), { once: true });
      return new Promise(() => {});
    },
  });
  const { body, headers } = modern(
    ...call('publish_now', { text: 'x', channelIds: open.channels, media: [{ url: 'https://pictures.test/a.jpg' }] }),
  );
  const leaving = new AbortController();
  const sent = fetch(open.resource, {
    method: 'POST',
    signal: leaving.signal,
    body: JSON.stringify(body),
    headers: {
      ...headers,
      Authorization: `Bearer ${open.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
  });
  sent.catch(() => {});
  await inspecting;
  leaving.abort();
  await ended.promise;
});
