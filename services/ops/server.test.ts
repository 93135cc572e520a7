import { Agent, request as httpRequest } from 'node:http';
import { initTRPC } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { answerRegistryRequest } from '#codec/registry/http-answers.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import { StrangerLimits } from '#use-cases/stranger-limits.ts';
import { createOpsServer, type OpsServerOptions } from './server.ts';

const TOKEN = 'an admin token of some length';
const READER = 'a token of somebody who looks';
const [INTERNAL, FORMER_INTERNAL] = ['what processes know', 'what processes knew before'];
const WELL = { ready: true, checks: [{ name: 'store', trouble: null }] };

async function open(options: Partial<OpsServerOptions> = {}) {
  const received: CommandAnswer[] = [];
  const reporter = createMemoryReporter();
  const history = readSchemaHistory();
  const server = createOpsServer({
    host: '127.0.0.1',
    port: 0,
    operators: [
      { name: 'admin', role: 'operate', token: TOKEN },
      { name: 'grafana', role: 'read', token: READER },
    ],
    internalTokens: [INTERNAL, FORMER_INTERNAL],
    strangers: new StrangerLimits({ monotonic: () => 0 }, 0),
    contextOf: (operator) => ({ operator }),
    health: async () => WELL,
    hanging: () => [],
    metrics: { text: async () => 'crier_up 1\n', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
    answers: createAnswersRouter((answer) => received.push(answer)),
    router: null,
    registry: (request) => answerRegistryRequest(history, request),
    reporter,
    ...options,
  });
  await server.start();
  const { url } = server.address();
  const get = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...(init.headers as Record<string, string>) } });
  return { server, url, received, reporter, get, [Symbol.asyncDispose]: () => server.stop() };
}

/** The status of a request with any Host, a header that fetch does not let a caller set. */
function asked(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Readonly<Record<string, string>>; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode!)),
    );
    request.on('error', reject).end(body);
  });
}

/** Procedures that count how often they ran. */
function counted() {
  const { router, procedure } = initTRPC.create();
  const ran: string[] = [];
  return {
    ran,
    router: router({ look: procedure.query(() => ran.push('look')), act: procedure.mutation(() => ran.push('act')) }),
  };
}

