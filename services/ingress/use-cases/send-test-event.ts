import { deliveryIdOf, FIRST_ROUND, standingOf, type Delivery } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import { testEventOf } from '#domain/webhook/test-event.ts';
import type { Ids } from '#ports/ids.ts';
import type { Call } from '../caller.ts';
import type { WebhookReader } from '../dependencies.ts';
import { done, settled, type Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface SendTestEventOptions extends AskingOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints'>;
  readonly ids: Ids;
}

/** Tells the endpoint, and no other, of something that never happened: an event of the first type it listens to. */
export async function sendTestEvent(call: Call, endpointId: string, options: SendTestEventOptions): Promise<Outcome<DeliveryBody>> {
  const found = await settled('change', () => findActiveEndpoint(call, endpointId, options.webhooks));
  if (!found.ok) return found;
  const { workspaceId } = call;
  const asked = askedBy(call, options);
  const createdAt = asked.issuedAt;
  const eventId = options.ids.uuid7(createdAt);
  const eventType = found.value.events[0]!;
  const body = JSON.stringify(testEventOf(eventId, eventType, createdAt));
  const answer = await askWorkspace({ ...asked, type: 'SendTestEvent', endpointId, eventId, eventType, createdAt, body }, options);
  if (!answer.ok) return answer;
  const delivery: Delivery = { id: deliveryIdOf(eventId, endpointId), workspaceId, endpointId, eventId, type: eventType, createdAt };
  return done(renderDelivery(delivery, [], standingOf({ id: FIRST_ROUND, since: createdAt }, [])));
}
