import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import { UnsafeAddress, type PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { RegisterEndpointInput } from '#schemas/http/webhook-requests.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { newSecret, withSecret, type EndpointWithSecret } from './endpoints.ts';

export interface RegisterEndpointOptions extends SubmitCommandOptions {
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly ids: Ids;
}

const PROBE_WITHIN_MS = 4_000;

/**
 * Registers an address that receives events. The address is requested first: one that is not on the public internet, or
 * redirects, is refused; a receiver that is down, or does not support HEAD, is accepted.
 */
export async function registerEndpoint(
  call: ApiCall,
  { url, events }: RegisterEndpointInput,
  options: RegisterEndpointOptions,
): Promise<UseCaseResult<EndpointWithSecret>> {
  const refused = missingPermission(call, 'webhooks:manage') ?? (await probe(url, options.publicHttp));
  if (refused !== null) return refused;
  const asked = requestEnvelopeOf(call, options);
  const endpointId = options.ids.uuid7(asked.issuedAt);
  const { secret, sealedSecret } = newSecret(endpointId, options);
  const answer = await submitCommand(
    { ...asked, type: 'RegisterEndpoint', endpointId, url, events, sealedSecret },
    options,
  );
  if (!answer.ok) return answer;
  const endpoint: Endpoint = {
    id: endpointId,
    url,
    events,
    keyId: '',
    memberId: '',
    createdAt: asked.issuedAt,
    secrets: [],
    stoppedAt: null,
  };
  return done(withSecret(endpoint, secret));
}

/** Null: the address may receive events. */
async function probe(
  url: string,
  publicHttp: PublicHttp,
): Promise<Extract<UseCaseResult<never>, { ok: false }> | null> {
  try {
    const { status, body } = await publicHttp.send({ method: 'HEAD', url, timeoutMs: PROBE_WITHIN_MS });
    void body[Symbol.asyncIterator]().return?.();
    if (status < 300 || status >= 400) return null;
    return failed(
      'unsafe_url',
      `This address answers with a redirect (${status}), and redirects are not followed. Please give the address that it leads to.`,
    );
  } catch (error) {
    if (error instanceof UnsafeAddress) return failed('unsafe_url', error.message);
    if (error instanceof HttpFailure) return null;
    throw error;
  }
}
