import { hash } from 'node:crypto';
import { digestOf } from '#domain/post/digest.ts';
import { isPostId } from '#domain/post/ids.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import {
  createInspected,
  lackingFor,
  type CommandChoices,
  type CreatedPost,
  type CreatePostOptions,
} from './create-post.ts';
import { NO_POST } from './get-post.ts';
import { inspectMedia } from './inspect-media.ts';
import { channelsLeft, readDraft, type ReadDraftOptions } from './read-draft.ts';
import type { UseCaseResult } from './outcome.ts';

/** What replaces a Post, and how often. */
export interface ReplacePostInput {
  readonly post: CreatePostInput;
  /** A repeat with it is answered with the first successor, whatever became of it; null: no repeat is known by one. */
  readonly idempotencyKey: string | null;
}

export interface MovePostInput extends Pick<ReplacePostInput, 'idempotencyKey'> {
  /** Unix ms. */
  readonly scheduledAt: number;
}

/** Cancels a Post that waits and creates another one in its place, in one turn of the Workspace: both, or neither. */
export function replacePost(
  call: ApiCall,
  postId: string,
  { post, idempotencyKey }: ReplacePostInput,
  options: CreatePostOptions,
): Promise<UseCaseResult<CreatedPost>> {
  const { text, channelIds, media, channelOptions, scheduledAt = null } = post;
  const digest = digestOf({ text, channelIds, media, channelOptions, scheduledAt });
  return replaced(
    call,
    post,
    { replaces: postId, idempotencyKey, keyDigest: digestFor('replace', postId, digest) },
    options,
  );
}

/**
 * The same Post at another time, without what a Disconnect of a Channel cancelled. A repeat is known by Post
 * and time, because what the Post says of its files changes when one of them was fetched meanwhile.
 */
export async function movePost(
  call: ApiCall,
  postId: string,
  { scheduledAt, idempotencyKey }: MovePostInput,
  options: CreatePostOptions & ReadDraftOptions,
): Promise<UseCaseResult<CreatedPost>> {
  const draft = await readDraft(call, postId, options, channelsLeft);
  if (!draft.ok) return draft;
  const keyDigest = digestFor('move', postId, String(scheduledAt));
  return replaced(call, { ...draft.value, scheduledAt }, { replaces: postId, idempotencyKey, keyDigest }, options);
}

async function replaced(
  call: ApiCall,
  post: CreatePostInput,
  choices: Required<Pick<CommandChoices, 'idempotencyKey' | 'keyDigest'>> & { readonly replaces: string },
  options: CreatePostOptions,
): Promise<UseCaseResult<CreatedPost>> {
  if (!isPostId(choices.replaces)) return NO_POST;
  const refused = lackingFor(call, post);
  if (refused !== null) return refused;
  const [inspected] = await inspectMedia(call, [post], options);
  if (!inspected!.ok) return inspected!;
  return createInspected(call, { ...post, ...inspected!.value }, choices, options);
}

function digestFor(what: 'replace' | 'move', postId: string, content: string): string {
  return hash('sha256', [what, postId, content].join('\0'), 'hex');
}
