import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { WEBHOOK_DELIVERIES } from '#tables/declarations/topics.ts';
import { EndpointHealth } from './endpoint-health.ts';
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

test('a delivery that ended for want of a turn waits no longer', async () => {
  const clock = createMemoryClock();
  const [workspaceId, endpointId, deliveryId] = ['w', 'e', 'd'];
  const health = new EndpointHealth({
    ...{ clock, reporter: createMemoryReporter(), disabled: { disable: async () => {} } },
    failing: { mark: async ({ since }) => since, clear: async () => {} },
    owned: () => Array.from({ length: WEBHOOK_DELIVERIES.partitions }, (_, partition) => ({ topic: '', partition })),
  });
  const began = clock.now();
  const round = { round: '', roundSince: began, attempt: 1, dueAt: began, putOff: 0 };
  const failed = { outcome: 'refused', status: 500, error: '', excerpt: '', retryAfterMs: null } as const;
  const endpoint = { id: endpointId, url: 'https://hooks.test/' } as Endpoint;
  const result = { endpoint, sent: failed, startedAt: began, ended: false };
  health.recordResult({ type: 'DeliverEvent', workspaceId, endpointId, deliveryId, ...round }, result);
  await clock.advance(HOUR);
  expect(health.oldestPendingMs).toBe(HOUR);
  health.forgetDelivery(deliveryId);
  expect(health.oldestPendingMs).toBe(0);
});
