import Stripe from 'stripe';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { DELIVERIES } from '#tables/declarations/tables.ts';
import { shardOf, TIMERS } from '#tables/declarations/topics.ts';
import { describe, expect, test } from 'vitest';
import { UnsafeAddress } from '#ports/public-http.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { deliveryIdOf, FIRST_ROUND } from '#domain/webhook/delivery.ts';
import { testEventOf } from '#domain/webhook/test-event.ts';
import {
  answering,
  hanging,
  openWebhooksHarness,
  SECRET,
  WORKSPACE,
  type Receiver,
  type WebhooksHarness,
} from './webhooks-harness.fixture.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Seconds from the first arrival to each. */
function arrivals({ arrived }: WebhooksHarness, eventId: string): readonly number[] {
  const at = arrived.filter((each) => each.eventId === eventId).map((each) => each.at);
  return at.map((each) => Math.round((each - at[0]!) / SECOND));
}

/** A delivery whose first attempt failed; `at`: the instant of the next; `comeEarly`: its job arrives, now. */
async function afterAFailedAttempt() {
  const harness = await openWebhooksHarness();
  await harness.worker();
  const endpointId = await harness.endpoint(answering(500));
  const eventId = await harness.event(1);
  await harness.pass(SECOND);
  const { standing, ...kept } = (await harness.delivery(eventId, endpointId))!;
  if (standing.state !== 'pending') throw new Error(standing.state);
  const { attempt, at } = standing;
  const job = {
    type: 'DeliverEvent',
    ...{ workspaceId: WORKSPACE, endpointId, deliveryId: kept.id, round: '' },
    ...{ roundSince: kept.createdAt, attempt, dueAt: at, putOff: 0 },
  } as const;
  return { harness, at, comeEarly: () => harness.send(job) };
}

/** How far behind `at` the timers of the minutes after it are set, in milliseconds. */
async function timersBehind({ store }: WebhooksHarness, at: number): Promise<readonly number[]> {
  const minutes = [0, 1, 2, 3, 4, 5].map((each) => minuteOf(at) + each);
  const timers = await Promise.all(
    minutes.map((minute) => createDueTimers(store).read(shardOf(WORKSPACE), minute, null, 1_000)),
  );
  return timers.flat().map(({ dueAt }) => dueAt - at);
}

/** Until the delivery has an end: jumps from one attempt's instant to the next's. */
async function toTheEnd(harness: WebhooksHarness, eventId: string, endpointId: string): Promise<void> {
  for (let steps = 0; steps < 40; steps++) {
    const { standing } = (await harness.delivery(eventId, endpointId))!;
    if (standing.state !== 'pending') return;
    await harness.jump(Math.max(0, standing.at - harness.clock.now()));
    await harness.pass(10 * SECOND);
  }
  throw new Error('it has no end');
}

