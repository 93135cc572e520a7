import { missingPermission, type ApiCall } from './caller.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';

/** After the answer nothing more is sent to the endpoint, except for an attempt that is in progress. */
export async function deleteEndpoint(
  call: ApiCall,
  endpointId: string,
  options: SubmitCommandOptions,
): Promise<UseCaseResult<null>> {
  const refused = missingPermission(call, 'webhooks:manage');
  if (refused !== null) return refused;
  const answer = await submitCommand(
    { ...requestEnvelopeOf(call, options), type: 'DeleteEndpoint', endpointId },
    options,
  );
  return answer.ok ? done(null) : answer;
}
