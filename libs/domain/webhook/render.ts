import { isoOf } from '../post/render.ts';
import type { Delivery, DeliveryAttempt, DeliveryStatus } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';

export interface DeliveryBody {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly attempts: number;
  readonly createdAt: string;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

export interface EndpointBody {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: 'active' | 'stopped';
  readonly createdAt: string;
  /** Since when nothing is sent to it, although it is not stopped for good; null: it is sent to. */
  readonly disabledAt: string | null;
  /** Why that is, for a person. */
  readonly disabledReason: string | null;
}

/** Since when an endpoint is disabled, and what went wrong. */
export interface DisabledSince {
  readonly at: number;
  readonly failingSince: number;
  readonly error: string;
}

/** Never with a secret. */
export function renderEndpoint(
  { id, url, events, stoppedAt, createdAt }: Endpoint,
  disabled: DisabledSince | null,
): EndpointBody {
  const isStopped = stoppedAt !== null;
  return {
    id,
    url,
    events,
    state: isStopped || disabled !== null ? 'stopped' : 'active',
    createdAt: isoOf(createdAt),
    disabledAt: isStopped || disabled === null ? null : isoOf(disabled.at),
    disabledReason:
      isStopped || disabled === null
        ? null
        : `Every attempt failed since ${isoOf(disabled.failingSince)}, the last with: ${disabled.error} Once it is mended, send a test event to enable it.`,
  };
}

/** `attempts` of all rounds, `standing` of the newest. */
export function renderDelivery(
  delivery: Delivery,
  attempts: readonly DeliveryAttempt[],
  standing: DeliveryStatus,
): DeliveryBody {
  const tried = attempts.filter(({ outcome }) => outcome !== 'stopped' && outcome !== 'never_tried');
  const last = newest(tried);
  const said = newest(attempts);
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    type: delivery.type,
    state: standing.state,
    attempts: tried.length,
    createdAt: isoOf(delivery.createdAt),
    lastAttemptAt: last === null ? null : isoOf(last.startedAt),
    nextAttemptAt: standing.state === 'pending' ? isoOf(standing.at) : null,
    responseStatus: last?.status ?? null,
    error: standing.state === 'succeeded' || said === null || said.error === '' ? null : said.error,
  };
}

function newest(attempts: readonly DeliveryAttempt[]): DeliveryAttempt | null {
  return attempts.reduce<DeliveryAttempt | null>(
    (found, each) => (found === null || each.startedAt >= found.startedAt ? each : found),
    null,
  );
}