describe('an event', () => {
  test('is delivered once to each endpoint that listens, with the exact bytes, signed so that its owner can verify it', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const both = await harness.endpoint(answering(204));
    const failures = await harness.endpoint(answering(200), { events: ['variant.failed'] });
    const published = await harness.event(1);
    const failed = await harness.event(2, 'VariantFailed');
    await harness.pass(SECOND);
    expect(harness.arrived.map(({ endpoint, eventId }) => [endpoint, eventId]).sort()).toEqual(
      [
        [both, published],
        [both, failed],
        [failures, failed],
      ].sort(),
    );
    const [first] = harness.arrived;
    expect(JSON.parse(first!.body)).toEqual({ id: published, text: 'Grüße 世界' });
    expect(first!.headers).toMatchObject({
      'Content-Type': 'application/json',
      'Service-Event-Id': published,
      'User-Agent': 'Crier-Webhooks/1',
    });
    const verifier = new Stripe('sk_test_none').webhooks.signature!;
    expect(
      verifier.verifyHeader(first!.body, first!.headers['Service-Signature']!, SECRET, 300, undefined, first!.at),
    ).toBe(true);
    expect(await harness.delivery(published, both)).toMatchObject({
      standing: { state: 'succeeded' },
      attempts: [{ attempt: 1, outcome: 'succeeded', status: 204 }],
    });
    expect(harness.reporter.failures()).toEqual([]);
  });

  test('that comes again, and again to another owner, is the same delivery', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(204));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const [record] = Array.from({ length: 64 }, (_, partition) =>
      harness.log.control.records({ topic: 'workspace.events.v1', partition }),
    ).flat();
    harness.log.control.duplicate('webhooks', record!, record!.offset);
    await harness.pass(SECOND);
    await harness.worker();
    harness.log.control.redeliver('webhooks', record!);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
    expect((await harness.delivery(eventId, endpointId))!.attempts).toHaveLength(1);
  });

  test('that is owed still when all that was known of its deliveries is forgotten is not delivered again', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(204));
    const eventId = await harness.event(1);
    const createdAt = harness.clock.now();
    const testEvent = {
      ...{ workspaceId: WORKSPACE, requestId: 'r', issuedAt: createdAt, notAfter: createdAt },
      ...{ replyTo: '', credential: null },
      ...({ type: 'SendTestEvent', endpointId, eventId: 'a test', eventType: 'variant.failed', createdAt } as const),
      body: JSON.stringify(testEventOf('a test', 'variant.failed', createdAt)),
    };
    await harness.send(testEvent);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(2);
    await harness.jump(41 * DAY);
    expect(await harness.delivery(eventId, endpointId)).toBeNull();
    // An owner that ended between its turn and what the turn owed left it in the head, where the next one found it now.
    const [record] = Array.from({ length: 64 }, (_, partition) =>
      harness.log.control.records({ topic: 'workspace.events.v1', partition }),
    ).flat();
    await harness.log.append('workspace.events.v1', [{ key: WORKSPACE, value: record!.value }]);
    await harness.send(testEvent);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(2);
    expect(harness.reporter.of('webhook-event-expired').map(({ facts }) => facts['eventId'])).toEqual([
      eventId,
      'a test',
    ]);
  });

  test('of a Workspace without endpoints causes no read', async () => {
    const harness = await openWebhooksHarness();
    const steps: string[] = [];
    await harness.worker({ interrupt: async (step) => void steps.push(step) });
    steps.length = 0;
    await harness.event(1);
    await harness.pass(SECOND);
    // Its worker says that it owns the partition, once.
    expect(steps.filter((step) => !step.includes('parked_keys') && !step.includes('compareAndSet handling'))).toEqual(
      [],
    );
  });

  test('made before an endpoint was registered is not delivered to it', async () => {
    const harness = await openWebhooksHarness();
    await harness.event(1);
    await harness.endpoint(answering(204));
    await harness.worker();
    await harness.pass(SECOND);
    expect(harness.arrived).toEqual([]);
  });
});

