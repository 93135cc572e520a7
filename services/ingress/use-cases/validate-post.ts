import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { Blocker, Upgrade } from '#domain/workspace/results.ts';
import type { Call } from '../caller.ts';
import { done, type Outcome } from '../outcome.ts';
import { askWorkspace, type AskingOptions } from './ask-workspace.ts';
import { createPostCommand, type InspectedPost } from './create-post.ts';
import { inspectMedia, type InspectMediaOptions } from './inspect-media.ts';

export interface Verdict {
  readonly ok: boolean;
  readonly blockers: readonly Blocker[];
  readonly upgrade: Upgrade | null;
}

export interface ValidatePostOptions extends AskingOptions, InspectMediaOptions {
  readonly clock: InspectMediaOptions['clock'];
}

/** What creating the Post would come to. Refusals of time, uploads and Plan are blockers without a channelId. Creates nothing. */
export async function validatePost(call: Call, input: CreatePostInput, options: ValidatePostOptions): Promise<Outcome<Verdict>> {
  const [inspected] = await inspectMedia(call, [input.media], options);
  return inspected!.ok ? validateInspected(call, { ...input, media: inspected!.value }, options) : inspected!;
}

/** The same for a Post whose addresses were asked. */
export async function validateInspected(call: Call, input: InspectedPost, options: ValidatePostOptions): Promise<Outcome<Verdict>> {
  const answer = await askWorkspace(createPostCommand(call, input, { idempotencyKey: null, dryRun: true }, options), options);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'verdict') throw new Error(`a dry run came to a ${result.kind}`);
  const { blockers, upgrade } = result;
  return done({ ok: blockers.length === 0, blockers, upgrade });
}
