import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { Blocker, Upgrade } from '#domain/workspace/results.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { createPostCommand, type InspectedPost } from './create-post.ts';
import { inspectMedia, type InspectMediaOptions } from './inspect-media.ts';

export interface PostVerdict {
  readonly ok: boolean;
  readonly blockers: readonly Blocker[];
  readonly upgrade: Upgrade | null;
}

export interface ValidatePostOptions extends SubmitCommandOptions, InspectMediaOptions {
  readonly clock: InspectMediaOptions['clock'];
}

/**
 * The result that creating the Post would have. Refusals of time, uploads and Plan are blockers without a channelId.
 * Creates nothing. `replaces`: the Post that it would replace.
 */
export async function validatePost(
  call: ApiCall,
  input: CreatePostInput,
  options: ValidatePostOptions,
  replaces?: string,
): Promise<UseCaseResult<PostVerdict>> {
  // Before addresses are asked and counted: the Workspace judges the caller behind that.
  const refused = missingPermission(call, 'posts:schedule');
  if (refused !== null) return refused;
  const [inspected] = await inspectMedia(call, [input], options);
  return inspected!.ok ? validateInspected(call, { ...input, ...inspected!.value }, options, replaces) : inspected!;
}

/** The same for a Post whose addresses were inspected. */
export async function validateInspected(
  call: ApiCall,
  input: InspectedPost,
  options: ValidatePostOptions,
  replaces?: string,
): Promise<UseCaseResult<PostVerdict>> {
  const answer = await submitCommand(
    createPostCommand(call, input, { idempotencyKey: null, dryRun: true, replaces }, options),
    options,
  );
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'verdict') throw new Error(`a dry run came to a ${result.kind}`);
  const { blockers, upgrade } = result;
  return done({ ok: blockers.length === 0, blockers, upgrade });
}
