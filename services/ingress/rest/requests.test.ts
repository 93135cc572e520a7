import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Permission } from '#domain/workspace/state.ts';
import { PortError } from '#ports/errors.ts';
import { tokenHashOf } from '../authenticate.ts';
import { openIngressHarness, openIngressWorld, START, type IngressHarness } from '../ingress-harness.fixture.ts';

const later = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const SOME_ID = '01890000-0000-7000-8000-000000000000';
const SOME_VARIANT = '01890000-0000-7000-8000-000000000001';

/** Sends bytes as they are and gives what comes back until the connection ends or `until` is in it. */
function raw(harness: IngressHarness, bytes: string, until = /\0/): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = harness.service.address();
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let heard = '';
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      heard += data;
      if (until.test(heard)) socket.destroy();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

test('a request without a known key is refused', async () => {
  await using open = await openIngressWorld();
  const { harness, key } = open;
  const headers = [
    '',
    'Bearer',
    `Basic ${key}`,
    key,
    `Bearer ${key}x`,
    `Bearer crier_${'a'.repeat(40)}`,
    `Bearer ${key} ${key}`,
    'Bearer crier_',
    `Bearer ${'a'.repeat(5_000)}`,
  ];
  for (const authorization of headers) {
    const answer = await harness.call('GET', '/api/posts', { headers: { Authorization: authorization } });
    expect([authorization, answer.status, answer.body.error.code]).toEqual([authorization, 401, 'unauthorized']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
  expect((await harness.call('GET', '/api/posts')).status).toBe(401);
  expect((await harness.call('GET', '/api/posts', { headers: { Authorization: `bearer  ${key}` } })).status).toBe(200);
});

test('a key whose checksum does not fit is refused without a look-up; one of the former form is looked up', async () => {
  const looked: string[] = [];
  const findCredential = (tokenHash: string) => Promise.resolve((looked.push(tokenHash), null));
  await using open = await openIngressWorld({ findCredential });
  const { harness, key } = open;
  const last = key.at(-1) === '0' ? '1' : '0';
  const mistyped = await harness.call('GET', '/api/channels', { key: key.slice(0, -1) + last });
  expect([mistyped.status, mistyped.body.error.message, looked]).toEqual([
    401,
    'This API key is not whole: its checksum does not fit. Copy it again, with all its characters.',
    [],
  ]);
  const former = `crier_${'k'.repeat(43)}`;
  expect((await harness.call('GET', '/api/channels', { key: former })).status).toBe(401);
  expect(looked).toEqual([tokenHashOf(former)]);
});

test('where the public address is https, every answer keeps browsers to https: of REST, MCP, pages and refusals', async () => {
  await using open = await openIngressWorld({ publicUrl: 'https://crier.test', hstsSeconds: 300 });
  for (const [method, path] of [
    ['GET', '/api/channels'],
    ['GET', '/nowhere'],
    ['POST', '/mcp'],
    ['GET', '/developers'],
    ['GET', '/media/none'],
  ] as const) {
    const { headers } = await open.harness.call(method, path);
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=300']);
  }
});

test('a revoked key can change nothing at once, and read nothing after five seconds', async () => {
  await using open = await openIngressWorld();
  const { harness, key, keyId, channels, scenario, world, clock } = open;
  const create = () =>
    harness.call('POST', '/api/posts', { key, body: { text: 'Hello', channelIds: channels, scheduledAt: later(60) } });
  expect((await harness.call('GET', '/api/channels', { key })).status).toBe(200);
  await world.revoke(scenario, keyId);
  expect(await create()).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect(scenario.posts.size).toBe(0);
  await clock.advance(5_000);
  expect((await harness.call('GET', '/api/channels', { key })).status).toBe(401);
});

// [permissions, operation, status]
const MATRIX: readonly (readonly [readonly Permission[], string, number])[] = [
  [[], 'schedule', 201],
  [[], 'publish', 403],
  [[], 'retry', 403],
  [[], 'cancel', 404],
  [[], 'validate', 200],
  [[], 'attempts', 404],
  [[], 'usage', 200],
  [[], 'channels', 200],
  [['webhooks:manage'], 'publish', 403],
  [['webhooks:manage'], 'schedule', 201],
  [['posts:publish'], 'publish', 201],
  [['posts:publish'], 'retry', 404],
  [['posts:publish'], 'schedule', 201],
];

test.each(MATRIX)('a key with %j that asks to %s gets %d', async (permissions, operation, status) => {
  await using open = await openIngressWorld({}, permissions);
  const { harness, key, channels } = open;
  const content = { text: 'Hello', channelIds: channels };
  const requests: Record<string, [string, string, unknown?]> = {
    schedule: ['POST', '/api/posts', { ...content, scheduledAt: later(60) }],
    publish: ['POST', '/api/posts', content],
    retry: ['POST', `/api/variants/${SOME_VARIANT}/retry`],
    cancel: ['POST', `/api/posts/${SOME_ID}/cancel`],
    validate: ['POST', '/api/posts/validate', content],
    attempts: ['GET', `/api/variants/${SOME_VARIANT}/attempts`],
    usage: ['GET', '/api/usage'],
    channels: ['GET', '/api/channels'],
  };
  const [method, path, body] = requests[operation]!;
  const answer = await harness.call(method, path, { key, ...(body !== undefined && { body }) });
  expect(answer.status).toBe(status);
  if (status === 403)
    expect(answer.body.error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('posts:publish') });
});

test('the shape is checked before the permission', async () => {
  await using open = await openIngressWorld({}, []);
  const answer = await open.harness.call('POST', '/api/posts', {
    key: open.key,
    body: { text: 5, channelIds: open.channels },
  });
  expect(answer.status).toBe(400);
});

test('a method that a path does not have is refused with the methods it has', async () => {
  await using open = await openIngressWorld();
  const { harness, key } = open;
  const allowOf = async (method: string, path: string, withKey: string | undefined) => {
    const { status, headers, body } = await harness.call(method, path, withKey === undefined ? {} : { key: withKey });
    return [status, headers.get('allow'), body.error?.code];
  };
  expect(await allowOf('DELETE', '/api/posts', key)).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
  expect(await allowOf('OPTIONS', '/api/posts', undefined)).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
  expect(await allowOf('PUT', `/api/posts/${SOME_ID}/cancel`, key)).toEqual([405, 'POST', 'method_not_allowed']);
  expect((await harness.call('HEAD', '/api/posts/bulk', { key })).headers.get('allow')).toBe('POST');
  expect(await allowOf('POST', '/developers', undefined)).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
});

test('HEAD answers as GET does, without a body', async () => {
  await using open = await openIngressWorld();
  const { status, headers, body } = await open.harness.call('HEAD', '/api/channels', { key: open.key });
  expect([status, body, Number(headers.get('content-length')) > 2]).toEqual([200, '', true]);
});

test('answers are private, name no software and cannot be revalidated', async () => {
  await using open = await openIngressWorld();
  for (const path of ['/api/channels', '/api/nothing', '/api/posts?x=1']) {
    const { headers } = await open.harness.call('GET', path, { key: open.key });
    expect([
      headers.get('cache-control'),
      headers.get('x-powered-by'),
      headers.get('etag'),
      headers.get('content-type'),
    ]).toEqual(['private, no-store', null, null, 'application/json; charset=utf-8']);
  }
});

test.each([
  ['no HTTP at all', 'what is this\r\n\r\n'],
  ['headers too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
  ['two lengths', 'POST /api/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'length and chunks',
    'POST /api/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['an unknown expectation', 'POST /api/posts HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\na'],
])('%s gets the envelope', async (_what, bytes) => {
  await using open = await openIngressWorld();
  const heard = await raw(open.harness, bytes);
  expect(heard).toMatch(/^HTTP\/1.1 400 /);
  expect(heard).toMatch(
    /\r\n\r\n\{"error":\{"code":"invalid_request","message":"[^"]+","docUrl":"[^"]+\/developers\/errors\/invalid_request"\}\}$/,
  );
});

test('a chunked body over the limit is refused while it is being sent', async () => {
  await using open = await openIngressWorld();
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  const head = `POST /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${open.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const heard = await raw(open.harness, head + chunk.repeat(17), /too_large/);
  expect(heard).toMatch(/^HTTP\/1.1 413 /);
});

test('a request that breaks off changes nothing and is reported as no failure', async () => {
  await using open = await openIngressWorld();
  const { harness, world, key } = open;
  const head = `POST /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"text"`;
  const socket = connect(harness.service.address().port, '127.0.0.1', () => socket.end(head));
  await new Promise((resolve) => socket.on('close', resolve).resume());
  expect((await harness.call('GET', '/api/channels', { key })).status).toBe(200);
  expect([world.commands, harness.reporter.failures()]).toEqual([0, []]);
});

test('absolute targets and a slash at the end lead to the same place', async () => {
  await using open = await openIngressWorld();
  const heard = await raw(
    open.harness,
    `GET http://elsewhere.test/api/channels/ HTTP/1.1\r\nHost: elsewhere.test\r\nAuthorization: Bearer ${open.key}\r\nConnection: close\r\n\r\n`,
  );
  expect(heard).toMatch(/^HTTP\/1.1 200 /);
});

const DOWN = new PortError('unavailable', 'the store is away');

test.each([
  ['the store of keys is away', { findCredential: () => Promise.reject(DOWN) }, 'unavailable'],
  [
    'requests cannot be counted',
    {
      requestsPerMinute: 60,
      requests: {
        insert: () => Promise.reject(DOWN),
        refuse: () => Promise.reject(DOWN),
        read: () => Promise.reject(DOWN),
      },
    },
    'unavailable',
  ],
  ['the log is away', { request: () => Promise.reject(DOWN) }, 'unavailable'],
  [
    'the log may have taken it',
    { request: () => Promise.reject(new PortError('unknown', 'timed out')) },
    'outcome_unknown',
  ],
  [
    'no answer came',
    { request: async () => ({ requestId: '', result: { ok: false, code: 'outcome_unknown', message: '' } }) as const },
    'outcome_unknown',
  ],
  ['a bug strikes', { request: () => Promise.reject(new Error('secret detail')) }, 'outcome_unknown'],
])('when %s, the answer is a 503 with Retry-After', async (_what, options, code) => {
  await using open = await openIngressWorld(options);
  const { status, headers, body } = await open.harness.call('POST', '/api/posts', {
    key: open.key,
    body: { text: 'Hello', channelIds: open.channels },
  });
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, code, '5']);
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('a read that fails after the change is not answered as if nothing changed', async () => {
  await using open = await openIngressWorld();
  await using harness = await openIngressHarness(open.world, {
    posts: { ...open.world.readers().posts, read: () => Promise.reject(DOWN) },
  });
  const { body } = await harness.call('POST', '/api/posts', {
    key: open.key,
    body: { text: 'Hello', channelIds: open.channels },
  });
  expect([body.error.code, open.scenario.posts.size]).toEqual(['outcome_unknown', 1]);
});

test('a store that never answers is abandoned at the deadline', async () => {
  await using open = await openIngressWorld({ findCredential: () => new Promise(() => {}) });
  const answer = open.harness.call('GET', '/api/channels', { key: open.key });
  await expect.poll(() => open.clock.armed()).toBe(1);
  await open.clock.advance(15_000);
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(open.clock.armed()).toBe(0);
});

test('a drain finishes requests in flight, closes their connections, and takes no new ones', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await using open = await openIngressWorld();
  const readers = open.world.readers();
  let asked = false;
  await using harness = await openIngressHarness(open.world, {
    request: async (command) => {
      asked = true;
      await held;
      return readers.request(command);
    },
  });
  const inFlight = harness.call('POST', '/api/posts', {
    key: open.key,
    body: { text: 'Hello', channelIds: open.channels },
  });
  await expect.poll(() => asked).toBe(true);
  const drained = harness.service.drain();
  await expect(harness.call('GET', '/api/channels', { key: open.key })).rejects.toThrow();
  release();
  const { status, headers } = await inFlight;
  expect([status, headers.get('connection')]).toEqual([201, 'close']);
  await drained;
  await harness.service.drain();
});
