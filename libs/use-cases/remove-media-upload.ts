import type { ApiCall } from './caller.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';

/** Removes an upload that is in no Post; its storage is free at once. */
export async function removeMediaUpload(
  call: ApiCall,
  assetId: string,
  options: SubmitCommandOptions,
): Promise<UseCaseResult<null>> {
  const answer = await submitCommand({ ...requestEnvelopeOf(call, options), type: 'RemoveUpload', assetId }, options);
  return answer.ok ? done(null) : answer;
}
