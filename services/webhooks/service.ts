import type { Codec, DeliverEvent, Message } from '#messages/messages.ts';
import type { ReplayDelivery } from '#domain/workspace/commands.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import { KeyedConsumer } from '#consumer/keyed-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import type { Workload } from '#consumer/workload.ts';
import { createDeliveryRows, type DeliveryRows } from '#tables/repositories/deliveries.ts';
import { createFailingEndpoints } from '#tables/repositories/failing-endpoints.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { WEBHOOK_DELIVERIES, WORKSPACE_EVENTS } from '#tables/declarations/topics.ts';
import { readEndpoints } from '#tables/repositories/workspaces.ts';
import { DeliveryAttempts } from './attempts.ts';
import { Dispatcher } from './dispatcher.ts';
import { fanOut, makeTestDelivery, type FanOutOptions } from './fan-out.ts';
import type { FairQueueLimits } from './fair-queue.ts';
import { EndpointHealth } from './endpoint-health.ts';

export interface WebhooksOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly limits?: FairQueueLimits;
}

/** What deliveries hold at this moment, as far as this process knows. */
export interface DeliveryLoad {
  readonly running: number;
  readonly waiting: number;
  readonly failingEndpoints: number;
  readonly oldestPendingMs: number;
}

export interface WebhooksServices {
  /** Makes deliveries of events, and carries them out. */
  readonly services: readonly (Service & Workload)[];
  load(): DeliveryLoad;
}

/** 20,000 waiting are some 20 MB. */
const LIMITS: FairQueueLimits = {
  atOnce: 512,
  atOnceOfHost: 128,
  waitingOfEndpoint: 64,
  waiting: 20_000,
  idleEndpoints: 20_000,
};
/**
 * Records taken from the log and not done: above this none waits for an attempt, or those of other endpoints would wait
 * behind them.
 */
const PRESSED_ABOVE = 2_500;
const WORKSPACES_AT_ONCE = 64;
/** A key costs nothing while its records wait for their attempts, and waits for a quarter of a second only. */
const ENDPOINTS_AT_ONCE = 4_096;

/** Tells endpoints of events. Without order, at least once, never under two ids. */
export function createWebhooksServices(parts: WebhooksOptions): WebhooksServices {
  const rows = createDeliveryRows(parts.store);
  const endpointsOf = (workspaceId: string) => readEndpoints(parts.store, workspaceId);
  const setTimer = (timer: TimerEffect) => setTimers(parts, [timer]);
  const health = new EndpointHealth({
    ...parts,
    failing: createFailingEndpoints(parts.store, () => parts.ids.token()),
  });
  const attempts = new DeliveryAttempts({ ...parts, rows, endpointsOf, setTimer, isOver: () => dispatcher.isOver });
  const dispatcher = new Dispatcher({
    ...{ ...parts, attempts, endpointsOf, setTimer },
    heard: (job, made) => health.heard(job, made),
    limits: parts.limits ?? LIMITS,
    isPressed: () => delivering.waiting() > PRESSED_ABOVE,
  });
  const fanOutParts = { ...parts, rows, endpointsOf };
  const delivering = deliveringWith(parts, fanOutParts, rows, dispatcher);
  return {
    services: [fanningOut(parts, fanOutParts), delivering],
    load: () => ({
      running: dispatcher.running,
      waiting: dispatcher.waiting,
      failingEndpoints: health.failing,
      oldestPendingMs: health.oldestPendingMs,
    }),
  };
}

function fanningOut(parts: WebhooksOptions, fanOutParts: FanOutOptions): Service & Workload {
  return new KeyedConsumer(
    {
      name: 'webhooks',
      group: 'webhooks',
      topics: [WORKSPACE_EVENTS.name],
      maxBatch: 100,
      concurrency: WORKSPACES_AT_ONCE,
      maxWaiting: 5_000,
      handle: (workspaceId, messages) => fanOut(fanOutParts, workspaceId, messages.map(outcomeIn)),
    },
    parts,
  );
}

function deliveringWith(
  parts: WebhooksOptions,
  fanOutParts: FanOutOptions,
  rows: DeliveryRows,
  dispatcher: Dispatcher,
): Service & Workload {
  const consumer = new KeyedConsumer(
    {
      name: 'webhook-deliveries',
      group: 'webhook-deliveries',
      topics: [WEBHOOK_DELIVERIES.name],
      // No more than find room in an empty queue.
      maxBatch: LIMITS.waitingOfEndpoint,
      concurrency: ENDPOINTS_AT_ONCE,
      maxWaiting: 5_000,
      handle: async (_endpointId, messages) => {
        const ended = await Promise.allSettled(
          messages.map(async (message) => {
            const job = await jobOf(message, fanOutParts, rows);
            if (job !== null) await dispatcher.offer(job);
          }),
        );
        const failed = ended.find((each) => each.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      },
    },
    parts,
  );
  return {
    name: consumer.name,
    start: () => consumer.start(),
    drain: async () => {
      await consumer.drain();
      await dispatcher.drain();
    },
    stop: async () => {
      dispatcher.stop();
      await consumer.stop();
    },
    trouble: () => consumer.trouble(),
    owned: () => consumer.owned(),
    waiting: () => consumer.waiting(),
    heldBack: () => consumer.heldBack(),
  };
}

function outcomeIn(message: Message): Parameters<typeof fanOut>[2][number] {
  if (message.type !== 'VariantPublished' && message.type !== 'VariantFailed')
    throw new Error(`${message.type} is no event`);
  return message;
}

/** Null: there is nothing to attempt. Rejects with `PortError`. */
async function jobOf(message: Message, parts: FanOutOptions, rows: DeliveryRows): Promise<DeliverEvent | null> {
  switch (message.type) {
    case 'DeliverEvent':
      return message;
    case 'SendTestEvent':
      return makeTestDelivery(parts, message);
    case 'ReplayDelivery':
      return replay(message, rows);
    default:
      throw new Error(`${message.type} is no delivery`);
  }
}

/** The first attempt of a new round, which has rows of its own: they outlive those of the first. */
async function replay(
  { workspaceId, endpointId, deliveryId, round, askedAt }: ReplayDelivery,
  rows: DeliveryRows,
): Promise<DeliverEvent | null> {
  const kept = await rows.find(deliveryId);
  if (kept === null || kept.endpointId !== endpointId || kept.workspaceId !== workspaceId) return null;
  const { rounds: _, attempts: _attempts, standing: _standing, body, ...delivery } = kept;
  await rows.make(delivery, { id: round, since: askedAt }, body);
  return {
    type: 'DeliverEvent',
    workspaceId,
    endpointId,
    deliveryId,
    round,
    roundSince: askedAt,
    attempt: 1,
    dueAt: askedAt,
    putOff: 0,
  };
}
