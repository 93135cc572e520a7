import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import type { DeliveryAttempt } from '#domain/webhook/delivery.ts';
import type { Aftermath, Check, Violation } from '../aftermath.ts';
import type { ReceivedEvent } from '../web/receivers.ts';
import { endpointLives } from './endpoint-lives.ts';
import { expectedDeliveries } from './expected-deliveries.ts';

/**
 * The rows of a delivery say what happened: a status that a row has was answered then, and what a receiver answered to
 * a process that went on stands in a row.
 */
export const deliveryRowsAreTrue: Check = async (after) => {
  const rows = createDeliveryRows(after.world.truth);
  const urls = new Map(endpointLives(after).map(({ id, url }) => [id, url]));
  const violations: Violation[] = [];
  for (const { id, eventId, endpointId } of expectedDeliveries(after).values()) {
    const url = urls.get(endpointId);
    const kept = await rows.find(id);
    if (url === undefined || kept === null) continue;
    const arrived = (after.world.receivers.at(url)?.events ?? []).filter((event) => event.eventId === eventId);
    const detail = whatIsWrong(after, kept.attempts, arrived);
    if (detail !== null)
      violations.push({ check: 'delivery rows are true', detail: `delivery ${id}: ${detail}`, about: [eventId, id] });
  }
  return violations;
};

function whatIsWrong(
  after: Aftermath,
  attempts: readonly DeliveryAttempt[],
  arrived: readonly ReceivedEvent[],
): string | null {
  const clocksMs = 2 * after.world.maxOffsetMs;
  for (const attempt of attempts) {
    const { status, outcome, startedAt, finishedAt } = attempt;
    const isThen = ({ at }: ReceivedEvent): boolean => at >= startedAt - clocksMs && at <= finishedAt + clocksMs;
    if (status !== null && !arrived.some((event) => event.status === status && event.wasAnswered && isThen(event)))
      return `attempt ${attempt.attempt} says ${status}, which nobody answered then`;
    if ((outcome === 'succeeded') !== (status !== null && status >= 200 && status < 300))
      return `attempt ${attempt.attempt} says ${outcome} of ${status}`;
  }
  for (const event of arrived) {
    const { at, by, status, wasAnswered } = event;
    if (!wasAnswered || wentWrong(after, by, at)) continue;
    const isKept = attempts.some(
      (attempt) =>
        attempt.status === status && at >= attempt.startedAt - clocksMs && at <= attempt.finishedAt + clocksMs,
    );
    if (!isKept) return `no row says that ${status} was answered to ${by}`;
  }
  return null;
}

/** The process ended, or could not write, after it sent. */
function wentWrong({ world }: Aftermath, process: string, at: number): boolean {
  return world.witness.incidents.some((incident) => incident.process === process && incident.at >= at);
}
