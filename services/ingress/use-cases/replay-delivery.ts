import { isKept, standingOf } from '#domain/webhook/delivery.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import type { Clock } from '#ports/clock.ts';
import type { Call } from '../caller.ts';
import type { WebhookReader } from '../needs.ts';
import { done, failed, settled, type Outcome } from '../outcome.ts';
import { findActiveEndpoint } from './endpoints.ts';

export interface ReplayDeliveryOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'find' | 'hand'>;
  readonly clock: Pick<Clock, 'now'>;
}

const NO_DELIVERY = failed('not_found', 'There is no such delivery of this endpoint, or it ended more than 30 days ago.');
/** Each is kept with its attempts. */
const MOST_REPLAYS = 50;

/** Tells the endpoint of the same event again, under the same ids, whatever became of it; with as many attempts as the first time. */
export function replayDelivery(call: Call, endpointId: string, deliveryId: string, { webhooks, clock }: ReplayDeliveryOptions): Promise<Outcome<DeliveryBody>> {
  return settled('change', async () => {
    const found = await findActiveEndpoint(call, endpointId, webhooks);
    if (!found.ok) return found;
    const kept = await webhooks.find(deliveryId);
    const askedAt = clock.now();
    if (kept === null || kept.endpointId !== endpointId || kept.workspaceId !== call.workspaceId || !isKept(kept.standing, askedAt)) return NO_DELIVERY;
    if (kept.rounds.length > MOST_REPLAYS) return failed('limit_reached', `A delivery is replayed ${MOST_REPLAYS} times at most.`);
    const round = { id: call.requestId, since: askedAt };
    await webhooks.hand({ type: 'ReplayDelivery', workspaceId: call.workspaceId, endpointId, deliveryId, round: round.id, askedAt });
    return done(renderDelivery(kept, kept.attempts, standingOf(round, [])));
  });
}
