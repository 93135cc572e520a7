import { deliveryIdOf, FIRST_ROUND, standingOf, type Delivery } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import { testEventOf } from '#domain/webhook/test-event.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Call } from '../caller.ts';
import type { WebhookReader } from '../needs.ts';
import { done, settled, type Outcome } from '../outcome.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface SendTestEventOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'hand'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
}

/** Tells the endpoint, and no other, of something that never happened: an event of the first type it listens to. */
export function sendTestEvent(call: Call, endpointId: string, { webhooks, clock, ids }: SendTestEventOptions): Promise<Outcome<DeliveryBody>> {
  return settled('change', async () => {
    const found = await findActiveEndpoint(call, endpointId, webhooks);
    if (!found.ok) return found;
    const createdAt = clock.now();
    const eventId = ids.uuid7(createdAt);
    const eventType = found.value.events[0]!;
    const { workspaceId } = call;
    const body = JSON.stringify(testEventOf(eventId, eventType, createdAt));
    await webhooks.hand({ type: 'SendTestEvent', workspaceId, endpointId, eventId, eventType, createdAt, body });
    const delivery: Delivery = { id: deliveryIdOf(eventId, endpointId), workspaceId, endpointId, eventId, type: eventType, createdAt };
    return done(renderDelivery(delivery, [], standingOf({ id: FIRST_ROUND, since: createdAt }, [])));
  });
}
