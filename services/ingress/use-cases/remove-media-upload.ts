import type { Call } from '../caller.ts';
import { done, type Outcome } from '../outcome.ts';
import { askedBy, askWorkspace, type AskingOptions } from './ask-workspace.ts';

/** Removes an upload that no Post has; its storage is free at once. */
export async function removeMediaUpload(call: Call, assetId: string, options: AskingOptions): Promise<Outcome<null>> {
  const answer = await askWorkspace({ ...askedBy(call, options), type: 'RemoveUpload', assetId }, options);
  return answer.ok ? done(null) : answer;
}
