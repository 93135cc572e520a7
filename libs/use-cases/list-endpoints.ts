import { renderDelivery, renderEndpoint, type DeliveryBody, type EndpointBody } from '#domain/webhook/render.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

export interface ListedEndpoint extends EndpointBody {
  readonly deliveries: readonly DeliveryBody[];
}

const DELIVERIES_SHOWN = 20;

/** The Workspace's endpoints, oldest first, each with its latest deliveries, newest first. */
export function listEndpoints(
  call: ApiCall,
  { webhooks }: { readonly webhooks: Pick<WebhookReader, 'endpoints' | 'latest' | 'disabledSince'> },
): Promise<UseCaseResult<readonly ListedEndpoint[]>> {
  return settled('read', async () => {
    const refused = missingPermission(call, 'webhooks:manage');
    if (refused !== null) return refused;
    const endpoints = Object.values(await webhooks.endpoints(call.workspaceId));
    const shown = endpoints.map(async (endpoint) => {
      const [deliveries, disabled] = await Promise.all([
        webhooks.latest(endpoint, DELIVERIES_SHOWN),
        webhooks.disabledSince(endpoint.id),
      ]);
      return {
        ...renderEndpoint(endpoint, disabled),
        deliveries: deliveries.map((each) => renderDelivery(each, each.attempts, each.standing)),
      };
    });
    return done(await Promise.all(shown));
  });
}