const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` });

describe('without a token', () => {
  test('it lives, and is ready when everything is', async () => {
    await using ops = await open();
    expect(await (await ops.get('/health/live')).json()).toEqual({ status: 'live' });
    const ready = await ops.get('/health/ready');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', checks: WELL.checks }]);
  });

  test('it lives on while it is not ready, and says what is wrong', async () => {
    const checks = [{ name: 'log', trouble: 'no broker answers' }];
    await using ops = await open({ health: async () => ({ ready: false, checks }) });
    const ready = await ops.get('/health/ready');
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', checks }]);
    expect((await ops.get('/health/live')).status).toBe(200);
  });

  test('it does not live when a reader of the log hangs, and says which', async () => {
    await using ops = await open({ hanging: () => ['publisher-x has not read its topics for 61 s'] });
    const live = await ops.get('/health/live');
    expect([live.status, await live.json()]).toEqual([
      503,
      { status: 'hanging', detail: ['publisher-x has not read its topics for 61 s'] },
    ]);
  });

  test('it answers while the others drain, and no more once it is stopped', async () => {
    await using ops = await open({ health: async () => ({ ready: false, checks: [] }) });
    await ops.server.drain();
    expect((await ops.get('/health/ready')).status).toBe(503);
    await ops.server.stop();
    await expect(ops.get('/health/ready')).rejects.toThrow();
  });

  test('metrics come in the text format', async () => {
    await using ops = await open();
    const metrics = await ops.get('/metrics');
    expect([metrics.status, metrics.headers.get('content-type'), await metrics.text()]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'crier_up 1\n',
    ]);
    expect((await ops.get('/metrics', { method: 'POST' })).status).toBe(405);
    expect((await ops.get('/metrics', { method: 'HEAD' })).status).toBe(200);
  });

  test('metrics that can not be rendered are answered by 500, without the text of the error', async () => {
    await using ops = await open({
      metrics: { text: () => Promise.reject(new Error('inner words')), contentType: '' },
    });
    const metrics = await ops.get('/metrics');
    expect([metrics.status, await metrics.text()]).toEqual([500, expect.not.stringContaining('inner')]);
    expect(ops.reporter.failures()).toHaveLength(1);
  });

  test.each(['/', '/trpc/system.status', '/internal/other', '/registryx', '/health', '//'])(
    '%s is not found',
    async (path) => {
      await using ops = await open();
      expect((await ops.get(path, { headers: bearer() })).status).toBe(404);
    },
  );
});

describe('with the admin token', () => {
  const calls = ['/internal/answers', '/registry/subjects'];

  test.each(calls)('%s is refused without it, or with another', async (path) => {
    await using ops = await open();
    for (const headers of [
      {},
      bearer('another token'),
      bearer(`${TOKEN}x`),
      { authorization: TOKEN },
      { authorization: `Basic ${btoa('x:y')}` },
      { authorization: 'Basic ???' },
    ]) {
      const answer = await ops.get(path, { method: 'POST', headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    }
    expect(ops.received).toEqual([]);
  });

  test('hinted answers are passed on to the requests that wait', async () => {
    await using ops = await open();
    const answers = [
      { requestId: 'r1', result: { ok: true, kind: 'done' } },
      { requestId: 'r2', result: { ok: false, code: 'not_found', message: 'No.' } },
    ];
    const answer = await ops.get('/internal/answers', {
      method: 'POST',
      headers: { ...bearer(INTERNAL), 'content-type': 'application/json' },
      body: JSON.stringify({ answers }),
    });
    expect(answer.status).toBe(200);
    expect(ops.received).toEqual(answers);
  });

  test.each(['{', '{}', '{"answers":[{}]}', '{"answers":7}', ''])(
    'the hint %j is refused, and passed on to no request',
    async (body) => {
      await using ops = await open();
      const answer = await ops.get('/internal/answers', {
        method: 'POST',
        headers: { ...bearer(INTERNAL), 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
      expect(ops.received).toEqual([]);
      expect(ops.reporter.failures()).toEqual([]);
    },
  );

  test('the registry answers as that of Confluent does, also to the token as a password', async () => {
    await using ops = await open();
    for (const headers of [bearer(), { authorization: `Basic ${btoa(`crier:${TOKEN}`)}` }]) {
      const answer = await ops.get('/registry/subjects', { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'application/vnd.schemaregistry.v1+json',
      ]);
      expect(await answer.json()).toContain('crier.CreatePost');
    }
    expect((await ops.get('/registry/nothing', { headers: bearer() })).status).toBe(404);
  });

  test('hints are taken by the token of processes, also by a former one, and not by that of an operator', async () => {
    await using ops = await open();
    const hint = async (token: string): Promise<number> =>
      (
        await ops.get('/internal/answers', {
          method: 'POST',
          headers: { ...bearer(token), 'content-type': 'application/json' },
          body: '{"answers":[]}',
        })
      ).status;
    expect([await hint(INTERNAL), await hint(FORMER_INTERNAL), await hint(TOKEN)]).toEqual([200, 200, 401]);
    const { ran, router } = counted();
    await using admin = await open({ router });
    expect((await admin.get('/trpc/look', { headers: bearer(INTERNAL) })).status).toBe(401);
    expect((await admin.get('/registry/subjects', { headers: bearer(INTERNAL) })).status).toBe(401);
    expect(ran).toEqual([]);
  });

  test('an operator who may only look reads the registry and changes nothing in it', async () => {
    await using ops = await open();
    expect((await ops.get('/registry/subjects', { headers: bearer(READER) })).status).toBe(200);
    const changed = await ops.get('/registry/subjects/x', { method: 'POST', headers: bearer(READER), body: '{}' });
    expect([changed.status, await changed.text()]).toEqual([403, expect.stringContaining('grafana may only look')]);
  });

  test('a body that is too large is refused, and the server goes on', async () => {
    await using ops = await open();
    const answer = await ops.get('/registry/subjects/x', {
      method: 'POST',
      headers: bearer(),
      body: 'x'.repeat(2_000_000),
    });
    expect(answer.status).toBe(413);
    expect((await ops.get('/health/live')).status).toBe(200);
  });

  test('no registry where another is used', async () => {
    await using ops = await open({ registry: null });
    expect((await ops.get('/registry/subjects', { headers: bearer() })).status).toBe(404);
  });
});

describe('tokens that are guessed', () => {
  const PER_MINUTE = 10;
  const openLimited = (options: Partial<OpsServerOptions> = {}) =>
    open({ strangers: new StrangerLimits({ monotonic: () => 0 }, PER_MINUTE), ...options });

  test.each([
    ['/registry/subjects', 'an operator', TOKEN],
    ['/trpc/look', 'an operator', TOKEN],
    ['/internal/answers', 'another process', INTERNAL],
  ])('are bounded by address at %s, and the token of %s is served there all the same', async (path, _who, token) => {
    const { router } = counted();
    await using ops = await openLimited({ router });
    const isHint = path === '/internal/answers';
    const ask = (guess: string) =>
      ops.get(path, {
        headers: { ...bearer(guess), ...(isHint && { 'content-type': 'application/json' }) },
        ...(isHint && { method: 'POST', body: '{"answers":[]}' }),
      });
    for (let guess = 0; guess < PER_MINUTE; guess++) expect((await ask(`guess ${guess}`)).status).toBe(401);
    const refused = await ask('one more');
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      ...[429, '6', 'close'],
    ]);
    expect(await refused.text()).toContain('10 requests a minute without a valid key');
    expect(ops.reporter.of('stranger-refused')).toMatchObject([{ facts: { door: 'admin' } }]);
    expect((await ask(token)).status).toBe(200);
    for (const open of ['/health/live', '/metrics']) expect((await ops.get(open)).status).toBe(200);
  });

  test('requests with a good token use up nothing of what guesses at its address may', async () => {
    await using ops = await openLimited();
    for (let asked = 0; asked < 2 * PER_MINUTE; asked++)
      expect((await ops.get('/registry/subjects', { headers: bearer() })).status).toBe(200);
    expect((await ops.get('/registry/subjects')).status).toBe(401);
  });
});

describe('to pages of other sites, and under names that resolve to this address', () => {
  const FOREIGN = [
    { host: 'evil.test:8081' },
    { host: 'localhost.evil.test' },
    { origin: 'http://evil.test' },
    { origin: 'null' },
  ];
  const JSON_TYPE = { 'content-type': 'application/json' };

  test.each(FOREIGN)('procedures, hints and the registry are refused, %o, with the token too', async (headers) => {
    const { ran, router } = counted();
    await using ops = await open({ router });
    const all = { ...bearer(), ...JSON_TYPE, ...headers };
    expect(await asked(`${ops.url}/trpc/look`, { headers: all })).toBe(403);
    expect(await asked(`${ops.url}/trpc/act`, { method: 'POST', headers: all, body: '{}' })).toBe(403);
    expect(
      await asked(`${ops.url}/internal/answers`, {
        method: 'POST',
        headers: all,
        body: '{"answers":[{"requestId":"r1","result":{"ok":true,"kind":"done"}}]}',
      }),
    ).toBe(403);
    expect(await asked(`${ops.url}/registry/subjects`, { headers: all })).toBe(403);
    expect([ran, ops.received]).toEqual([[], []]);
  });

  test.each(FOREIGN)('health and metrics are served, %o: probes and Prometheus use any name', async (headers) => {
    await using ops = await open();
    for (const path of ['/health/live', '/health/ready', '/metrics'])
      expect(await asked(ops.url + path, { headers })).toBe(200);
  });

  test('the address that other processes use is one of its own', async () => {
    const { ran, router } = counted();
    await using ops = await open({ router, url: 'http://crier-7.internal:8081' });
    for (const host of ['crier-7.internal:8081', 'localhost', '127.0.0.1:1'])
      expect(await asked(`${ops.url}/trpc/look`, { headers: { ...bearer(), host } })).toBe(200);
    expect(ran).toEqual(['look', 'look', 'look']);
  });

  test('the names that a setting gives are its own, and no others', async () => {
    const { router } = counted();
    await using ops = await open({ router, names: ['crier-admin', 'crier-admin.social.svc'] });
    const answers = ['crier-admin:8081', 'Crier-Admin.social.svc', 'crier-admin.evil.test', 'evil.crier-admin'].map(
      (host) => asked(`${ops.url}/trpc/look`, { headers: { ...bearer(), host } }),
    );
    expect(await Promise.all(answers)).toEqual([200, 200, 403, 403]);
  });

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/octet-stream',
    '',
  ])('procedures take JSON only, not "%s"', async (type) => {
    const { ran, router } = counted();
    await using ops = await open({ router });
    const headers = { ...bearer(), ...(type === '' ? {} : { 'content-type': type }) };
    for (const method of ['POST', 'PUT', 'PATCH'])
      expect(await asked(`${ops.url}/trpc/act`, { method, headers, body: '{}' })).toBeGreaterThanOrEqual(400);
    expect(await asked(`${ops.url}/trpc/act`, { method: 'POST', headers, body: '{}' })).toBe(415);
    expect(ran).toEqual([]);
    expect(
      await asked(`${ops.url}/trpc/act`, { method: 'POST', headers: { ...bearer(), ...JSON_TYPE }, body: '{}' }),
    ).toBe(200);
  });

  test('the token counts as a password at the registry only, as its clients send nothing else', async () => {
    const { ran, router } = counted();
    await using ops = await open({ router });
    const headers = { authorization: `Basic ${btoa(`crier:${TOKEN}`)}` };
    expect(await asked(`${ops.url}/registry/subjects`, { headers })).toBe(200);
    expect(await asked(`${ops.url}/trpc/look`, { headers })).toBe(401);
    expect(
      await asked(`${ops.url}/trpc/act`, { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: '{}' }),
    ).toBe(401);
    expect(
      await asked(`${ops.url}/internal/answers`, {
        method: 'POST',
        headers: { ...headers, ...JSON_TYPE },
        body: '{"answers":[]}',
      }),
    ).toBe(401);
    expect(ran).toEqual([]);
  });
});

describe('as a service', () => {
  test('a drain ends nothing: requests in progress and further probes are answered', async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const { promise: health, resolve: answer } = Promise.withResolvers<typeof WELL>();
    await using ops = await open({ health: () => (onAsked(), health) });
    const slow = ops.get('/health/ready');
    await asked;
    const drained = ops.server.drain();
    answer(WELL);
    expect((await slow).status).toBe(200);
    await drained;
    expect((await ops.get('/health/live')).status).toBe(200);
  });

  test('an idle connection does not delay the end', async () => {
    await using ops = await open();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) =>
      httpRequest(`${ops.url}/health/live`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end(),
    );
    await ops.server.drain();
    await ops.server.drain();
    await ops.server.stop();
    agent.destroy();
    expect(ops.server.trouble()).toBeNull();
  });

  test('the start rejects for a port that is taken', async () => {
    await using ops = await open();
    const { port } = ops.server.address();
    await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
