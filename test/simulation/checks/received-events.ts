import { createHmac } from 'node:crypto';
import type { Check, Violation } from '../aftermath.ts';
import type { ReceivedEvent } from '../web/receivers.ts';
import { endpointLives, type EndpointLife } from './endpoint-lives.ts';
import { expectedDeliveries, type ExpectedDelivery } from './expected-deliveries.ts';

/** On its way, beside what the sender's clock may be off. */
const SIGNED_WITHIN_MS = 12_600;

/**
 * What comes to a receiver is an event of its own Workspace, with the bytes that the turn committed, under one id, and
 * signed with its own secret.
 */
export const receivedEventsAreTrue: Check = (after) => {
  const lives = new Map(endpointLives(after).map((life) => [life.url, life]));
  const byPair = new Map<string, ExpectedDelivery>();
  for (const each of expectedDeliveries(after).values()) byPair.set(`${each.endpointId} ${each.eventId}`, each);
  return after.world.receivers.all.flatMap(({ url, events }) => {
    const life = lives.get(url);
    if (life === undefined) return [];
    return events.flatMap((event): Violation[] => {
      const expected = byPair.get(`${life.id} ${event.eventId}`);
      const detail = whatIsWrong(event, expected, life, SIGNED_WITHIN_MS + after.world.maxOffsetMs);
      const about = [event.eventId, life.id];
      return detail === null ? [] : [{ check: 'received events are true', detail: `${url}: ${detail}`, about }];
    });
  });
};

/** Null: nothing is. */
function whatIsWrong(
  event: ReceivedEvent,
  expected: ExpectedDelivery | undefined,
  life: EndpointLife,
  withinMs: number,
): string | null {
  if (expected === undefined) return `event ${event.eventId} was never committed for it`;
  if (expected.workspaceId !== life.workspaceId) return `event ${event.eventId} is another Workspace’s`;
  if (event.body !== expected.body) return `event ${event.eventId} came with other bytes than were committed`;
  if (life.knowsAllSecrets && !isSigned(event, life, withinMs))
    return `event ${event.eventId} is not signed as it should be`;
  return null;
}

/** As receivers verify it, by the guide for developers. */
function isSigned({ signature, body, sentAt }: ReceivedEvent, { secrets }: EndpointLife, withinMs: number): boolean {
  const parts = signature.split(',').map((part) => part.split('=') as [string, string]);
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  const given = parts.flatMap(([name, value]) => (name === 'v1' ? [value] : []));
  if (Math.abs(Number(t) * 1000 - sentAt) > withinMs) return false;
  const ours = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
  // The newest secret signs beside those that it replaced within the last day.
  return given.length > 0 && given.every((value) => ours.includes(value));
}
