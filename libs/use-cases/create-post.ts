import type { PostBody } from '#domain/post/render.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import { digestOf } from '#domain/post/digest.ts';
import { newPostId } from '#domain/post/workspace-hash.ts';
import type { CreatePost } from '#domain/workspace/commands.ts';
import type { Ids } from '#ports/ids.ts';
import { missingPermission, type ApiCall } from './caller.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';
import { inspectMedia, type InspectMediaOptions, type NamedFiles } from './inspect-media.ts';
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
  const [inspected] = await inspectMedia(call, [input], options);
  return inspected!.ok
    ? createInspected(call, { ...input, ...inspected!.value }, { idempotencyKey }, options)
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
export type InspectedPost = Omit<CreatePostInput, keyof NamedFiles> & NamedFiles;

/** The same for a Post that is permitted, and whose addresses were inspected. */
export async function createInspected(
  call: ApiCall,
  input: InspectedPost,
  choices: Pick<CommandChoices, 'idempotencyKey' | 'keyDigest' | 'replaces'>,
  options: CreatePostOptions,
): Promise<UseCaseResult<CreatedPost>> {
  const command = createPostCommand(call, input, { ...choices, dryRun: false }, options);
  const answer = await submitCommand(command, options);
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'post') throw new Error(`CreatePost came to a ${result.kind}`);
  const post = await readBack(call, result.postId, answer.value, options);
  return post.ok ? done({ post: post.value, replayed: result.replayed }) : post;
}

export interface CommandChoices {
  readonly idempotencyKey: string | null;
  /** What a repeat by the key must have in common with the first; left out: all that the Post says. */
  readonly keyDigest?: string | undefined;
  readonly dryRun: boolean;
  /** A Post that is cancelled in the same turn; left out: none. */
  readonly replaces?: string | undefined;
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
    postId: newPostId(options.ids.uuid7(asked.issuedAt), asked.workspaceId),
    ...content,
    digest: digestOf(content),
    idempotencyKey: choices.idempotencyKey,
    ...(choices.keyDigest !== undefined && { keyDigest: choices.keyDigest }),
    dryRun: choices.dryRun,
    ...(choices.replaces !== undefined && { replaces: choices.replaces }),
  };
}
