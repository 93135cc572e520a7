import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ClientAnswer, type PostJson, send } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';

const SOME_ID = '01890000-0000-7000-8000-000000000000';
const IN_AN_HOUR = (): string => new Date(Date.now() + 3_600_000).toISOString();

let crier: CrierUnderTest;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let ourPost: PostJson;
let theirPost: PostJson;
let before: string;

beforeAll(async () => {
  crier = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  [ours, theirs] = [await foundWorkspace(crier, 'ours'), await foundWorkspace(crier, 'theirs')];
  ourPost = await crier
    .api(ours.apiKey)
    .createPost({ text: 'ours', channelIds: Object.values(ours.channels), scheduledAt: IN_AN_HOUR() });
  theirPost = await crier
    .api(theirs.apiKey)
    .createPost({ text: 'theirs', channelIds: Object.values(theirs.channels), scheduledAt: IN_AN_HOUR() });
  // Pictures of accounts follow their Channels.
  for (const { apiKey } of [ours, theirs])
    await until(async () => (await crier.api(apiKey).channels()).every(({ avatarUrl }) => avatarUrl !== null), {
      what: 'a picture of each account',
    });
});
afterAll(() => crier[Symbol.asyncDispose]());

/** Everything that a refused request must leave unchanged. */
async function everything(): Promise<string> {
  const of = async ({ apiKey, workspaceId }: TestWorkspace): Promise<unknown> => {
    const api = crier.api(apiKey);
    return [
      await api.listPosts(),
      await api.usage(),
      await api.channels(),
      await crier.admin().call('workspaces.get', { workspaceId }),
    ];
  };
  const faults = (await crier.sandbox().send('GET', '/sandbox/faults')).body;
  return JSON.stringify([await of(ours), await of(theirs), await crier.sandbox().items(), faults]);
}

beforeEach(async () => {
  before = await everything();
});
afterEach(async () => {
  expect(await everything(), 'changed by a refused request').toBe(before);
});

function expectRefusal(answer: ClientAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.error?.code }, JSON.stringify(answer.body)).toEqual({
    status,
    code,
  });
  expect(answer.body.error.message).toMatch(/^\S.{5,}$/);
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:|at \w+ \(|SQLITE|Error:/);
}

