import { expect, test } from 'vitest';
import { answering, openWebhooksHarness, type WebhooksHarness, type Worker } from './webhooks-harness.fixture.ts';

const SECOND = 1_000;
const MAX_STEPS = 100;

/** Of looking for parked keys and vanished owners there are hundreds, which say nothing. */
const isLook = (step: string): boolean => step.includes('parked_keys') || step.includes('read handling');

interface StoppingWorker {
  readonly worker: Worker;
  readonly at: () => string | null;
  goOn: () => void;
  /** So many steps from now. */
  stopAfter(steps: number): void;
}

/** A worker that stops for ever at its step `stopAt`. */
async function stoppingWorker(harness: WebhooksHarness, stopAt = Infinity): Promise<StoppingWorker> {
  const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
  let steps = 0;
  let at: string | null = null;
  const worker = await harness.worker({
    interrupt: async (step) => {
      if (isLook(step) || ++steps !== stopAt) return;
      at = step;
      await released;
    },
  });
  return { worker, at: () => at, goOn, stopAfter: (more) => void (stopAt = steps + more) };
}

/** Each event arrived, under one delivery, which succeeded at last. */
async function expectTold(
  harness: WebhooksHarness,
  endpointId: string,
  events: readonly string[],
  when: string,
): Promise<void> {
  for (const eventId of events) {
    expect(
      harness.arrived.filter((each) => each.eventId === eventId).length,
      `arrivals after ${when}`,
    ).toBeGreaterThanOrEqual(2);
    const kept = await harness.delivery(eventId, endpointId);
    expect(kept?.standing.state, `delivery after ${when}`).toBe('succeeded');
  }
  expect(new Set(harness.arrived.map(({ eventId }) => eventId)), `ids after ${when}`).toEqual(new Set(events));
}

async function expectSuccessorTells(...about: Parameters<typeof expectTold>): Promise<void> {
  const [harness] = about;
  await harness.worker();
  // Past whatever timer answers for it by now, and then past the gap after a failure.
  await harness.jump(90 * SECOND);
  await harness.jump(35 * SECOND);
  await expectTold(...about);
}

/** Its receiver fails each event once. */
function failingOnce(): Parameters<WebhooksHarness['endpoint']>[0] {
  const failed = new Set<string>();
  return (request, count) => {
    const eventId = request.headers!['Service-Event-Id']!;
    const isFirst = !failed.has(eventId);
    failed.add(eventId);
    return answering(isFirst ? 500 : 204)(request, count);
  };
}

test('a worker killed between any two steps: its successor delivers every event, under the same ids', async () => {
  for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
    const harness = await openWebhooksHarness();
    const first = await stoppingWorker(harness, stopAt);
    const endpointId = await harness.endpoint(failingOnce());
    const events = [await harness.event(1)];
    await harness.pass(31 * SECOND);
    first.worker.crash();
    await expectSuccessorTells(harness, endpointId, events, `a crash ${first.at()}`);
    if (first.at() === null) return expect(stopAt).toBeGreaterThan(20);
  }
  throw new Error('it never came to its end');
});

test('the same where log and store are one, of an event that is not the first', async () => {
  for (let stopAt = 1; stopAt < MAX_STEPS; stopAt += 2) {
    const harness = await openWebhooksHarness('store_and_log');
    const first = await stoppingWorker(harness);
    const endpointId = await harness.endpoint(failingOnce());
    const events = [await harness.event(1)];
    await harness.pass(SECOND);
    first.stopAfter(stopAt);
    events.push(await harness.event(2));
    await harness.pass(5 * SECOND);
    first.worker.crash();
    await expectSuccessorTells(harness, endpointId, events, `a crash ${first.at()}`);
    if (first.at() === null) return expect(stopAt).toBeGreaterThan(20);
  }
  throw new Error('it never came to its end');
});

test('a worker held up between any two steps, with a successor that owns its partitions: no event is delivered under two ids', async () => {
  for (let stopAt = 1; stopAt < MAX_STEPS; stopAt += 3) {
    const harness = await openWebhooksHarness();
    const first = await stoppingWorker(harness, stopAt);
    const endpointId = await harness.endpoint(failingOnce());
    const events = [await harness.event(1)];
    await harness.pass(SECOND);
    await harness.worker();
    for (const group of ['webhooks', 'webhook-deliveries']) {
      const topic = group === 'webhooks' ? 'workspace.events.v1' : 'webhook.deliveries.v1';
      for (let partition = 0; partition < 64; partition++)
        harness.log.control.overlap(group, { topic, partition }, 'worker 2');
    }
    await harness.pass(SECOND);
    first.goOn();
    await harness.pass(65 * SECOND);
    await expectTold(harness, endpointId, events, `being held up ${first.at()}`);
    expect((await harness.delivery(events[0]!, endpointId))!.attempts.length).toBeLessThanOrEqual(4);
    if (first.at() === null) return expect(stopAt).toBeGreaterThan(20);
  }
  throw new Error('it never came to its end');
});

test('appends that are lost, or stored twice, lose no event', async () => {
  for (const fault of ['lost', 'ack-lost', 'twice'] as const) {
    const harness = await openWebhooksHarness();
    await harness.worker();
    const endpointId = await harness.endpoint(failingOnce());
    harness.log.control.failNextAppend(fault, 'webhook.deliveries.v1');
    harness.log.control.failNextAppend(fault, 'timers.v1');
    const events = [await harness.event(1), await harness.event(2)];
    await harness.pass(70 * SECOND);
    await expectTold(harness, endpointId, events, fault);
  }
});