describe('attempts', () => {
  test('of a receiver that always fails are 30, at exactly the instants of the schedule, and then it is given up', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(500, {}, 'no'));
    const eventId = await harness.event(1);
    await toTheEnd(harness, eventId, endpointId);
    const kept = (await harness.delivery(eventId, endpointId))!;
    expect(kept.standing.state).toBe('failed');
    expect(kept.attempts.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    const gaps = kept.attempts.slice(1).map(({ startedAt }, index) => startedAt - kept.attempts[index]!.startedAt);
    expect(gaps.map((gap) => Math.floor(gap / SECOND))).toEqual([
      30,
      60,
      120,
      240,
      480,
      960,
      1920,
      ...Array<number>(22).fill(3600),
    ]);
    await harness.jump(2 * DAY);
    expect(harness.arrived).toHaveLength(30);
    expect(harness.reporter.events.filter(({ event }) => event === 'webhook-delivery-ended')).toMatchObject([
      { facts: { outcome: 'given_up' } },
    ]);
  });

  test('carry the same bytes and event id, and a signature of their own time', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    await harness.endpoint((request, count) => answering(count < 3 ? 500 : 204)(request, count));
    await harness.event(1);
    await harness.pass(100 * SECOND);
    expect(harness.arrived).toHaveLength(3);
    expect(new Set(harness.arrived.map(({ body, eventId }) => body + eventId)).size).toBe(1);
    expect(
      harness.arrived.map(({ headers, at }) =>
        headers['Service-Signature']!.startsWith(`t=${Math.floor(at / SECOND)},`),
      ),
    ).toEqual([true, true, true]);
  });

  test('that come before their instant, as from a scheduler whose clock leads, wait for it', async () => {
    const { harness, comeEarly } = await afterAFailedAttempt();
    await comeEarly();
    await harness.pass(20 * SECOND);
    expect(harness.arrived).toHaveLength(1);
    await harness.pass(10 * SECOND);
    expect(harness.arrived.map(({ at }) => at - harness.arrived[0]!.at)).toEqual([0, 30 * SECOND]);
  });

  test('that come before their instant again and again, from such a scheduler, set a few timers only', async () => {
    const { harness, at, comeEarly } = await afterAFailedAttempt();
    for (let time = 0; time < 100; time++) {
      await comeEarly();
      await harness.pass(20);
    }
    // It came 29 to 27 s early: the clock that fired it leads by so much, or by more. The first is that of its instant.
    expect(await timersBehind(harness, at)).toEqual([0, 28_672, 30_000, 30_720, 60_000, 120_000, 180_000]);
    expect(harness.arrived).toHaveLength(1);
    await harness.pass(30 * SECOND);
    expect(harness.arrived).toHaveLength(2);
  });

  test('that come before their instant wait for it, also while the outcome of the one before is being written', async () => {
    const harness = await openWebhooksHarness();
    const { promise: mayWrite, resolve: write } = Promise.withResolvers<void>();
    let timers = 0;
    await harness.worker({
      // The first timer is that of the next attempt; the second one guards this one.
      interrupt: async (step) => {
        if (step === `after append ${TIMERS.name}` && ++timers === 1) await mayWrite;
      },
    });
    const endpointId = await harness.endpoint(answering(500));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const { standing, ...kept } = (await harness.delivery(eventId, endpointId))!;
    expect(standing).toMatchObject({ state: 'pending', attempt: 1 });
    const { at } = harness.arrived[0]!;
    await harness.send({
      ...{ type: 'DeliverEvent', workspaceId: WORKSPACE, endpointId, deliveryId: kept.id, round: '' },
      ...{ roundSince: kept.createdAt, attempt: 2, dueAt: at + 30 * SECOND, putOff: 0 },
    } as const);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
    write();
    await harness.pass(40 * SECOND);
    expect(harness.arrived.map((each) => each.at - at)).toEqual([0, 30 * SECOND]);
  });

  test('that were made are not made again when their jobs come again', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(500));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const { id: deliveryId } = (await harness.delivery(eventId, endpointId))!;
    const job = {
      type: 'DeliverEvent',
      ...{ workspaceId: WORKSPACE, endpointId, deliveryId, round: FIRST_ROUND },
      ...{ roundSince: harness.clock.now(), attempt: 1, dueAt: harness.clock.now(), putOff: 0 },
    } as const;
    await harness.send(job);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
    // So shortly before the next attempt that no clock counts as early.
    await harness.pass(25 * SECOND);
    await harness.send(job);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
    await harness.pass(4 * SECOND);
    expect(harness.arrived).toHaveLength(2);
    await harness.send({ ...job, attempt: 2 });
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(2);
  });

  test('that an operator hurries by moving the clock are signed at wall time', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    await harness.endpoint(answering(500));
    await harness.event(1);
    await harness.jump(HOUR);
    expect(harness.arrived).toHaveLength(2);
    const signedAt = harness.arrived.map(
      ({ headers }) => Number(/^t=(\d+),/.exec(headers['Service-Signature']!)![1]) * SECOND,
    );
    const [first, second] = harness.arrived.map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(HOUR);
    expect(signedAt[1]! - signedAt[0]!).toBeLessThanOrEqual(SECOND);
  });
});

