import { isActive, secretContext, type Endpoint } from '#domain/webhook/endpoint.ts';
import { renderEndpoint, type DisabledSince, type EndpointBody } from '#domain/webhook/render.ts';
import { STOPPED_ENDPOINT } from '#domain/workspace/decide/endpoints.ts';
import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';

/** An endpoint with its secret, which is shown once, when it is new. */
export interface EndpointWithSecret extends EndpointBody {
  readonly secret: string;
}

const NO_ENDPOINT = failed('not_found', 'There is no such webhook endpoint in this Workspace.');
const STOPPED = failed('not_found', STOPPED_ENDPOINT);
const SECRET_BYTES = 32;

/** The endpoint, for a call that has the permission to manage it. Rejects with `PortError`. */
export async function findEndpoint(
  call: ApiCall,
  endpointId: string,
  webhooks: Pick<WebhookReader, 'endpoints'>,
): Promise<UseCaseResult<Endpoint>> {
  const refused = missingPermission(call, 'webhooks:manage');
  if (refused !== null) return refused;
  const endpoint = (await webhooks.endpoints(call.workspaceId))[endpointId];
  return endpoint === undefined ? NO_ENDPOINT : done(endpoint);
}

/** As `findEndpoint`, for operations that need an active endpoint. */
export async function findActiveEndpoint(
  call: ApiCall,
  endpointId: string,
  webhooks: Pick<WebhookReader, 'endpoints'>,
): Promise<UseCaseResult<Endpoint>> {
  const found = await findEndpoint(call, endpointId, webhooks);
  return found.ok && !isActive(found.value) ? STOPPED : found;
}

/** The secret leaves this process only in the answer; the command carries it sealed. */
export function newSecret(
  endpointId: string,
  { ids, secretBox }: { readonly ids: Ids; readonly secretBox: SecretBox },
): { secret: string; sealedSecret: string } {
  const secret = `whsec_${ids.token(SECRET_BYTES)}`;
  return { secret, sealedSecret: secretBox.seal(secret, secretContext(endpointId)) };
}

export function withSecret(endpoint: Endpoint, disabled: DisabledSince | null, secret: string): EndpointWithSecret {
  return { ...renderEndpoint(endpoint, disabled), secret };
}
