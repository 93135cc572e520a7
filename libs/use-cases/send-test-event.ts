import { newDelivery, FIRST_ROUND, deliveryStatusOf } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import { testEventOf } from '#domain/webhook/test-event.ts';
import type { Ids } from '#ports/ids.ts';
import type { ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface SendTestEventOptions extends SubmitCommandOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints'>;
  readonly ids: Ids;
}

/** Delivers an invented event of the first type that the endpoint listens to, to this endpoint only. */
export async function sendTestEvent(
  call: ApiCall,
  endpointId: string,
  options: SendTestEventOptions,
): Promise<UseCaseResult<DeliveryBody>> {
  const found = await settled('change', () => findActiveEndpoint(call, endpointId, options.webhooks));
  if (!found.ok) return found;
  const envelope = requestEnvelopeOf(call, options);
  const createdAt = envelope.issuedAt;
  const eventId = options.ids.uuid7(createdAt);
  const eventType = found.value.events[0]!;
  const body = JSON.stringify(testEventOf(eventId, eventType, createdAt));
  const answer = await submitCommand(
    { ...envelope, type: 'SendTestEvent', endpointId, eventId, eventType, createdAt, body },
    options,
  );
  if (!answer.ok) return answer;
  const { workspaceId } = call;
  const delivery = newDelivery({ workspaceId, endpointId, eventId, type: eventType, createdAt });
  return done(renderDelivery(delivery, [], deliveryStatusOf({ id: FIRST_ROUND, since: createdAt }, [])));
}
