import { derivedId } from '../derived-id.ts';
import type { OutcomeType } from './outcome-type.ts';
import { nextAttemptAt } from './schedule.ts';

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: OutcomeType;
  /** When the event was made. */
  readonly createdAt: number;
}

/** The attempts that follow from one cause: the event itself (id ''), or a requested replay (a UUIDv7). */
export interface Round {
  readonly id: string;
  readonly since: number;
}

export const FIRST_ROUND = '';

/**
 * `succeeded`, `stopped` (the endpoint is no more, or stopped) and `never_tried` (no turn came in a day) end a round;
 * the others may be tried again.
 */
export type AttemptOutcome =
  'succeeded' | 'refused' | 'redirected' | 'timed_out' | 'unreachable' | 'unsafe' | 'stopped' | 'never_tried';

export interface DeliveryAttempt {
  readonly round: string;
  /** 1, 2, ... in its round. */
  readonly attempt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outcome: AttemptOutcome;
  /** Null: no answer. */
  readonly status: number | null;
  /** What went wrong, for a person; '' when nothing did. */
  readonly error: string;
  /** The beginning of the answer's body, with secrets removed. */
  readonly excerpt: string;
  readonly retryAfterMs: number | null;
}

export type DeliveryStatus =
  | { readonly state: 'pending'; readonly attempt: number; readonly at: number }
  | { readonly state: 'succeeded' | 'failed'; readonly endedAt: number };

export const DELIVERY_RETENTION_MS = 30 * 86_400_000;

/** Of one delivery: each round is stored with its bytes and its attempts. */
const MAX_REPLAYS = 50;

/** Whether there may be a further round beside these; the first is no replay. */
export function mayReplay(rounds: readonly Round[]): boolean {
  return rounds.length <= MAX_REPLAYS;
}

/** What is told to who asks for more. */
export const TOO_MANY_REPLAYS = `A delivery is replayed ${MAX_REPLAYS} times at most.`;

/** Whether what became of an event of then may be forgotten, so that a repeat could not be told from the first one. */
export function isForgotten(createdAt: number, now: number): boolean {
  return now - createdAt > DELIVERY_RETENTION_MS;
}

/** Depends on event and endpoint alone, so that a repeat is the same delivery. */
export function deliveryIdOf(eventId: string, endpointId: string): string {
  return derivedId(`${eventId}/${endpointId}`);
}

/** The same delivery whenever it is made. */
export function newDelivery(about: Omit<Delivery, 'id'>): Delivery {
  return { id: deliveryIdOf(about.eventId, about.endpointId), ...about };
}

/**
 * The standing of a round by its attempts, which two owners may have made side by side: one success is enough, and of
 * several attempts of one number the one that began first counts, so that all readers compute the same next instant.
 */
export function deliveryStatusOf(round: Round, all: readonly DeliveryAttempt[]): DeliveryStatus {
  const attempts = all.filter((each) => each.round === round.id);
  const success = earliest(attempts.filter(({ outcome }) => outcome === 'succeeded'));
  if (success !== null) return { state: 'succeeded', endedAt: success.finishedAt };
  const end = earliest(attempts.filter(({ outcome }) => outcome === 'stopped' || outcome === 'never_tried'));
  if (end !== null) return { state: 'failed', endedAt: end.finishedAt };
  const number = Math.max(0, ...attempts.map(({ attempt }) => attempt));
  const last = earliest(attempts.filter(({ attempt }) => attempt === number));
  const first = earliest(attempts);
  if (last === null || first === null) return { state: 'pending', attempt: 1, at: round.since };
  const at = nextAttemptAt({ ...last, firstStartedAt: first.startedAt });
  return at === null ? { state: 'failed', endedAt: last.finishedAt } : { state: 'pending', attempt: number + 1, at };
}

/** Whether it may be shown: not after 30 days from the end of its newest round, even while its rows are stored. */
export function isRetained(standing: DeliveryStatus, now: number): boolean {
  return standing.state === 'pending' || now < standing.endedAt + DELIVERY_RETENTION_MS;
}

function earliest(attempts: readonly DeliveryAttempt[]): DeliveryAttempt | null {
  return attempts.reduce<DeliveryAttempt | null>(
    (found, each) => (found === null || each.startedAt < found.startedAt ? each : found),
    null,
  );
}
