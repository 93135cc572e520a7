import type { TimeSlices } from '#concurrency/time-slice.ts';
import { isoOf } from '#domain/post/render.ts';
import type { StoredDelivery } from '#tables/repositories/deliveries.ts';
import { renderDelivery, type DeliveryBody } from '#domain/webhook/render.ts';
import type { ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { findEndpoint } from './endpoints.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

/** A delivery with all that was sent and answered. */
export interface DetailedDelivery extends DeliveryBody {
  /** The exact text that is sent. */
  readonly body: string;
  /** Oldest first. */
  readonly tries: readonly DeliveryTry[];
}

export interface DeliveryTry {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: string;
  /** Null: no answer. */
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer, with secrets removed. */
  readonly excerpt: string;
}

export interface ListDeliveriesOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'latest'>;
  readonly slices: TimeSlices;
}

/** Of the events in an answer, in UTF-8. */
const MAX_EVENT_BYTES = 1_000_000;

/**
 * The newest deliveries of an endpoint, newest first: as many as asked for, or as have room in an answer, and one at
 * least. They are read and rendered one by one.
 */
export function listDeliveries(
  call: ApiCall,
  { endpointId, limit }: { readonly endpointId: string; readonly limit: number },
  { webhooks, slices }: ListDeliveriesOptions,
): Promise<UseCaseResult<readonly DetailedDelivery[]>> {
  return settled('read', async () => {
    const endpoint = await findEndpoint(call, endpointId, webhooks);
    if (!endpoint.ok) return endpoint;
    const pause = slices.begin(call.workspaceId);
    const shown: DetailedDelivery[] = [];
    let bytes = 0;
    for await (const each of webhooks.latest(endpoint.value, limit)) {
      bytes += each.body.length;
      if (shown.length > 0 && bytes > MAX_EVENT_BYTES) break;
      shown.push(detailed(each));
      await pause();
    }
    return done(shown);
  });
}

function detailed(delivery: StoredDelivery): DetailedDelivery {
  return {
    ...renderDelivery(delivery, delivery.attempts, delivery.standing),
    body: Buffer.from(delivery.body).toString('utf8'),
    tries: delivery.attempts.map(({ startedAt, finishedAt, outcome, status, error, excerpt }) => ({
      startedAt: isoOf(startedAt),
      durationMs: finishedAt - startedAt,
      outcome,
      status,
      error: error === '' ? null : error,
      excerpt,
    })),
  };
}
