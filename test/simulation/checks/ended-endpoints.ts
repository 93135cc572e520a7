import type { Aftermath, Check } from '../aftermath.ts';
import { endpointLives } from './endpoint-lives.ts';

/** An attempt on its way reads its endpoint before it is sent: as long as a store takes to answer. */
const ON_ITS_WAY_MS = 30_000;
/** A process that stood still between the two goes on with what it read. */
const HELD_UP_MS = 5 * 60_000;

/**
 * Once it is answered that an endpoint was deleted, its key revoked or its Member removed, nothing is sent to it, but
 * for an attempt on its way.
 */
export const endedEndpointsGetNothing: Check = (after) =>
  endpointLives(after).flatMap(({ id, url, endedAt }) => {
    if (endedAt === null) return [];
    const late = (after.world.receivers.at(url)?.events ?? []).filter(
      ({ by, sentAt }) => sentAt > endedAt + ON_ITS_WAY_MS && !wasHeldUp(after, by, sentAt),
    );
    return late.map(({ eventId, sentAt }) => ({
      check: 'ended endpoints get nothing',
      detail: `endpoint ${id} was sent event ${eventId} ${sentAt - endedAt} ms after its end was answered`,
      about: [id, eventId],
    }));
  });

function wasHeldUp({ world }: Aftermath, process: string, at: number): boolean {
  return world.witness.incidents.some(
    (incident) =>
      incident.process === process && incident.kind !== 'crash' && incident.at <= at && incident.at > at - HELD_UP_MS,
  );
}
