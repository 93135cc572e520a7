import type { PostBody } from '#domain/post/render.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import { digestOf } from '#domain/post/digest.ts';
import type { MediaReference } from '#domain/post/post.ts';
import { postIdOf } from '#domain/post/ids.ts';
import type { CreatePost } from '#domain/workspace/commands.ts';
import type { Ids } from '#ports/ids.ts';
import { missingPermission, type ApiCall } from '../caller.ts';
import { done, type UseCaseResult } from '../outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { inspectMedia, type InspectMediaOptions } from './inspect-media.ts';
import { readBack, type ReadBackOptions } from './read-back.ts';

export interface CreatePostOptions extends SubmitCommandOptions, ReadBackOptions, InspectMediaOptions {
  readonly clock: InspectMediaOptions['clock'];
}

export interface CreatedPost {
  readonly post: PostBody;
  /** The same Post was created before: it is returned, and nothing was created. */
  readonly replayed: boolean;
}

/** Creates a Post, or returns the same Post that was created before. An immediate Post needs posts:publish. */
export async function createPost(
  call: ApiCall,
  input: CreatePostInput,
  idempotencyKey: string | null,
  options: CreatePostOptions,
): Promise<UseCaseResult<CreatedPost>> {
  const refused = lackingFor(call, input);
  if (refused !== null) return refused;
  const [inspected] = await inspectMedia(call, [input.media], options);
  return inspected!.ok
    ? createInspected(call, { ...input, media: inspected!.value }, idempotencyKey, options)
    : inspected!;
}

/** An immediate Post needs more than a scheduled one. */
export function lackingFor(
  call: ApiCall,
  { scheduledAt }: Pick<InspectedPost, 'scheduledAt'>,
): ReturnType<typeof missingPermission> {
  return missingPermission(call, scheduledAt === undefined ? 'posts:publish' : 'posts:schedule');
}

/** The input of a client, with the inspections of its addresses. */
export type InspectedPost = Omit<CreatePostInput, 'media'> & { readonly media: readonly MediaReference[] };

/** The same for a Post that is permitted, and whose addresses were inspected. */
export async function createInspected(
  call: ApiCall,
  input: InspectedPost,
  idempotencyKey: string | null,
  options: CreatePostOptions,
): Promise<UseCaseResult<CreatedPost>> {
  const command = createPostCommand(call, input, { idempotencyKey, dryRun: false }, options);
  const answer = await submitCommand(command, options);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'post') throw new Error(`CreatePost came to a ${result.kind}`);
  const post = await readBack(call, result.postId, answer.value, options);
  return post.ok ? done({ post: post.value, replayed: result.replayed }) : post;
}

export interface CommandChoices {
  readonly idempotencyKey: string | null;
  readonly dryRun: boolean;
  /** That of the call when left out; a call that sends several commands gives each an id. */
  readonly requestId?: string;
}

/** The command with every id chosen, so that sending it again repeats the same command. */
export function createPostCommand(
  call: ApiCall,
  input: InspectedPost,
  choices: CommandChoices,
  options: SubmitCommandOptions & { readonly ids: Ids },
): CreatePost {
  const { text, channelIds, media, channelOptions } = input;
  const asked = requestEnvelopeOf(call, options, choices.requestId);
  const content = { text, channelIds, scheduledAt: input.scheduledAt ?? null, media, channelOptions };
  return {
    ...asked,
    type: 'CreatePost',
    postId: postIdOf(options.ids.uuid7(asked.issuedAt)),
    ...content,
    digest: digestOf(content),
    idempotencyKey: choices.idempotencyKey,
    dryRun: choices.dryRun,
  };
}
