import type { Codec, DeliverEvent } from '#messages/messages.ts';
import { mayReplay } from '#domain/webhook/delivery.ts';
import type { ReplayDelivery, SendTestEvent } from '#domain/workspace/commands.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { Tracer } from '#ports/tracer.ts';
import { createTopicConsumer } from '#consumer/topic-consumer.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
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
import { DisabledEndpoints, type DisabledEndpointsOptions } from './disabled-endpoints.ts';
import { EndpointHealth } from './endpoint-health.ts';

export interface WebhooksOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly tracer?: Tracer;
  readonly limits?: FairQueueLimits;
  readonly pools: Pools;
  /** Deliveries of many events are made in time slices of their Workspace; left out: in one go. */
  readonly slices?: Pick<TimeSlices, 'begin'> | undefined;
  /** Has the people told whose endpoint was disabled; left out: nobody is. */
  readonly tellDisabled?: DisabledEndpointsOptions['tell'];
}

/** Deliveries at this moment, as far as this process knows. */
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
 * Backpressure: while more records than these were taken from the log and are not done, no record waits for an attempt
 * in a queue. It would hold up the records of other endpoints in its partition.
 */
const PRESSED_ABOVE = 2_500;
const WORKSPACES_AT_ONCE = 64;
/**
 * So many because a handler only waits, which costs nothing: for its attempts as long as `HOLD_MS`, and before that for
 * room in the queue of its endpoint, seconds at most.
 */
const ENDPOINTS_AT_ONCE = 4_096;

/** Delivers events to endpoints: at least once, under one id, in no order. */
export function createWebhooksServices(options: WebhooksOptions): WebhooksServices {
  const rows = createDeliveryRows(options.store);
  const endpointsOf = (workspaceId: string) => readEndpoints(options.store, workspaceId);
  const setTimer = (timer: TimerEffect) => setTimers(options, [timer]);
  const failing = createFailingEndpoints(options.store, () => options.ids.token());
  const disabled = new DisabledEndpoints({ ...options, failing, tell: options.tellDisabled ?? (() => {}) });
  const health = new EndpointHealth({ ...options, failing, disabled, owned: () => delivering.owned() });
  const attempts = new DeliveryAttempts({
    ...options,
    disabled,
    rows,
    endpointsOf,
    setTimer,
    isStopped: () => dispatcher.isStopped,
  });
  const limits = options.limits ?? LIMITS;
  const dispatcher = new Dispatcher({
    ...{ ...options, attempts, endpointsOf, setTimer },
    onResult: (job, result) => health.recordResult(job, result),
    onGivenUp: ({ deliveryId }) => health.forgetDelivery(deliveryId),
    limits,
    pool: options.pools.open('deliveries', { permits: limits.atOnce, maxOf: { workspace: limits.atOnce } }),
    isPressed: () => delivering.waiting() > PRESSED_ABOVE,
  });
  const fanOutOptions = { ...options, rows, endpointsOf, disabled, health };
  const delivering = deliveryConsumer(options, fanOutOptions, rows, dispatcher);
  return {
    services: [fanOutConsumer(options, fanOutOptions), delivering],
    load: () => ({
      running: dispatcher.running,
      waiting: dispatcher.waiting,
      failingEndpoints: health.failing,
      oldestPendingMs: health.oldestPendingMs,
    }),
  };
}

function fanOutConsumer(options: WebhooksOptions, fanOutOptions: FanOutOptions): Service & Workload {
  return createTopicConsumer(
    {
      name: 'webhooks',
      topic: WORKSPACE_EVENTS,
      maxBatch: 100,
      concurrency: WORKSPACES_AT_ONCE,
      handle: (workspaceId, outcomes) => fanOut(fanOutOptions, workspaceId, outcomes),
    },
    options,
  );
}

function deliveryConsumer(
  options: WebhooksOptions,
  jobOptions: JobOptions,
  rows: DeliveryRows,
  dispatcher: Dispatcher,
): Service & Workload {
  return createTopicConsumer(
    {
      name: 'webhook-deliveries',
      topic: WEBHOOK_DELIVERIES,
      // As many as an empty queue of one endpoint has room for: a job that finds none is put off by a timer.
      maxBatch: LIMITS.waitingOfEndpoint,
      concurrency: ENDPOINTS_AT_ONCE,
      handle: async (_endpointId, messages) => {
        // One replay after the other, since each looks at how many its delivery has.
        let before: Promise<unknown> = Promise.resolve();
        const ended = await Promise.allSettled(
          messages.map(async (message) => {
            const made = before.then(() => jobOf(message, jobOptions, rows));
            if (message.type === 'ReplayDelivery') before = made.catch(() => {});
            const job = await made;
            if (job !== null) await dispatcher.offer(job);
          }),
        );
        const failed = ended.find((each) => each.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      },
      onOwnerChanged: (partitions) => jobOptions.health.ownersChanged(partitions),
      onDrained: () => dispatcher.drain(),
      onStop: () => dispatcher.stop(),
    },
    options,
  );
}

/** What a message of the topic is made into a job with. */
type JobOptions = FanOutOptions & {
  readonly disabled: Pick<DisabledEndpoints, 'enable'>;
  readonly health: Pick<EndpointHealth, 'forget' | 'ownersChanged'>;
};

type DeliveryMessage = DeliverEvent | SendTestEvent | ReplayDelivery;

/** Null: there is nothing to attempt. Rejects with `PortError`. */
async function jobOf(message: DeliveryMessage, options: JobOptions, rows: DeliveryRows): Promise<DeliverEvent | null> {
  if (message.type === 'DeliverEvent') return message;
  // A Member who asks for a test event or a replay has mended the endpoint, or wants to see whether it is: it has five
  // days anew.
  if (await options.disabled.enable(message.endpointId)) options.health.forget(message.endpointId);
  switch (message.type) {
    case 'SendTestEvent':
      return makeTestDelivery(options, message);
    case 'ReplayDelivery':
      return replay(message, rows);
  }
}

/**
 * The first attempt of a new round. Whoever asks for many
 * at once is told of each that it will be made, and those beyond the bound are not: a delivery is read with all of its
 * rounds, before each attempt.
 */
async function replay(
  { workspaceId, endpointId, deliveryId, round, askedAt, trace }: ReplayDelivery,
  rows: DeliveryRows,
): Promise<DeliverEvent | null> {
  const kept = await rows.find(deliveryId);
  if (kept === null || kept.endpointId !== endpointId || kept.workspaceId !== workspaceId) return null;
  // A record that comes again has made its round already.
  if (!mayReplay(kept.rounds) && !kept.rounds.some(({ id }) => id === round)) return null;
  await rows.makeRound(kept, { id: round, since: askedAt });
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
    ...(trace !== undefined && { trace }),
  };
}