describe('any request of a client gets the error of the contract', () => {
  const post = (body: unknown, headers = {}): Promise<ClientAnswer> =>
    crier.api(ours.apiKey).send('POST', '/api/posts', body, { headers });
  const good = (): object => ({
    text: 'never made',
    channelIds: Object.values(ours.channels),
    scheduledAt: IN_AN_HOUR(),
  });

  test.each<[string, () => unknown, number, string]>([
    ['malformed JSON', () => '{"text": ', 400, 'invalid_request'],
    ['no JSON', () => 'text=hello', 400, 'invalid_request'],
    ['an array', () => [], 400, 'invalid_request'],
    ['null', () => 'null', 400, 'invalid_request'],
    ['deep nesting', () => `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, 'invalid_request'],
    ['an unknown field', () => ({ ...good(), colour: 'red' }), 400, 'invalid_request'],
    ['__proto__', () => '{"__proto__":{"polluted":true},"text":"a","channelIds":[]}', 400, 'invalid_request'],
    ['text of a wrong type', () => ({ ...good(), text: { toString: 'x' } }), 400, 'invalid_request'],
    ['text with U+0000', () => ({ ...good(), text: 'a\0b' }), 400, 'invalid_request'],
    ['text with a lone surrogate', () => `{"text":"\\ud800","channelIds":["${SOME_ID}"]}`, 400, 'invalid_request'],
    ['text too long', () => ({ ...good(), text: 'a'.repeat(100_001) }), 400, 'invalid_request'],
    ['text that x refuses', () => ({ ...good(), text: 'a'.repeat(30_000) }), 422, 'post_refused'],
    ['no text', () => ({ channelIds: Object.values(ours.channels), scheduledAt: IN_AN_HOUR() }), 422, 'post_refused'],
    ['channelIds of a wrong type', () => ({ ...good(), channelIds: 7 }), 400, 'invalid_request'],
    [
      'a Channel that is not an id',
      () => ({ ...good(), channelIds: ["'; DROP TABLE posts; --"] }),
      400,
      'invalid_request',
    ],
    ['a Channel twice', () => ({ ...good(), channelIds: [ours.channels.x, ours.channels.x] }), 400, 'invalid_request'],
    ['a Channel that is not there', () => ({ ...good(), channelIds: [SOME_ID] }), 422, 'post_refused'],
    ["another Workspace's Channel", () => ({ ...good(), channelIds: [theirs.channels.x] }), 422, 'post_refused'],
    ['a time without zone', () => ({ ...good(), scheduledAt: '2030-01-01T12:00:00' }), 400, 'invalid_request'],
    ['an invalid time', () => ({ ...good(), scheduledAt: '2030-02-30T12:00:00Z' }), 400, 'invalid_request'],
    ['a time too early', () => ({ ...good(), scheduledAt: new Date().toISOString() }), 422, 'too_early'],
    ['a time too late', () => ({ ...good(), scheduledAt: '9999-12-31T23:59:59Z' }), 422, 'too_late'],
    ['options of another Channel', () => ({ ...good(), channelOptions: { [SOME_ID]: {} } }), 400, 'invalid_request'],
    ['a body of more than 1 MB', () => `{"text":"${'a'.repeat(1_100_000)}"}`, 413, 'too_large'],
  ])('POST /api/posts: %s', async (_, body, status, code) => {
    expectRefusal(await post(body()), status, code);
  });

  test.each([
    ['a body of another type', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['an empty Idempotency-Key', { 'idempotency-key': '' }, 400, 'invalid_request'],
    ['an endless Idempotency-Key', { 'idempotency-key': 'k'.repeat(5_000) }, 400, 'invalid_request'],
    ['no key', { authorization: '' }, 401, 'unauthorized'],
    ['another scheme', { authorization: 'Basic YTpi' }, 401, 'unauthorized'],
    ['an unknown key', { authorization: `Bearer crier_${'A'.repeat(43)}` }, 401, 'unauthorized'],
    ['an endless key', { authorization: `Bearer ${'A'.repeat(10_000)}` }, 401, 'unauthorized'],
  ] as const)('POST /api/posts: %s', async (_, headers, status, code) => {
    expectRefusal(await post(good(), headers), status, code);
  });

  test.each<[string, string, () => string, number, string]>([
    ['a Post that is not there', 'GET', () => `/api/posts/${SOME_ID}`, 404, 'not_found'],
    ['a Post of another Workspace', 'GET', () => `/api/posts/${theirPost.id}`, 404, 'not_found'],
    ['its cancel', 'POST', () => `/api/posts/${theirPost.id}/cancel`, 404, 'not_found'],
    ['its retry', 'POST', () => `/api/variants/${theirPost.variants[0]!.id}/retry`, 404, 'not_found'],
    ['its attempts', 'GET', () => `/api/variants/${theirPost.variants[0]!.id}/attempts`, 404, 'not_found'],
    ['a Variant for a Post', 'GET', () => `/api/posts/${ourPost.variants[0]!.id}`, 404, 'not_found'],
    ['a Post for a Variant', 'POST', () => `/api/variants/${ourPost.id}/retry`, 404, 'not_found'],
    [
      'a retry of a Variant that has not failed',
      'POST',
      () => `/api/variants/${ourPost.variants[0]!.id}/retry`,
      409,
      'not_retryable',
    ],
    ['an invalid id', 'GET', () => '/api/posts/..%2f..%2fetc%2fpasswd', 400, 'invalid_request'],
    ['an id that is not text', 'GET', () => '/api/posts/%ff', 400, 'invalid_request'],
    ['an unknown path', 'GET', () => '/api/nothing', 404, 'not_found'],
    ['another method', 'PUT', () => '/api/posts', 405, 'method_not_allowed'],
    ['a method that no route has', 'PROPFIND', () => '/api/posts', 405, 'method_not_allowed'],
    ['a limit of 501', 'GET', () => '/api/posts?limit=501', 400, 'invalid_request'],
    ['a limit of 0', 'GET', () => '/api/posts?limit=0', 400, 'invalid_request'],
    ['a limit twice', 'GET', () => '/api/posts?limit=1&limit=2', 400, 'invalid_request'],
    ['an unknown parameter', 'GET', () => '/api/posts?page=2', 400, 'invalid_request'],
    ['a time without zone', 'GET', () => '/api/posts?from=2026-01-01T00:00:00', 400, 'invalid_request'],
    ['an invalid cursor', 'GET', () => '/api/posts?cursor=bm90aGluZw', 400, 'invalid_request'],
    ['an endless cursor', 'GET', () => `/api/posts?cursor=${'A'.repeat(8_000)}`, 400, 'invalid_request'],
  ])('%s', async (_, method, path, status, code) => {
    expectRefusal(await crier.api(ours.apiKey).send(method, path()), status, code);
  });

  test('a bulk request has a 400 in the place of each malformed one, and makes none of them', async () => {
    const answer = await crier
      .api(ours.apiKey)
      .send('POST', '/api/posts/bulk', { posts: [null, { text: 7 }, {}, { ...good(), scheduledAt: 'soon' }] });
    expect(answer.body.data.map((one: { status: number }) => one.status)).toEqual([400, 400, 400, 400]);
  });
});

test('a cursor works for the list it came from only: no other filter, no other Workspace, not altered', async () => {
  for (const name of ['a', 'b', 'c'])
    await crier.api(ours.apiKey).createPost({ text: name, channelIds: [ours.channels.x], scheduledAt: IN_AN_HOUR() });
  before = await everything();
  const { nextCursor } = (await crier.api(ours.apiKey).send('GET', '/api/posts?limit=2')).body;
  const ask = (apiKey: string, cursor: string, more = ''): Promise<ClientAnswer> =>
    crier.api(apiKey).send('GET', `/api/posts?limit=2&cursor=${encodeURIComponent(cursor)}${more}`);
  expect((await ask(ours.apiKey, nextCursor)).body.data).toHaveLength(2);
  expectRefusal(await ask(theirs.apiKey, nextCursor), 400, 'invalid_request');
  expectRefusal(
    await ask(ours.apiKey, nextCursor, `&from=${encodeURIComponent(IN_AN_HOUR())}`),
    400,
    'invalid_request',
  );
  for (const at of [0, Math.floor(nextCursor.length / 2), nextCursor.length - 2]) {
    expectRefusal(
      await ask(
        ours.apiKey,
        `${nextCursor.slice(0, at)}${nextCursor[at] === 'A' ? 'B' : 'A'}${nextCursor.slice(at + 1)}`,
      ),
      400,
      'invalid_request',
    );
  }
  // From another installation: the same form, another secret.
  await using other = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  for (const text of ['x', 'y'])
    await other.api().createPost({ text, channelIds: textChannels(other.ready.demo!), scheduledAt: IN_AN_HOUR() });
  const foreign = (await other.api().send('GET', '/api/posts?limit=1')).body.nextCursor;
  expectRefusal(await ask(ours.apiKey, foreign), 400, 'invalid_request');
});

describe('a malformed request is refused, and does not disturb another one', () => {
  test.each([
    ['garbage', () => 'hello crier\r\n\r\n'],
    ['TLS', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['two lengths', () => `POST /api/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'a length and chunks',
      () => `POST /api/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a header with a line break',
      () => `GET /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\n y: z\r\n\r\n`,
    ],
    [
      'headers without end',
      () =>
        `GET /api/posts HTTP/1.1\r\nHost: a\r\n${'X-Filler: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(1_000)}`,
    ],
    ['an address without end', () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`],
    [
      'a good request, then garbage',
      () => `GET /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ours.apiKey}\r\n\r\n\0\0\0 HTTP/9\r\n\r\n`,
    ],
    ['a null byte in the address', () => 'GET /api/posts\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const received = await rawAnswer(crier.ports.api, bytes());
    const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map((match) => Number(match[1]));
    expect(statuses.at(-1), received).toBeGreaterThanOrEqual(400);
    expect(Math.max(...statuses)).toBeLessThan(500);
    expect(received).toMatch(
      /\{"error":\{"code":"(invalid_request|unauthorized|not_found)","message":"[^"]+","docUrl":"[^"]+"\}\}/,
    );
  });

  test('a client that disconnects in the middle of its body', async () => {
    const socket = connect(crier.ports.api, '127.0.0.1');
    socket.write(
      `POST /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ours.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"text":`,
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.resetAndDestroy();
    expect((await crier.api(ours.apiKey).send('GET', '/api/posts')).status).toBe(200);
  });
});

describe('admin', () => {
  const call = (procedure: string, input: unknown, token?: string): Promise<ClientAnswer> =>
    crier.admin().send(procedure, input, token === undefined ? {} : { headers: { authorization: token } });

  test.each(['', 'Bearer wrong', 'Bearer ', 'Basic YTpi'])(
    'refuses requests without its token: "%s"',
    async (token) => {
      for (const [procedure, input] of [
        ['workspaces.create', { name: 'a', ownerEmail: 'a@b.test' }],
        ['system.status', {}],
        ['clock.advance', { milliseconds: 1 }],
      ] as const) {
        expect((await call(procedure, input, token)).status, procedure).toBe(401);
      }
      expect((await call('workspaces.get', { workspaceId: ours.workspaceId }, `Bearer ${ours.apiKey}`)).status).toBe(
        401,
      );
    },
  );

  test.each([
    ['workspaces.create', {}],
    ['workspaces.create', { name: 'a', ownerEmail: 'nobody' }],
    ['workspaces.create', { name: 'a', ownerEmail: 'a@b.test', plan: 'infinite' }],
    ['workspaces.create', { name: 'a', ownerEmail: 'a@b.test', colour: 'red' }],
    ['workspaces.create', '{"name":'],
    ['workspaces.create', 7],
    ['workspaces.addCredits', { workspaceId: SOME_ID, credits: 5 }],
    ['workspaces.addCredits', { workspaceId: 'x', credits: 5 }],
    ['workspaces.get', { workspaceId: SOME_ID }],
    ['workspaces.setPlan', { workspaceId: SOME_ID, plan: 'pro' }],
    ['channels.connectSandbox', { workspaceId: SOME_ID, network: 'x', name: 'a' }],
    ['channels.connectSandbox', { workspaceId: SOME_ID, network: 'nowhere', name: 'a' }],
    ['channels.disconnect', { workspaceId: SOME_ID, channelId: SOME_ID }],
    ['keys.create', { workspaceId: SOME_ID, memberId: SOME_ID, name: 'a', permissions: ['everything'] }],
    ['keys.revoke', { workspaceId: SOME_ID, keyId: SOME_ID }],
    ['members.remove', { workspaceId: SOME_ID, memberId: SOME_ID }],
    ['clock.advance', { milliseconds: -1 }],
    ['clock.advance', { milliseconds: 1e300 }],
    ['clock.advance', { milliseconds: 'soon' }],
    ['parked.retry', { topic: 'nothing', key: 'nothing' }],
    ['deadLetters.redrive', { partition: 1_000, offset: -1 }],
    ['no.such', {}],
    ['__proto__', {}],
  ])('%s(%o) is refused', async (procedure, input) => {
    const answer = await call(procedure, input);
    expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
  });

  test('reveals nothing of tenants to a request without a token', async () => {
    const received = JSON.stringify([
      await crier.admin().get('/metrics'),
      await crier.admin().get('/health/live'),
      await crier.admin().get('/health/ready'),
    ]);
    for (const secret of [ours.workspaceId, ours.channels.x, ours.apiKey, ourPost.id, 'example.test'])
      expect(received).not.toContain(secret);
  });
});

describe("the sandbox's control addresses", () => {
  test.each([
    ['POST', '/sandbox/faults', {}],
    ['POST', '/sandbox/faults', { network: 'nowhere', fault: 'delay' }],
    ['POST', '/sandbox/faults', { network: 'x', fault: 'bad_mood' }],
    ['POST', '/sandbox/faults', { network: 'x', fault: 'delay', count: 0 }],
    ['POST', '/sandbox/faults', { network: 'x', fault: 'delay', delayMs: -5 }],
    ['POST', '/sandbox/faults', { network: 'x', fault: 'delay', call: 'nothing' }],
    ['POST', '/sandbox/faults', '{"network":'],
    ['POST', '/sandbox/timing', { network: 'x', factor: 'fast' }],
    ['POST', '/sandbox/timing', { network: 'x', factor: -1 }],
    ['POST', '/sandbox/accounts/nobody/revoke', undefined],
    ['GET', '/sandbox/items?network=nowhere', undefined],
    ['GET', '/sandbox/nothing', undefined],
    ['PUT', '/sandbox/faults', {}],
    ['POST', '/sim/x/2/tweets', { text: 'without a token' }],
    ['POST', '/sim/nowhere/api', {}],
  ] as const)('%s %s with %o is refused', async (method, path, body) => {
    const answer = await crier.sandbox().send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
  });
});

test('none of these requests ended the process or was logged as unexpected', async () => {
  expect((await crier.admin().get('/health/ready')).status).toBe(200);
  expect((await send('GET', `${crier.ready.baseUrl}/developers/openapi.json`)).status).toBe(200);
  const errors = crier
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  expect(errors).toEqual([]);
});

function rawAnswer(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let over = false;
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket
    .on('error', () => {})
    .once('close', () => {
      over = true;
    });
  socket.write(bytes);
  return until(() => over, {
    what: `an end to ${JSON.stringify(String(bytes).slice(0, 60))}; received ${received}`,
    withinMs: 60_000,
  }).then(() => received);
}
