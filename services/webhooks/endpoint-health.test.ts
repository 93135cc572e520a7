import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { PortError } from '#ports/errors.ts';
import type { FailingEndpoint } from '#tables/repositories/failing-endpoints.ts';
import { WEBHOOK_DELIVERIES } from '#tables/declarations/topics.ts';
import { EndpointHealth, type EndpointHealthOptions } from './endpoint-health.ts';
import { answering, openWebhooksHarness, type Receiver } from './webhooks-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ENDPOINTS = 8;

/** A process at which all endpoints fail, and another one that then takes some of its partitions. */
async function twoWorkers() {
  const harness = await openWebhooksHarness();
  const receivers = { status: 500 };
  const answer: Receiver = (request, count) => answering(receivers.status)(request, count);
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) await harness.endpoint(answer);
  const { webhooks: first } = await harness.worker();
  const eventId = await harness.event(1);
  for (let jumps = 0; first.load().failingEndpoints < ENDPOINTS && jumps < 20; jumps++) await harness.jump(5 * MINUTE);
  expect(first.load()).toMatchObject({ failingEndpoints: ENDPOINTS });
  expect(first.load().oldestPendingMs).toBeGreaterThan(MINUTE);
  const { webhooks: second } = await harness.worker();
  await harness.pass(SECOND);
  for (const { services } of [first, second]) expect(services[1]!.owned().length).toBeGreaterThan(0);
  return { harness, receivers, eventId, first, second };
}

test('who lost partitions to another process forgets what failed and waits there', async () => {
  const { harness, receivers, eventId, first, second } = await twoWorkers();
  receivers.status = 204;
  for (let jumps = 0; jumps < 4; jumps++) await harness.jump(HOUR);
  expect(harness.arrived.filter((each) => each.eventId === eventId).length).toBeGreaterThanOrEqual(4 * ENDPOINTS);
  for (const { load } of [first, second]) expect(load()).toMatchObject({ failingEndpoints: 0, oldestPendingMs: 0 });
});

test('an endpoint that worked for days at another process is not disabled for what failed here before', async () => {
  const { harness, receivers, second } = await twoWorkers();
  receivers.status = 204;
  for (let day = 1; day <= 6; day++) {
    await harness.jump(24 * HOUR);
    const eventId = await harness.event(10 + day);
    await harness.pass(10 * SECOND);
    expect(harness.arrived.filter((each) => each.eventId === eventId)).toHaveLength(ENDPOINTS);
  }
  for (const service of second.services) await service.stop();
  await harness.pass(SECOND);
  receivers.status = 500;
  await harness.event(100);
  await harness.pass(10 * SECOND);
  expect(harness.told).toEqual([]);
});

/** Health of one endpoint, of which this process owns all partitions. */
function openHealth(failing: Partial<EndpointHealthOptions['failing']> = {}) {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const health = new EndpointHealth({
    ...{ clock, reporter, disabled: { disable: async () => {} } },
    failing: { mark: async ({ since }) => since, clear: async () => {}, ...failing },
    owned: () => Array.from({ length: WEBHOOK_DELIVERIES.partitions }, (_, partition) => ({ topic: '', partition })),
  });
  const attempted = (outcome: 'refused' | 'succeeded', deliveryId = 'd'): void => {
    const began = clock.now();
    const job = { workspaceId: 'w', endpointId: 'e', deliveryId, round: '', roundSince: began, attempt: 1 } as const;
    const sent = { outcome, status: 500, error: '', excerpt: '', retryAfterMs: null };
    const endpoint = { id: 'e', url: 'https://hooks.test/' } as Endpoint;
    const result = { endpoint, sent, startedAt: began, ended: outcome === 'succeeded' };
    health.recordResult({ type: 'DeliverEvent', ...job, dueAt: began, putOff: 0 }, result);
  };
  return { clock, reporter, health, attempted };
}

test('a delivery that ended for want of a turn waits no longer', async () => {
  const { clock, health, attempted } = openHealth();
  attempted('refused');
  await clock.advance(HOUR);
  expect(health.oldestPendingMs).toBe(HOUR);
  health.forgetDelivery('d');
  expect(health.oldestPendingMs).toBe(0);
});

test('a success that comes while failures are written down clears them behind that', async () => {
  const { promise: marked, resolve: endMark } = Promise.withResolvers<void>();
  const done: string[] = [];
  const mark = async ({ since }: FailingEndpoint) => {
    await marked;
    done.push('marked');
    return since;
  };
  const { clock, attempted } = openHealth({ mark, clear: async () => void done.push('cleared') });
  for (let failure = 0; failure < 3; failure++) attempted('refused', `d${failure}`);
  await clock.advance(0);
  attempted('succeeded', 'd3');
  await clock.advance(0);
  expect(done).toEqual([]);
  endMark();
  await clock.advance(0);
  expect(done).toEqual(['marked', 'cleared']);
});

test('what could not be cleared is cleared before other failures are written down', async () => {
  const done: string[] = [];
  let isAway = true;
  const { clock, attempted } = openHealth({
    mark: async ({ since }) => (done.push('marked'), since),
    clear: async () => {
      if (isAway) throw new PortError('unavailable', 'away');
      done.push('cleared');
    },
  });
  attempted('succeeded');
  await clock.advance(0);
  isAway = false;
  for (let failure = 0; failure < 3; failure++) attempted('refused', `d${failure}`);
  await clock.advance(0);
  expect(done).toEqual(['cleared', 'marked']);
});

test('what could not be cleared is cleared with the next success', async () => {
  let isAway = true;
  let cleared = 0;
  const clear = async (): Promise<void> => {
    if (isAway) throw new PortError('unavailable', 'away');
    cleared += 1;
  };
  const { clock, reporter, attempted } = openHealth({ clear });
  for (let success = 0; success < 3; success++) {
    attempted('succeeded');
    await clock.advance(0);
    isAway = false;
  }
  expect([cleared, reporter.of('endpoint-health-write-failed').length]).toEqual([1, 1]);
});
