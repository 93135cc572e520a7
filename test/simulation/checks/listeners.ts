import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Aftermath, Check } from '../aftermath.ts';
import { endpointLives, type EndpointLife } from './endpoint-lives.ts';
import { expectedDeliveries, type ExpectedDelivery } from './expected-deliveries.ts';

/**
 * An event is for the endpoints of its Workspace that were registered, for its type, when it was committed: for each of
 * them, and for no other.
 */
export const listenersAreRight: Check = (after) => {
  const lives = endpointLives(after);
  const skewMs = CLOCK_SKEW_MS + after.world.maxOffsetMs;
  const expected = [...expectedDeliveries(after).values()].filter(({ isTest }) => !isTest);
  const complain = (detail: string, about: readonly string[]) => ({ check: 'listeners are right', detail, about });
  const wrong = expected.flatMap((delivery) => {
    const life = lives.find(({ id }) => id === delivery.endpointId);
    const why = life === undefined ? null : whyNot(delivery, life, skewMs);
    if (why === null) return [];
    return [complain(`event ${delivery.eventId} is for endpoint ${delivery.endpointId}, ${why}`, [delivery.eventId])];
  });
  const missing = outcomes(after).flatMap((event) =>
    lives
      .filter((life) => listened(event, life, skewMs) && !event.endpointIds.includes(life.id))
      .map(({ id }) => complain(`event ${event.eventId} is not for endpoint ${id}, which listened`, [event.eventId])),
  );
  return [...wrong, ...missing];
};

function whyNot({ workspaceId, createdAt, type }: ExpectedDelivery, life: EndpointLife, skewMs: number): string | null {
  if (life.workspaceId !== workspaceId) return 'which is another Workspace’s';
  if (!life.events.includes(type)) return `which did not ask for ${type}`;
  if (life.endedAt !== null && createdAt > life.endedAt + skewMs)
    return `which had ended ${createdAt - life.endedAt} ms before`;
  return null;
}

interface Outcome {
  readonly workspaceId: string;
  readonly eventId: string;
  readonly createdAt: number;
  readonly type: string;
  readonly endpointIds: readonly string[];
}

function outcomes({ events }: Aftermath): readonly Outcome[] {
  return events.flatMap(({ message }) => {
    if (message.type !== 'VariantPublished' && message.type !== 'VariantFailed') return [];
    return [{ ...message, type: message.type === 'VariantPublished' ? 'variant.published' : 'variant.failed' }];
  });
}

function listened({ workspaceId, createdAt, type }: Outcome, life: EndpointLife, skewMs: number): boolean {
  return (
    life.workspaceId === workspaceId &&
    (life.events as readonly string[]).includes(type) &&
    createdAt > life.registeredAt + skewMs &&
    (life.mayHaveEndedAt === null || createdAt < life.mayHaveEndedAt - skewMs)
  );
}
