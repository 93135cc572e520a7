import { z } from 'zod';
import { CompletedUpload, MediaUpload } from './media-answers.ts';
import { CompleteMediaUploadArguments, CreateMediaUploadRequest } from './media-requests.ts';
import type { OperationId } from './operations.ts';
import { Channel, ListedPost, Post, Problem } from './post-answers.ts';
import {
  ListPostsArguments,
  NoArguments,
  PostArguments,
  PublishNowArguments,
  SchedulePostArguments,
} from './post-requests.ts';

/** A permission of an app, as OAuth names it. */
export type Scope = 'posts:schedule' | 'posts:publish';

/** What a client may assume of a tool before it asks its user, as MCP defines the hints. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  /** May take something away, or do what can not be undone. */
  readonly destructiveHint: boolean;
  /** A repeat with the same arguments changes nothing more. */
  readonly idempotentHint: boolean;
  /** Reaches beyond Crier: something may appear at a Network. */
  readonly openWorldHint: boolean;
}

export interface Tool {
  readonly name: string;
  /** The operation of the REST API that shares its use case. */
  readonly operation: OperationId;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** All that a token needs for it. */
  readonly scopes: readonly Scope[];
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** The fields of a result. None is required, so that the schema admits a refusal too. */
function resultOf<S extends z.ZodRawShape>(fields: S) {
  return z
    .looseObject({ ...fields, error: Problem.meta({ description: 'Why it was refused; then nothing else is here' }) })
    .partial();
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const SCHEDULE = ['posts:schedule'] as const;

const CREATED = {
  post: Post,
  replayed: z.boolean().meta({ description: 'true: the same Post was created before, and nothing was created now' }),
};

const DECLARED = [
  {
    name: 'list_channels',
    operation: 'list-channels',
    title: 'List Channels',
    description:
      'Lists the Channels of the Workspace: the accounts at social Networks that a Post can go to, with id, network, name and whether each can post now.',
    annotations: READS,
    scopes: SCHEDULE,
    input: NoArguments,
    output: resultOf({ channels: z.array(Channel) }),
  },
  {
    name: 'list_posts',
    operation: 'list-posts',
    title: 'List Posts',
    description:
      'Lists Posts, newest written first, a page at a time. from and to select Posts that were written, or are scheduled, in that time. nextCursor, passed as cursor with the same from and to, gives the next page; it is null on the last one. Figures such as views are only in get_post.',
    annotations: READS,
    scopes: SCHEDULE,
    input: ListPostsArguments,
    output: resultOf({
      posts: z.array(ListedPost),
      nextCursor: z.string().nullable().meta({ description: 'null on the last page' }),
    }),
  },
  {
    name: 'get_post',
    operation: 'get-post',
    title: 'Get a Post',
    description:
      'Returns one Post with its Variants, one for each Channel: status, time, address at the Network, the reason of a failure, and figures where the Network gives some.',
    annotations: READS,
    scopes: SCHEDULE,
    input: PostArguments,
    output: resultOf({ post: Post }),
  },
  {
    name: 'schedule_post',
    operation: 'create-post',
    title: 'Schedule a Post',
    description:
      'Schedules one Post for one or more Channels at scheduledAt, at least 15 minutes ahead unless the installation says otherwise. Files are named in media, by the assetId of a completed upload or by a public https address. The same Post sent again within 10 minutes returns the first one.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    scopes: SCHEDULE,
    input: SchedulePostArguments,
    output: resultOf(CREATED),
  },
  {
    name: 'publish_now',
    operation: 'create-post',
    title: 'Publish a Post now',
    description:
      'Publishes one Post on one or more Channels at once. It is public within seconds and can not be taken back. The same Post sent again within 10 minutes returns the first one.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    scopes: ['posts:schedule', 'posts:publish'],
    input: PublishNowArguments,
    output: resultOf(CREATED),
  },
  {
    name: 'cancel_post',
    operation: 'cancel-post',
    title: 'Cancel a Post',
    description:
      'Cancels what is still scheduled of a Post. Variants that are being published, or are published or failed, stay as they are.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    scopes: SCHEDULE,
    input: PostArguments,
    output: resultOf({ post: Post }),
  },
  {
    name: 'create_media_upload',
    operation: 'create-media-upload',
    title: 'Create a media upload',
    description:
      'Reserves an upload for one picture or video and returns uploadUrl. The bytes go there by HTTP PUT, with the same Content-Type and without Authorization, before expiresAt; then complete_media_upload.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    scopes: SCHEDULE,
    input: CreateMediaUploadRequest,
    output: resultOf(MediaUpload.shape),
  },
  {
    name: 'complete_media_upload',
    operation: 'complete-media-upload',
    title: 'Complete a media upload',
    description:
      'Confirms that the bytes of an upload arrived. Its assetId can then be named in media of a Post. A file that did not arrive whole, or of a type that is not taken, is refused and its upload removed.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scopes: SCHEDULE,
    input: CompleteMediaUploadArguments,
    output: resultOf(CompletedUpload.shape),
  },
] as const satisfies readonly Tool[];

export type ToolName = (typeof DECLARED)[number]['name'];

/** The tools of the MCP server, in the order in which they are listed. */
export const TOOLS: readonly (Tool & { readonly name: ToolName })[] = DECLARED;
