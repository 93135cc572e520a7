import { isRetained, deliveryStatusOf, mayReplay, TOO_MANY_REPLAYS } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import type { StoredDelivery } from '#tables/repositories/deliveries.ts';
import type { ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface ReplayDeliveryOptions extends SubmitCommandOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'find'>;
}

const NO_DELIVERY = failed(
  'not_found',
  'There is no such delivery of this endpoint, or it ended more than 30 days ago.',
);

/**
 * Delivers the same event to the endpoint again, under the same ids, however the last round ended, with as many
 * attempts as the first round.
 */
export async function replayDelivery(
  call: ApiCall,
  endpointId: string,
  deliveryId: string,
  options: ReplayDeliveryOptions,
): Promise<UseCaseResult<DeliveryBody>> {
  const asked = requestEnvelopeOf(call, options);
  const found = await settled('change', () =>
    findDelivery(call, { endpointId, deliveryId, now: asked.issuedAt }, options),
  );
  if (!found.ok) return found;
  const round = { id: call.requestId, since: asked.issuedAt };
  const answer = await submitCommand(
    { ...asked, type: 'ReplayDelivery', endpointId, deliveryId, round: round.id, askedAt: round.since },
    options,
  );
  return answer.ok ? done(renderDelivery(found.value, found.value.attempts, deliveryStatusOf(round, []))) : answer;
}

/** A delivery of this endpoint that may be replayed. Rejects with `PortError`. */
async function findDelivery(
  call: ApiCall,
  { endpointId, deliveryId, now }: { readonly endpointId: string; readonly deliveryId: string; readonly now: number },
  { webhooks }: ReplayDeliveryOptions,
): Promise<UseCaseResult<StoredDelivery>> {
  const endpoint = await findActiveEndpoint(call, endpointId, webhooks);
  if (!endpoint.ok) return endpoint;
  const kept = await webhooks.find(deliveryId);
  if (
    kept === null ||
    kept.endpointId !== endpointId ||
    kept.workspaceId !== call.workspaceId ||
    !isRetained(kept.standing, now)
  )
    return NO_DELIVERY;
  return mayReplay(kept.rounds) ? done(kept) : failed('limit_reached', TOO_MANY_REPLAYS);
}