describe('a receiver that', () => {
  const nineTimes = (status: number) => (request: never, count: number) =>
    answering(count <= 9 ? status : 204)(request, count);
  test.each([
    ['answers 500 nine times', () => nineTimes(500), 'refused', 500],
    ['redirects', () => nineTimes(302), 'redirected', 302],
    ['says it is gone', () => nineTimes(410), 'refused', 410],
    [
      'closes the connection',
      () => (_: never, count: number) =>
        count <= 9 ? Promise.reject(new HttpFailure('reset', true)) : answering(204)(_, count),
      'unreachable',
      null,
    ],
    [
      'has a wrong certificate',
      () => (_: never, count: number) =>
        count <= 9 ? Promise.reject(new HttpFailure('certificate', false)) : answering(204)(_, count),
      'unreachable',
      null,
    ],
    [
      'has a name that turned private',
      () => (_: never, count: number) =>
        count <= 9 ? Promise.reject(new UnsafeAddress('private')) : answering(204)(_, count),
      'unsafe',
      null,
    ],
  ])('%s, and then is well: ten attempts, the tenth succeeds', async (_what, receiver, outcome, status) => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(receiver() as never);
    const eventId = await harness.event(1);
    await toTheEnd(harness, eventId, endpointId);
    const kept = (await harness.delivery(eventId, endpointId))!;
    expect(kept.attempts.map((each) => [each.outcome, each.status])).toEqual([
      ...Array<unknown>(9).fill([outcome, status]),
      ['succeeded', 204],
    ]);
    expect(kept.standing.state).toBe('succeeded');
  });

  test.each([
    ['answers after 9.9 s', 9_900, 'succeeded'],
    ['answers after 10.1 s', 10_100, 'timed_out'],
    ['never answers', 3 * HOUR, 'timed_out'],
  ])('%s: %s', async (_what, afterMs, outcome) => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(async (request, count) => {
      await harness.clock.sleep(Math.min(afterMs, request.timeoutMs));
      if (afterMs >= request.timeoutMs) throw new HttpFailure('hooks.test did not answer within 10 s', true);
      return answering(204)(request, count);
    });
    const eventId = await harness.event(1);
    await harness.pass(11 * SECOND);
    expect((await harness.delivery(eventId, endpointId))!.attempts).toMatchObject([{ outcome }]);
  });

  test('answers 200 and then hangs in the body, or breaks off, has received the event', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const hangs = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: async () => ({ done: true as const, value: undefined }),
      }),
    };
    const breaks = {
      [Symbol.asyncIterator]: () => ({ next: async () => Promise.reject(new HttpFailure('reset', true)) }),
    };
    const endpoints = await Promise.all(
      [hangs, breaks].map((body) => harness.endpoint(() => ({ status: 200, headers: {}, body }))),
    );
    const eventId = await harness.event(1);
    await harness.pass(2 * SECOND);
    for (const endpointId of endpoints)
      expect((await harness.delivery(eventId, endpointId))!.attempts).toMatchObject([
        { outcome: 'succeeded', status: 200 },
      ]);
    await harness.pass(60 * SECOND);
    expect(harness.arrived).toHaveLength(2);
  });

  test('asks for time by Retry-After gets it, up to an hour', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint((request, count) =>
      answering(count > 2 ? 204 : 503, { 'retry-after': ['100', '86400'][count - 1] ?? '' })(request, count),
    );
    const eventId = await harness.event(1);
    await toTheEnd(harness, eventId, endpointId);
    const starts = (await harness.delivery(eventId, endpointId))!.attempts.map(({ startedAt }) => startedAt);
    expect(starts.slice(1).map((at, index) => Math.floor((at - starts[index]!) / SECOND))).toEqual([100, 3600]);
  });
});

