import { isKept, standingOf } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import type { KeptDelivery } from '#tables/repositories/deliveries.ts';
import type { Call } from '../caller.ts';
import type { WebhookReader } from '../dependencies.ts';
import { done, failed, settled, type Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface ReplayDeliveryOptions extends AskingOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'find'>;
}

const NO_DELIVERY = failed('not_found', 'There is no such delivery of this endpoint, or it ended more than 30 days ago.');
/** Each is kept with its attempts. */
const MOST_REPLAYS = 50;

/** Tells the endpoint of the same event again, under the same ids, whatever became of it; with as many attempts as the first time. */
export async function replayDelivery(call: Call, endpointId: string, deliveryId: string, options: ReplayDeliveryOptions): Promise<Outcome<DeliveryBody>> {
  const asked = askedBy(call, options);
  const found = await settled('change', () => findDelivery(call, endpointId, deliveryId, asked.issuedAt, options));
  if (!found.ok) return found;
  const round = { id: call.requestId, since: asked.issuedAt };
  const answer = await askWorkspace({ ...asked, type: 'ReplayDelivery', endpointId, deliveryId, round: round.id, askedAt: round.since }, options);
  return answer.ok ? done(renderDelivery(found.value, found.value.attempts, standingOf(round, []))) : answer;
}

/** A delivery of this very endpoint that may be made again. Rejects with `PortError`. */
async function findDelivery(call: Call, endpointId: string, deliveryId: string, now: number, { webhooks }: ReplayDeliveryOptions): Promise<Outcome<KeptDelivery>> {
  const endpoint = await findActiveEndpoint(call, endpointId, webhooks);
  if (!endpoint.ok) return endpoint;
  const kept = await webhooks.find(deliveryId);
  if (kept === null || kept.endpointId !== endpointId || kept.workspaceId !== call.workspaceId || !isKept(kept.standing, now)) return NO_DELIVERY;
  return kept.rounds.length > MOST_REPLAYS ? failed('limit_reached', `A delivery is replayed ${MOST_REPLAYS} times at most.`) : done(kept);
}
