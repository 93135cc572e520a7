import { lacking, type Call } from '../caller.ts';
import { done, type Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';

/** Nothing is sent to it any more once this is answered, but for an attempt that is on its way. */
export async function deleteEndpoint(call: Call, endpointId: string, options: AskingOptions): Promise<Outcome<null>> {
  const refused = lacking(call, 'webhooks:manage');
  if (refused !== null) return refused;
  const answer = await askWorkspace({ ...askedBy(call, options), type: 'DeleteEndpoint', endpointId }, options);
  return answer.ok ? done(null) : answer;
}
