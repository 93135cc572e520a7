import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { ApiCall } from './caller.ts';
import type { WebhookReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { findActiveEndpoint, newSecret, withSecret, type EndpointWithSecret } from './endpoints.ts';

export interface RotateEndpointSecretOptions extends SubmitCommandOptions {
  readonly webhooks: Pick<WebhookReader, 'endpoints' | 'disabledSince'>;
  readonly secretBox: SecretBox;
  readonly ids: Ids;
}

/** Gives the endpoint a new secret; the former one signs beside it for 24 hours. */
export async function rotateEndpointSecret(
  call: ApiCall,
  endpointId: string,
  options: RotateEndpointSecretOptions,
): Promise<UseCaseResult<EndpointWithSecret>> {
  const found = await settled('change', async () => {
    const active = await findActiveEndpoint(call, endpointId, options.webhooks);
    return active.ok
      ? done({ endpoint: active.value, disabled: await options.webhooks.disabledSince(endpointId) })
      : active;
  });
  if (!found.ok) return found;
  const { endpoint, disabled } = found.value;
  const { secret, sealedSecret } = newSecret(endpointId, options);
  const answer = await submitCommand(
    { ...requestEnvelopeOf(call, options), type: 'RotateEndpointSecret', endpointId, sealedSecret },
    options,
  );
  return answer.ok ? done(withSecret(endpoint, disabled, secret)) : answer;
}
