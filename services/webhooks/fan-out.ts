import type { Codec, DeliverEvent, VariantOutcome } from '#messages/messages.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import { newDelivery, FIRST_ROUND, type Delivery } from '#domain/webhook/delivery.ts';
import { isActive, type Endpoints } from '#domain/webhook/endpoint.ts';
import type { SendTestEvent } from '#domain/workspace/commands.ts';
import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import type { Log } from '#ports/log.ts';
import { appendMessages } from '#outbox/relay.ts';
import type { DeliveryRows } from '#tables/repositories/deliveries.ts';
import type { MessageEffect } from '#tables/rows/pending-effects.ts';
import { deliverMessage } from './delivery-messages.ts';

export interface FanOutOptions {
  readonly rows: Pick<DeliveryRows, 'make'>;
  readonly endpointsOf: (workspaceId: string) => Promise<Endpoints>;
  readonly log: Log;
  readonly codec: Codec;
}

/**
 * Makes of each event one delivery for each endpoint that listened when it was committed and still exists, and appends
 * its first attempt. The rows are written before the append, for the consumer of the attempt reads them. A repeat makes
 * the same deliveries under the same ids. Rejects with `PortError`.
 */
export async function fanOut(
  options: FanOutOptions,
  workspaceId: string,
  outcomes: readonly VariantOutcome[],
): Promise<void> {
  const wanted = outcomes.filter(({ endpointIds }) => endpointIds.length > 0);
  if (wanted.length === 0) return;
  const endpoints = await options.endpointsOf(workspaceId);
  const attempts = await Promise.all(
    wanted.flatMap((outcome) => {
      const body = Buffer.from(outcome.body, 'utf8');
      const present = outcome.endpointIds.filter((endpointId) => isActive(endpoints[endpointId]));
      return present.map(async (endpointId): Promise<MessageEffect> =>
        deliverMessage({
          ...(await makeDelivery(options.rows, aboutOf(outcome, endpointId), body)),
          ...inTraceOf(outcome),
        }),
      );
    }),
  );
  if (attempts.length > 0) await appendMessages(options, attempts);
}

/** The first attempt at a test event, its delivery made; null: the endpoint is not there. Rejects with `PortError`. */
export async function makeTestDelivery(
  { rows, endpointsOf }: Omit<FanOutOptions, 'log' | 'codec'>,
  test: SendTestEvent,
): Promise<DeliverEvent | null> {
  const { workspaceId, endpointId, eventId, eventType, createdAt, body } = test;
  if (!isActive((await endpointsOf(workspaceId))[endpointId])) return null;
  const delivery = newDelivery({ workspaceId, endpointId, eventId, type: eventType, createdAt });
  return {
    type: 'DeliverEvent',
    ...(await makeDelivery(rows, delivery, Buffer.from(body, 'utf8'))),
    ...inTraceOf(test),
  };
}

/** A delivery belongs to the trace of what it is about. */
function inTraceOf({ trace }: TraceCarrier): TraceCarrier {
  return trace === undefined ? {} : { trace };
}

function aboutOf({ type, workspaceId, eventId, createdAt }: VariantOutcome, endpointId: string): Delivery {
  const eventType: OutcomeType = type === 'VariantPublished' ? 'variant.published' : 'variant.failed';
  return newDelivery({ workspaceId, endpointId, eventId, type: eventType, createdAt });
}

async function makeDelivery(
  rows: FanOutOptions['rows'],
  delivery: Delivery,
  body: Uint8Array,
): Promise<Omit<DeliverEvent, 'type'>> {
  const { workspaceId, endpointId, createdAt } = delivery;
  await rows.make(delivery, { id: FIRST_ROUND, since: createdAt }, body);
  return {
    workspaceId,
    endpointId,
    deliveryId: delivery.id,
    round: FIRST_ROUND,
    roundSince: createdAt,
    attempt: 1,
    dueAt: createdAt,
    putOff: 0,
  };
}
