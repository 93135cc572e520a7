import { parallelMap } from '#concurrency/parallel-map.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { renderDelivery, renderEndpoint, type DeliveryBody, type EndpointBody } from '#domain/webhook/render.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

export interface ListedEndpoint extends EndpointBody {
  readonly deliveries: readonly DeliveryBody[];
}

export interface ListEndpointsOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'latest' | 'disabledSince'>;
  readonly slices: TimeSlices;
}

const DELIVERIES_SHOWN = 20;
/** Of the endpoints of a Workspace: a delivery that is read is in memory with its bytes, once for each replay. */
const READ_AT_ONCE = 4;

/**
 * The Workspace's endpoints, oldest first, each with its latest deliveries, newest first. Deliveries are read and
 * rendered one by one, and nothing of their bytes is kept.
 */
export function listEndpoints(
  call: ApiCall,
  { webhooks, slices }: ListEndpointsOptions,
): Promise<UseCaseResult<readonly ListedEndpoint[]>> {
  return settled('read', async () => {
    const refused = missingPermission(call, 'webhooks:manage');
    if (refused !== null) return refused;
    const endpoints = Object.values(await webhooks.endpoints(call.workspaceId));
    const shown: ListedEndpoint[] = [];
    await parallelMap(READ_AT_ONCE, endpoints.entries(), async ([index, endpoint]) => {
      const pause = slices.begin(call.workspaceId);
      const disabled = await webhooks.disabledSince(endpoint.id);
      const deliveries: DeliveryBody[] = [];
      for await (const each of webhooks.latest(endpoint, DELIVERIES_SHOWN)) {
        deliveries.push(renderDelivery(each, each.attempts, each.standing));
        await pause();
      }
      shown[index] = { ...renderEndpoint(endpoint, disabled), deliveries };
    });
    return done(shown);
  });
}
