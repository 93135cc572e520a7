import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { deliveryIdOf, FIRST_ROUND, DELIVERY_RETENTION_MS, type DeliveryAttempt } from '#domain/webhook/delivery.ts';
import type { Permission } from '#domain/workspace/state.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { until } from '#testing/until.ts';
import { IngressWorld, openIngressHarness, openIngressWorld, START } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;

const BOTH = ['variant.published', 'variant.failed'];
const GOOD = { url: 'https://hooks.test/in?x=1', events: BOTH };
const ACTIVE = {
  ...{ state: 'active', createdAt: new Date(START).toISOString() },
  ...{ disabledAt: null, disabledReason: null },
};
const NOWHERE = '01a20000-0000-7000-8000-000000000001';
const SECRET = /^whsec_[\w-]{43}$/;

let world: OpenWorld;
beforeEach(async () => {
  world = await openIngressWorld({}, ['webhooks:manage']);
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const call = (method: string, path: string, body?: unknown, key = world.key) =>
  world.harness.call(method, path, { key, body });

async function registered(): Promise<string> {
  const { status, body } = await call('POST', '/api/webhooks', GOOD);
  expect(status).toBe(201);
  return body.data.id;
}

/** Keeps a delivery of the endpoint, with an attempt that came to this. */
async function kept(
  endpointId: string,
  eventId: string,
  createdAt: number,
  about: Partial<DeliveryAttempt> = {},
): Promise<string> {
  const rows = createDeliveryRows(world.world.store);
  const id = deliveryIdOf(eventId, endpointId);
  await rows.make(
    { id, workspaceId: world.scenario.id, endpointId, eventId, type: 'variant.failed', createdAt },
    { id: FIRST_ROUND, since: createdAt },
    Buffer.from('{}'),
  );
  const attempt: DeliveryAttempt = {
    round: '',
    attempt: 1,
    startedAt: createdAt + 5,
    finishedAt: createdAt + 9,
    outcome: 'succeeded',
    status: 204,
    error: '',
    excerpt: 'hidden',
    retryAfterMs: null,
    ...about,
  };
  await rows.keepAttempt({ id, workspaceId: world.scenario.id }, attempt, 'a token');
  return id;
}

const eventOf = (number: number) => `01a20000-0000-8000-8000-${String(number).padStart(12, '0')}`;

describe('registering', () => {
  test('returns the endpoint and its secret, which is shown once and stored sealed', async () => {
    const { status, body } = await call('POST', '/api/webhooks', GOOD);
    expect([status, body]).toEqual([
      201,
      {
        data: {
          id: body.data.id,
          ...GOOD,
          ...ACTIVE,
          secret: expect.stringMatching(SECRET),
        },
      },
    ]);
    const listed = await call('GET', '/api/webhooks');
    expect(listed.body).toEqual({
      data: [{ id: body.data.id, ...GOOD, ...ACTIVE, deliveries: [] }],
    });
    expect(JSON.stringify(world.scenario.workspace)).not.toContain(body.data.secret);
  });

  test('an endpoint that was disabled says since when and why, and takes a test event all the same', async () => {
    await using open = await openIngressWorld({}, ['webhooks:manage']);
    const { harness, key, world } = open;
    const { body } = await harness.call('POST', '/api/webhooks', {
      key,
      body: { url: 'https://hooks.test/in', events: ['variant.published'] },
    });
    const { id } = body.data;
    expect(body.data).toMatchObject({ state: 'active', disabledAt: null, disabledReason: null });
    world.disabled.set(id, { at: START, failingSince: START - 5 * 86_400_000, error: 'The endpoint answered 500.' });
    const [listed] = (await harness.call('GET', '/api/webhooks', { key })).body.data;
    expect(listed).toMatchObject({ state: 'stopped', disabledAt: new Date(START).toISOString() });
    expect(listed.disabledReason).toContain('The endpoint answered 500.');
    const { deliveries: _, ...shown } = listed;
    const rotated = (await harness.call('POST', `/api/webhooks/${id}/rotate-secret`, { key })).body.data;
    expect(rotated).toEqual({ ...shown, secret: expect.stringMatching(/^whsec_/) });
    expect((await harness.call('POST', `/api/webhooks/${id}/test`, { key })).status).toBe(200);
    expect(world.handed).toMatchObject([{ type: 'SendTestEvent', endpointId: id }]);
  });

  test.each([
    ['https://private.test/', 422, 'unsafe_url'],
    ['http://hooks.test/', 422, 'unsafe_url'],
    ['https://s301.test/', 422, 'unsafe_url'],
    ['https://s308.test/', 422, 'unsafe_url'],
    ['https://down.test/', 201, undefined],
    ['https://s404.test/', 201, undefined],
    ['https://s405.test/', 201, undefined],
    ['https://s500.test/', 201, undefined],
    ['hooks.test', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
    [`https://hooks.test/${'\u0001'.repeat(2_000)}`, 400, 'invalid_request'],
    [`https://hooks.test/${'a'.repeat(2_048)}`, 400, 'invalid_request'],
    [7, 400, 'invalid_request'],
  ])('of %s is answered %i %s', async (url, status, code) => {
    const answer = await call('POST', '/api/webhooks', { url, events: BOTH });
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test.each([[[]], [['variant.deleted']], [['variant.failed', 'variant.failed']], ['variant.failed'], [undefined]])(
    'for the events %j is refused with 400',
    async (events) => {
      const answer = await call('POST', '/api/webhooks', { url: GOOD.url, events });
      expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('events')]);
    },
  );

  test('of an eleventh is refused, whatever the first ten are', async () => {
    for (let count = 0; count < 10; count++) await registered();
    const { status, body } = await call('POST', '/api/webhooks', GOOD);
    expect([status, body.error.code]).toEqual([422, 'limit_reached']);
  });
});

describe.each<[string, readonly Permission[], number, string]>([
  ['a key without the permission', ['posts:publish'], 403, 'forbidden'],
])('with %s', (_what, permissions, status, code) => {
  test.each([
    ['POST', '/api/webhooks', GOOD],
    ['GET', '/api/webhooks', undefined],
    ['DELETE', `/api/webhooks/${NOWHERE}`, undefined],
    ['POST', `/api/webhooks/${NOWHERE}/test`, undefined],
    ['POST', `/api/webhooks/${NOWHERE}/rotate-secret`, undefined],
    ['POST', `/api/webhooks/${NOWHERE}/deliveries/${NOWHERE}/replay`, undefined],
  ])('%s %s is refused', async (method, path, body) => {
    const { apiKey } = await world.world.key(world.scenario, permissions);
    const answer = await call(method, path, body, apiKey);
    expect([answer.status, answer.body.error.code, answer.body.error.message]).toEqual([
      status,
      code,
      expect.stringContaining('webhooks:manage'),
    ]);
  });
});

test.each([
  ['DELETE', `/api/webhooks/${NOWHERE}`],
  ['POST', `/api/webhooks/${NOWHERE}/test`],
  ['POST', `/api/webhooks/${NOWHERE}/rotate-secret`],
  ['POST', `/api/webhooks/${NOWHERE}/deliveries/${NOWHERE}/replay`],
])('%s %s: an unknown id is 404, and so is one of another Workspace', async (method, path) => {
  const other = world.world.workspace();
  const { apiKey } = await world.world.key(other, ['webhooks:manage']);
  expect((await call(method, path)).status).toBe(404);
  const theirs = path.replace(NOWHERE, await registered());
  const answer = await call(method, theirs, undefined, apiKey);
  expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
});

describe('an endpoint', () => {
  test('that is deleted is gone, and the answer has no body', async () => {
    const id = await registered();
    const { status, body, headers } = await call('DELETE', `/api/webhooks/${id}`);
    expect([status, body, headers.get('content-type')]).toEqual([204, '', null]);
    expect((await call('GET', '/api/webhooks')).body).toEqual({ data: [] });
    expect((await call('DELETE', `/api/webhooks/${id}`)).status).toBe(404);
  });

  test('shows its own latest 20 deliveries, newest first, and none that ended 30 days ago', async () => {
    const [id, other] = [await registered(), await registered()];
    const late = START + 2 * DELIVERY_RETENTION_MS;
    await kept(id, eventOf(99), late - DELIVERY_RETENTION_MS - 60_000);
    await kept(other, eventOf(98), late);
    for (let number = 0; number < 25; number++) await kept(id, eventOf(number), late - number * 3_600_000);
    world.clock.moveWall(late - START);
    const { body } = await call('GET', '/api/webhooks');
    const [first] = body.data;
    expect(first.deliveries.map((each: { eventId: string }) => each.eventId)).toEqual(
      Array.from({ length: 20 }, (_, number) => eventOf(number)),
    );
    expect(body.data[1].deliveries.map((each: { eventId: string }) => each.eventId)).toEqual([eventOf(98)]);
  });

  test('shows the outcome of a delivery, and nothing of the answer of the receiver', async () => {
    const id = await registered();
    const deliveryId = await kept(id, eventOf(1), START, {
      outcome: 'refused',
      status: 500,
      error: 'The endpoint answered 500.',
    });
    const { body } = await call('GET', '/api/webhooks');
    expect(body.data[0].deliveries).toEqual([
      {
        id: deliveryId,
        eventId: eventOf(1),
        type: 'variant.failed',
        state: 'pending',
        attempts: 1,
        createdAt: new Date(START).toISOString(),
        lastAttemptAt: new Date(START + 5).toISOString(),
        nextAttemptAt: new Date(START + 30_005).toISOString(),
        responseStatus: 500,
        error: 'The endpoint answered 500.',
      },
    ]);
  });

  test('gets a new secret by a rotation, which is shown once too', async () => {
    const id = await registered();
    const { status, body } = await call('POST', `/api/webhooks/${id}/rotate-secret`);
    expect([status, body.data]).toEqual([200, { id, ...GOOD, ...ACTIVE, secret: expect.stringMatching(SECRET) }]);
    expect(world.scenario.workspace.endpoints[id]!.secrets).toMatchObject([
      { until: null },
      { until: START + 86_400_000 },
    ]);
  });

  test('gets a test event on demand: a whole event that is marked as a test', async () => {
    const id = await registered();
    const { status, body } = await call('POST', `/api/webhooks/${id}/test`);
    expect([status, body.data]).toMatchObject([200, { type: 'variant.published', state: 'pending', attempts: 0 }]);
    const [handed] = world.world.handed;
    expect(handed).toMatchObject({
      type: 'SendTestEvent',
      workspaceId: world.scenario.id,
      endpointId: id,
      eventId: body.data.eventId,
    });
    if (handed?.type !== 'SendTestEvent') throw new Error('no test event');
    expect(JSON.parse(handed.body)).toMatchObject({
      id: body.data.eventId,
      data: { variant: { status: 'published', metrics: null }, post: { text: expect.stringContaining('test event') } },
    });
    expect(body.data.id).toBe(deliveryIdOf(body.data.eventId, id));
  });

  test('gets a delivery again on demand, under the same ids', async () => {
    const id = await registered();
    const deliveryId = await kept(id, eventOf(1), START);
    const { status, body } = await call('POST', `/api/webhooks/${id}/deliveries/${deliveryId}/replay`);
    expect([status, body.data]).toMatchObject([
      200,
      { id: deliveryId, eventId: eventOf(1), state: 'pending', attempts: 1, responseStatus: 204 },
    ]);
    expect(world.world.handed).toMatchObject([{ type: 'ReplayDelivery', endpointId: id, deliveryId, askedAt: START }]);
  });

  test('gets no delivery again that is of another endpoint, or ended 30 days ago', async () => {
    const [id, other] = [await registered(), await registered()];
    const deliveryId = await kept(id, eventOf(1), START);
    const replay = (endpoint: string) => call('POST', `/api/webhooks/${endpoint}/deliveries/${deliveryId}/replay`);
    expect((await replay(other)).status).toBe(404);
    world.clock.moveWall(DELIVERY_RETENTION_MS + 9);
    expect((await replay(id)).status).toBe(404);
    expect(world.world.handed).toEqual([]);
  });

  test('that was deactivated is shown as such, and can be deleted but not used', async () => {
    const id = await registered();
    const [memberId] = Object.keys(world.scenario.workspace.members);
    const { apiKey } = await world.world.key(world.scenario, ['webhooks:manage']);
    const bob = world.scenario.uuid();
    world.scenario.must({ type: 'AddMember', memberId: bob, name: 'Bob', email: 'bob@example.test' });
    const state = world.scenario.workspace;
    const theirs = Object.fromEntries(
      Object.entries(state.keys).map(([keyId, key]) => [
        keyId,
        { ...key, memberId: key.id === world.keyId ? memberId! : bob },
      ]),
    );
    Object.assign(world.scenario, { state: { ...state, keys: theirs } });
    world.scenario.must({ type: 'RemoveMember', memberId: memberId! });
    expect((await call('GET', '/api/webhooks', undefined, apiKey)).body.data).toMatchObject([{ id, state: 'stopped' }]);
    for (const path of ['test', 'rotate-secret'])
      expect((await call('POST', `/api/webhooks/${id}/${path}`, undefined, apiKey)).status).toBe(404);
    expect((await call('DELETE', `/api/webhooks/${id}`, undefined, apiKey)).status).toBe(204);
  });
});

test('endpoints are listed for a few requests of one Workspace at once, however many ask', async () => {
  const looked: (() => void)[] = [];
  const disabledSince = () => new Promise<null>((resolve) => looked.push(() => resolve(null)));
  const clock = createMemoryClock(START);
  const inner = new IngressWorld(clock);
  const scenario = inner.workspace();
  const { apiKey: key } = await inner.key(scenario, ['webhooks:manage']);
  await using harness = await openIngressHarness(inner, { webhooks: { ...inner.readers().webhooks, disabledSince } });
  await harness.call('POST', '/api/webhooks', { key, body: GOOD });
  const lists = Array.from({ length: 12 }, () => harness.call('GET', '/api/webhooks', { key }));
  let most = 0;
  for (let served = 0; served < 12; served++) {
    await until(() => looked.length >= Math.min(4, 12 - served), { what: 'lists under way' });
    most = Math.max(most, looked.length);
    looked.shift()!();
  }
  expect([most, ...(await Promise.all(lists)).map(({ status }) => status)]).toEqual([4, ...Array(12).fill(200)]);
});

test('addresses of endpoints are asked no oftener than those of files, nor more of one host at once', async () => {
  const asked: (() => void)[] = [];
  let most = 0;
  const publicHttp: PublicHttp = {
    send: ({ url }) =>
      new Promise((_, reject) => {
        asked.push(() => reject(new HttpFailure(`${url} did not answer`, false)));
        most = Math.max(most, asked.length);
      }),
  };
  await using open = await openIngressWorld({ publicHttp, addressesPerMinute: 9 }, ['webhooks:manage']);
  const answers = Array.from({ length: 12 }, () =>
    open.harness.call('POST', '/api/webhooks', { key: open.key, body: GOOD }),
  );
  let isOver = false;
  const all = Promise.all(answers).finally(() => (isOver = true));
  while (!isOver) {
    await until(() => isOver || asked.length > 0, { what: 'an address that is asked' });
    asked.shift()?.();
  }
  const statuses = (await all).map(({ status }) => status).toSorted();
  expect([most, ...statuses]).toEqual([4, ...Array(9).fill(201), 429, 429, 429]);
});
