import type { Endpoint } from '#domain/webhook/endpoint.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { RegisterEndpointInput } from '#schemas/http/webhook-requests.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import { countAddresses, type CountAddressesOptions } from './count-addresses.ts';
import { hostOf, noPermit, type Inspections } from './inspect-media.ts';
import { done, failed, UNAVAILABLE, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { newSecret, withSecret, type EndpointWithSecret } from './endpoints.ts';

export interface RegisterEndpointOptions extends SubmitCommandOptions, CountAddressesOptions {
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly inspections: Inspections;
}

type Refusal = Extract<UseCaseResult<never>, { ok: false }>;

const PROBE_WITHIN_MS = 4_000;

/**
 * Registers an address that receives events. The address is requested first: one that is not on the public internet, or
 * redirects, is refused; a receiver that is down, or does not support HEAD, is accepted. It counts as the address of a
 * file does, and waits for the same permits: otherwise a Workspace could have any host asked without end.
 */
export async function registerEndpoint(
  call: ApiCall,
  { url, events }: RegisterEndpointInput,
  options: RegisterEndpointOptions,
): Promise<UseCaseResult<EndpointWithSecret>> {
  const refused = missingPermission(call, 'webhooks:manage') ?? (await probeInTurn(call, url, options));
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
  return done(withSecret(endpoint, null, secret));
}

/** Null: the address may receive events. */
async function probeInTurn(
  call: ApiCall,
  url: string,
  options: Pick<RegisterEndpointOptions, 'publicHttp' | 'inspections' | keyof CountAddressesOptions>,
): Promise<Refusal | null> {
  const [problem] = await countAddresses(call.workspaceId, [1], options);
  if (problem != null) return { ok: false, problem: { ...problem, message: wordsOf(problem) } };
  const permit = await options.inspections.acquire({ workspace: call.workspaceId, host: hostOf(url) }, call.signal);
  if (!permit.granted) {
    if (call.signal.aborted) return { ok: false, problem: UNAVAILABLE };
    const { whose, retryAfterSeconds } = noPermit(permit, call, options.reporter);
    const message = `${whose} many addresses are being asked at once, and nothing was done. Please try again in ${retryAfterSeconds} s.`;
    return { ok: false, problem: { ...UNAVAILABLE, message, retryAfterSeconds } };
  }
  try {
    return await probe(url, options.publicHttp);
  } finally {
    permit.release();
  }
}

function wordsOf({ code, message, retryAfterSeconds }: ApiProblem): string {
  return code === 'rate_limited'
    ? `Your Workspace has named too many addresses within a minute, of files and of endpoints. Please try again in ${retryAfterSeconds} s.`
    : message;
}

async function probe(url: string, publicHttp: PublicHttp): Promise<Refusal | null> {
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
