import { missingPermission, type ApiCall } from '../caller.ts';
import { done, type UseCaseResult } from '../outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';

/** Nothing is sent to it any more once this is answered, but for an attempt that is on its way. */
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
