import { createDeliveryRows, type StoredDelivery } from '#tables/repositories/deliveries.ts';
import type { Aftermath, Check, Violation } from '../aftermath.ts';
import type { ReceivedEvent } from '../web/receivers.ts';
import { endpointLives, type EndpointLife } from './endpoint-lives.ts';
import { expectedDeliveries, type ExpectedDelivery } from './expected-deliveries.ts';
import { isLastAttempt } from './retry-gaps.ts';

/**
 * Each event that was committed for an endpoint reaches it, if it answers within a day; else it is given up, when the
 * day is over. Its delivery says which of the two, and says that it arrived only if it did.
 */
export const eventsArrive: Check = async (after) => {
  const rows = createDeliveryRows(after.world.truth);
  const lives = new Map(endpointLives(after).map((life) => [life.id, life]));
  const violations: Violation[] = [];
  for (const delivery of expectedDeliveries(after).values()) {
    const life = lives.get(delivery.endpointId);
    // A delivery whose attempt the log lost waits until it is asked for again (ADR 0058).
    if (life === undefined || after.world.witness.hasLost(delivery.id)) continue;
    const detail = whatIsWrong(delivery, await rows.find(delivery.id), life, arrivals(after, delivery, life));
    const about = [delivery.eventId, delivery.id];
    if (detail !== null)
      violations.push({
        check: 'events arrive',
        detail: `delivery ${delivery.id} of event ${delivery.eventId} ${detail}`,
        about,
      });
  }
  return violations;
};

function arrivals(
  { world }: Aftermath,
  { eventId }: ExpectedDelivery,
  { url }: EndpointLife,
): readonly ReceivedEvent[] {
  return world.receivers.at(url)?.events.filter((event) => event.eventId === eventId) ?? [];
}

/** Null: nothing is. */
function whatIsWrong(
  { createdAt }: ExpectedDelivery,
  kept: StoredDelivery | null,
  { mayHaveEndedAt }: EndpointLife,
  arrived: readonly ReceivedEvent[],
): string | null {
  const goesOn = mayHaveEndedAt === null;
  if (kept === null) return goesOn ? `of ${new Date(createdAt).toISOString()} was never made` : null;
  const { standing, attempts, rounds } = kept;
  switch (standing.state) {
    case 'pending':
      // Its endpoint ended while the turn's event was being told: the rows were written, and nothing is attempted.
      return !goesOn && attempts.length === 0 ? null : 'still waits';
    case 'succeeded':
      return arrived.some(({ status }) => status === 204) ? null : 'says that it arrived, and it did not';
    case 'failed': {
      const ofRound = attempts.filter(({ round }) => round === rounds.at(-1)!.id);
      if (!goesOn && ofRound.some(({ outcome }) => outcome === 'stopped')) return null;
      const last = ofRound.at(-1);
      return last !== undefined && isLastAttempt(ofRound)
        ? null
        : `was given up after ${ofRound.length} attempts, the last of them ${last?.outcome}`;
    }
  }
}