describe('an endpoint that is', () => {
  test.each([
    ['deleted', null],
    ['stopped', { stoppedAt: 1 }],
  ] as const)('%s is sent nothing more, and what waits for it ends', async (_what, change) => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(500));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
    await harness.change(endpointId, change);
    await harness.event(2);
    await harness.pass(40 * SECOND);
    expect(harness.arrived).toHaveLength(1);
    expect(await harness.delivery(eventId, endpointId)).toMatchObject({
      standing: { state: 'failed' },
      attempts: [{ outcome: 'refused' }, { outcome: 'stopped' }],
    });
  });

  test('deleted while an attempt is on its way is sent nothing after it', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(hanging(harness.clock));
    await harness.event(1);
    await harness.change(endpointId, null);
    await harness.pass(100 * SECOND);
    expect(harness.arrived).toHaveLength(1);
  });

  test('failing is on the list of those, since its first failure, until it is well', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint((request, count) => answering(count <= 3 ? 500 : 204)(request, count));
    await harness.event(1);
    const since = harness.arrived[0]!.at;
    await harness.pass(40 * SECOND);
    expect(await harness.failing.list(10)).toEqual([]);
    await harness.pass(60 * SECOND);
    expect(await harness.failing.list(10)).toMatchObject([
      { endpointId, workspaceId: WORKSPACE, since, error: 'The endpoint answered 500.' },
    ]);
    await harness.pass(120 * SECOND);
    expect(await harness.failing.list(10)).toEqual([]);
  });
});

describe('an endpoint that fails for five days', () => {
  /** A day with one event, whose attempts all fall due. */
  async function aDay(harness: WebhooksHarness, number: number): Promise<string> {
    const eventId = await harness.event(number);
    await harness.pass(100 * SECOND);
    for (let hours = 0; hours < 24; hours += 4) await harness.jump(4 * HOUR);
    return eventId;
  }

  async function afterFourDays(status: () => number) {
    const harness = await openWebhooksHarness();
    const worker = await harness.worker();
    const endpointId = await harness.endpoint((request, count) => answering(status())(request, count));
    for (let day = 1; day <= 4; day++) await aDay(harness, day);
    return { harness, worker, endpointId };
  }

  test('is disabled and its owner told once, and what comes later is kept for a replay', async () => {
    const { harness, endpointId } = await afterFourDays(() => 500);
    expect(harness.told).toEqual([]);
    await aDay(harness, 5);
    const since = harness.arrived[0]!.at;
    expect(harness.told).toMatchObject([{ workspaceId: WORKSPACE, endpointId, since, error: expect.any(String) }]);
    expect(harness.told[0]!.disabledAt! - since).toBeGreaterThanOrEqual(5 * DAY);
    expect(await harness.failing.list(10)).toMatchObject([{ endpointId, disabledAt: harness.told[0]!.disabledAt }]);
    const arrived = harness.arrived.length;
    const late = await aDay(harness, 6);
    expect([harness.arrived.length, harness.told.length]).toEqual([arrived, 1]);
    expect((await harness.delivery(late, endpointId))!.standing).toMatchObject({ state: 'failed' });
    expect((await harness.delivery(late, endpointId))!.attempts.at(-1)!.error).toContain('was disabled');
  });

  test('stays disabled when another process takes over, and is enabled by a replay, which is sent', async () => {
    let status = 500;
    const { harness, worker, endpointId } = await afterFourDays(() => status);
    const missed = await aDay(harness, 5);
    worker.crash();
    await harness.worker();
    const arrived = harness.arrived.length;
    await aDay(harness, 6);
    expect(harness.arrived).toHaveLength(arrived);
    status = 204;
    await harness.send({
      ...{ type: 'ReplayDelivery', workspaceId: WORKSPACE, endpointId, deliveryId: deliveryIdOf(missed, endpointId) },
      ...{ requestId: '01a30000-0000-7000-8000-000000000009', issuedAt: 0, notAfter: 0, replyTo: '', credential: null },
      ...{ round: 'again', askedAt: harness.clock.now() },
    });
    await harness.pass(10 * SECOND);
    expect(harness.arrived.slice(arrived)).toMatchObject([{ eventId: missed }]);
    await harness.event(8);
    await harness.pass(10 * SECOND);
    expect(harness.arrived).toHaveLength(arrived + 2);
    expect([await harness.failing.list(10), harness.told.length]).toEqual([[], 1]);
  });

  test('that is enabled while it still fails has five days anew', async () => {
    const { harness, endpointId } = await afterFourDays(() => 500);
    const eventId = await aDay(harness, 5);
    expect(harness.told).toHaveLength(1);
    await harness.send({
      ...{ type: 'ReplayDelivery', workspaceId: WORKSPACE, endpointId, deliveryId: deliveryIdOf(eventId, endpointId) },
      ...{ requestId: '01a30000-0000-7000-8000-000000000009', issuedAt: 0, notAfter: 0, replyTo: '', credential: null },
      ...{ round: 'again', askedAt: harness.clock.now() },
    });
    await harness.pass(10 * SECOND);
    const arrived = harness.arrived.length;
    await harness.event(6);
    await harness.pass(100 * SECOND);
    expect(harness.arrived.length).toBeGreaterThan(arrived);
    expect(harness.told).toHaveLength(1);
  });

  test('has five days anew after more than a day with nothing to get, also at a process that took over since', async () => {
    const harness = await openWebhooksHarness();
    const first = await harness.worker();
    const endpointId = await harness.endpoint(answering(500));
    await aDay(harness, 1);
    await harness.jump(5 * DAY);
    await harness.event(2);
    await harness.pass(300 * SECOND);
    expect(harness.told).toEqual([]);
    const since = harness.arrived.at(-1)!.at - HOUR;
    expect(await harness.failing.list(10)).toMatchObject([{ endpointId, since: expect.toSatisfy((at) => at > since) }]);
    first.crash();
    await harness.jump(5 * DAY);
    await harness.worker();
    await harness.event(3);
    await harness.pass(300 * SECOND);
    expect(harness.told).toEqual([]);
  });

  test('but for one success is not disabled', async () => {
    let isUp = false;
    const { harness } = await afterFourDays(() => (isUp ? 204 : 500));
    isUp = true;
    await harness.event(50);
    await harness.pass(10 * SECOND);
    isUp = false;
    for (let day = 6; day <= 9; day++) await aDay(harness, day);
    expect(harness.told).toEqual([]);
  });
});

