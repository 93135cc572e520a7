import { isoOf } from '#domain/post/render.ts';
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

/** The newest deliveries of an endpoint, newest first. */
export function listDeliveries(
  call: ApiCall,
  { endpointId, limit }: { readonly endpointId: string; readonly limit: number },
  { webhooks }: { readonly webhooks: Pick<WebhookReader, 'endpoints' | 'latest'> },
): Promise<UseCaseResult<readonly DetailedDelivery[]>> {
  return settled('read', async () => {
    const endpoint = await findEndpoint(call, endpointId, webhooks);
    if (!endpoint.ok) return endpoint;
    const deliveries = await webhooks.latest(endpoint.value, limit);
    return done(
      deliveries.map((each) => ({
        ...renderDelivery(each, each.attempts, each.standing),
        body: Buffer.from(each.body).toString('utf8'),
        tries: each.attempts.map(({ startedAt, finishedAt, outcome, status, error, excerpt }) => ({
          startedAt: isoOf(startedAt),
          durationMs: finishedAt - startedAt,
          outcome,
          status,
          error: error === '' ? null : error,
          excerpt,
        })),
      })),
    );
  });
}