test('what finds no room after two days without a process is delivered all the same', async () => {
  const harness = await openWebhooksHarness();
  const slow: Receiver = async () => {
    await harness.clock.sleep(8 * SECOND);
    return { status: 204, headers: {}, body: (async function* () {})() };
  };
  const endpointId = await harness.endpoint(slow);
  const events: string[] = [];
  for (let number = 1; number <= 200; number++) events.push(await harness.event(number));
  await harness.jump(2 * DAY);
  await harness.worker();
  await harness.pass(900 * SECOND);
  const kept = await Promise.all(events.map((eventId) => harness.delivery(eventId, endpointId)));
  const outcomes = Map.groupBy(kept, (delivery) => delivery!.attempts.at(-1)?.outcome ?? 'none');
  expect(Object.fromEntries([...outcomes].map(([outcome, all]) => [outcome, all.length]))).toEqual({ succeeded: 200 });
});

describe('on demand', () => {
  const asked = {
    workspaceId: WORKSPACE,
    requestId: '01a30000-0000-7000-8000-000000000001',
    issuedAt: 0,
    notAfter: 0,
    replyTo: '',
    credential: null,
  } as const;

  test('a replay delivers the same event again, under the same ids, in a round of its own', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint((request, count) => answering(count === 2 ? 500 : 204)(request, count));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const { id: deliveryId } = (await harness.delivery(eventId, endpointId))!;
    const replay = {
      ...asked,
      type: 'ReplayDelivery',
      endpointId,
      deliveryId,
      round: asked.requestId,
      askedAt: harness.clock.now(),
    } as const;
    await harness.send(replay);
    await harness.send(replay);
    await harness.pass(40 * SECOND);
    expect(arrivals(harness, eventId)).toEqual([0, 1, 31]);
    expect(new Set(harness.arrived.map(({ body }) => body)).size).toBe(1);
    const kept = (await harness.delivery(eventId, endpointId))!;
    expect([
      kept.rounds.length,
      kept.attempts.map(({ round, attempt, outcome }) => [round === '', attempt, outcome]),
    ]).toEqual([
      2,
      [
        [true, 1, 'succeeded'],
        [false, 1, 'refused'],
        [false, 2, 'succeeded'],
      ],
    ]);
  });

  test('of replays that were asked for at once no more are made than a delivery may have', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(204));
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const { id: deliveryId } = (await harness.delivery(eventId, endpointId))!;
    const replays = Array.from({ length: 60 }, (_, count) => {
      const round = `01a30000-0000-7000-8000-${String(count).padStart(12, '0')}`;
      const about = { endpointId, deliveryId, round, askedAt: harness.clock.now() };
      return { ...asked, type: 'ReplayDelivery', ...about } as const;
    });
    await harness.send(...replays);
    await harness.pass(10 * SECOND);
    const { rounds } = (await harness.delivery(eventId, endpointId))!;
    expect([rounds.length, harness.arrived.length]).toEqual([51, 51]);
  });

  test('replays of one day store the bytes of their event no further time, and later ones once a day', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(204));
    const eventId = await harness.event(1, 'VariantPublished', 'x'.repeat(500_000));
    await harness.pass(SECOND);
    const { id: deliveryId } = (await harness.delivery(eventId, endpointId))!;
    const bytesOf = async (): Promise<number> =>
      (await harness.store.slice(DELIVERIES, [deliveryId], { limit: 1_000 }))
        .map(({ body }) => body.length)
        .reduce((sum, bytes) => sum + bytes, 0);
    let rounds = 0;
    const replay = async (): Promise<void> => {
      const round = `01a30000-0000-7000-8000-${String((rounds += 1)).padStart(12, '0')}`;
      const about = { endpointId, deliveryId, round, askedAt: harness.clock.now() };
      await harness.send({ ...asked, type: 'ReplayDelivery', ...about });
      await harness.pass(SECOND);
    };
    const before = await bytesOf();
    expect(before).toBeGreaterThan(500_000);
    for (let count = 0; count < 40; count++) await replay();
    expect((await bytesOf()) - before).toBeLessThan(100_000);
    // The bytes outlive every round that sends them.
    await harness.jump(25 * HOUR);
    for (let count = 0; count < 10; count++) await replay();
    expect((await bytesOf()) - before).toBeLessThan(before + 100_000);
    expect([harness.arrived.length, new Set(harness.arrived.map(({ body }) => body)).size]).toEqual([51, 1]);
  });

  test('no delivery of another endpoint, or of another Workspace, is delivered again', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const [endpointId, other] = [
      await harness.endpoint(answering(204)),
      await harness.endpoint(answering(204), { events: [] }),
    ];
    const eventId = await harness.event(1);
    await harness.pass(SECOND);
    const { id: deliveryId } = (await harness.delivery(eventId, endpointId))!;
    const replay = {
      ...asked,
      type: 'ReplayDelivery',
      deliveryId,
      round: asked.requestId,
      askedAt: harness.clock.now(),
    } as const;
    await harness.send({ ...replay, endpointId: other });
    await harness.send({ ...replay, endpointId, workspaceId: '01a20000-0000-7000-8000-000000000002' });
    await harness.pass(SECOND);
    expect(harness.arrived).toHaveLength(1);
  });

  test('a test event is delivered as any other, and once however often its command comes', async () => {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(answering(204));
    const eventId = '01a30000-0000-7000-8000-000000000002';
    const body = JSON.stringify(testEventOf(eventId, 'variant.failed', harness.clock.now()));
    const test = {
      ...asked,
      type: 'SendTestEvent',
      endpointId,
      eventId,
      eventType: 'variant.failed',
      createdAt: harness.clock.now(),
      body,
    } as const;
    await harness.send(test);
    await harness.send(test);
    await harness.pass(SECOND);
    expect(harness.arrived).toMatchObject([{ endpoint: endpointId, eventId, body }]);
    expect((await harness.delivery(eventId, endpointId))!.standing.state).toBe('succeeded');
  });
});
