import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import * as media from './media-answers.ts';
import { CreateMediaUploadRequest } from './media-requests.ts';
import * as answers from './post-answers.ts';
import * as requests from './post-requests.ts';
import * as webhooks from './webhook-answers.ts';
import { RegisterEndpointRequest } from './webhook-requests.ts';

export interface Operation {
  /** Also the name of its use case. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  /** Path parameters in braces. */
  readonly path: string;
  readonly permission: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly status: number;
  /** Left out: the answer has no body (204). */
  readonly answer?: z.ZodType;
  /** Beside those that every operation may answer with. */
  readonly errors: readonly ErrorCode[];
  readonly replays?: boolean;
}

/** Errors that every operation may answer with. */
export const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'rate_limited',
  'unavailable',
];
const SENT: readonly ErrorCode[] = ['too_large', 'unsupported_media_type', 'outcome_unknown'];
const REFUSED: readonly ErrorCode[] = [
  'email_not_verified',
  'media_unavailable',
  'media_unacceptable',
  'upload_incomplete',
  'post_refused',
  'too_early',
  'too_late',
  'plan_limit',
];

const data = <S extends z.ZodType>(schema: S) => z.looseObject({ data: schema });

const DECLARED = [
  {
    id: 'list-channels',
    method: 'get',
    path: '/api/channels',
    permission: 'posts:schedule',
    status: 200,
    summary: "List the Workspace's live Channels, oldest first",
    answer: data(z.array(answers.Channel)),
    errors: [],
  },
  {
    id: 'get-channel-options',
    method: 'get',
    path: '/api/channels/{id}/options',
    permission: 'posts:schedule',
    status: 200,
    summary: 'The defaults of a Channel, and what its Network lets the account choose right now',
    answer: data(answers.ChannelOptionsAnswer),
    errors: ['not_found', 'channel_disconnected'],
  },
  {
    id: 'list-posts',
    method: 'get',
    path: '/api/posts',
    permission: 'posts:schedule',
    status: 200,
    summary: 'List Posts, newest written first, a page at a time',
    query: requests.ListPostsQuery,
    answer: z.looseObject({
      data: z.array(answers.Post),
      nextCursor: z
        .string()
        .nullable()
        .meta({ description: 'null on the last page. A page may hold less than `limit`: it ends at 8 MB' }),
    }),
    errors: [],
  },
  {
    id: 'create-post',
    method: 'post',
    path: '/api/posts',
    permission: 'posts:schedule; posts:publish when scheduledAt is left out',
    status: 201,
    summary: 'Create a Post. The same Post sent twice within 10 minutes returns the first one',
    headers: z.object({ 'Idempotency-Key': requests.IdempotencyKey.optional() }),
    body: requests.CreatePostRequest,
    answer: data(answers.Post),
    errors: [...SENT, ...REFUSED, 'idempotency_key_reused'],
    replays: true,
  },
  {
    id: 'validate-post',
    method: 'post',
    path: '/api/posts/validate',
    permission: 'posts:schedule',
    status: 200,
    summary: 'Judge a Post without creating it',
    body: requests.CreatePostRequest,
    answer: data(answers.Verdict),
    errors: [...SENT, 'email_not_verified'],
  },
  {
    id: 'create-posts-in-bulk',
    method: 'post',
    path: '/api/posts/bulk',
    permission: 'posts:schedule, and what each Post in it needs',
    status: 200,
    summary: 'Create up to 100 Posts in one request, each judged by itself',
    query: requests.BulkQuery,
    body: requests.BulkRequest,
    answer: data(z.array(answers.BulkItem)),
    errors: SENT,
  },
  {
    id: 'get-post',
    method: 'get',
    path: '/api/posts/{id}',
    permission: 'posts:schedule',
    status: 200,
    summary: 'Read one Post with its Variants',
    answer: data(answers.Post),
    errors: ['not_found'],
  },
  {
    id: 'cancel-post',
    method: 'post',
    path: '/api/posts/{id}/cancel',
    permission: 'posts:schedule',
    status: 200,
    summary: 'Cancel what is still scheduled of a Post',
    answer: data(answers.Post),
    errors: [...SENT, 'not_found', 'not_cancellable'],
  },
  {
    id: 'void-file-addresses',
    method: 'post',
    path: '/api/posts/{id}/void-file-addresses',
    permission: 'posts:schedule',
    status: 200,
    summary: "Make the addresses of a Post's files void",
    answer: data(answers.Post),
    errors: [...SENT, 'not_found'],
  },
  {
    id: 'retry-variant',
    method: 'post',
    path: '/api/variants/{id}/retry',
    permission: 'posts:publish',
    status: 200,
    summary: 'Queue a failed Variant again',
    answer: data(answers.Variant),
    errors: [...SENT, 'not_found', 'channel_disconnected', 'not_retryable'],
  },
  {
    id: 'list-attempts',
    method: 'get',
    path: '/api/variants/{id}/attempts',
    permission: 'posts:schedule',
    status: 200,
    summary: 'What was tried to publish a Variant, step by step',
    answer: data(z.array(answers.Attempt)),
    errors: ['not_found'],
  },
  {
    id: 'create-media-upload',
    method: 'post',
    path: '/api/media',
    permission: 'posts:schedule',
    status: 201,
    summary:
      'Reserve an upload: PUT the file to uploadUrl within 15 minutes, complete it, then name its assetId in a Post',
    body: CreateMediaUploadRequest,
    answer: data(media.MediaUpload),
    errors: [...SENT, 'email_not_verified', 'media_unacceptable', 'plan_limit'],
  },
  {
    id: 'complete-media-upload',
    method: 'post',
    path: '/api/media/{id}/complete',
    permission: 'posts:schedule',
    status: 200,
    summary:
      'Confirm that the file arrived. One that did not arrive whole, or is none that is taken, is refused and its upload removed',
    answer: data(media.CompletedUpload),
    errors: [...SENT, 'not_found', 'upload_incomplete', 'media_unacceptable'],
  },
  {
    id: 'remove-media-upload',
    method: 'delete',
    path: '/api/media/{id}',
    permission: 'posts:schedule',
    status: 204,
    summary: 'Remove an upload that no Post has, and free its storage',
    errors: [...SENT, 'not_found', 'media_unavailable'],
  },
  {
    id: 'get-usage',
    method: 'get',
    path: '/api/usage',
    permission: 'posts:schedule',
    status: 200,
    summary: "The Plan's limits and what is used of them",
    answer: data(answers.Usage),
    errors: [],
  },
  {
    id: 'register-endpoint',
    method: 'post',
    path: '/api/webhooks',
    permission: 'webhooks:manage',
    status: 201,
    summary:
      'Have events told to an address. It stops when the key that registers it is revoked, or the Member behind the key leaves the Workspace',
    body: RegisterEndpointRequest,
    answer: data(webhooks.NewEndpoint),
    errors: [...SENT, 'unsafe_url', 'limit_reached'],
  },
  {
    id: 'list-endpoints',
    method: 'get',
    path: '/api/webhooks',
    permission: 'webhooks:manage',
    status: 200,
    summary: 'List webhook endpoints with their latest deliveries',
    answer: data(z.array(webhooks.Endpoint)),
    errors: [],
  },
  {
    id: 'delete-endpoint',
    method: 'delete',
    path: '/api/webhooks/{id}',
    permission: 'webhooks:manage',
    status: 204,
    summary: 'Stop sending to an endpoint',
    errors: [...SENT, 'not_found'],
  },
  {
    id: 'send-test-event',
    method: 'post',
    path: '/api/webhooks/{id}/test',
    permission: 'webhooks:manage',
    status: 200,
    summary: 'Tell an endpoint of something that never happened, which the text of the Post in it says',
    answer: data(webhooks.Delivery),
    errors: [...SENT, 'not_found'],
  },
  {
    id: 'rotate-endpoint-secret',
    method: 'post',
    path: '/api/webhooks/{id}/rotate-secret',
    permission: 'webhooks:manage',
    status: 200,
    summary: 'Give an endpoint another secret; the one of before signs beside it for 24 hours',
    answer: data(webhooks.NewEndpoint),
    errors: [...SENT, 'not_found', 'limit_reached'],
  },
  {
    id: 'replay-delivery',
    method: 'post',
    path: '/api/webhooks/{id}/deliveries/{deliveryId}/replay',
    permission: 'webhooks:manage',
    status: 200,
    summary: 'Deliver an event again, with the same id, whatever became of it',
    answer: data(webhooks.Delivery),
    errors: [...SENT, 'not_found', 'limit_reached'],
  },
] as const satisfies readonly Operation[];

export type OperationId = (typeof DECLARED)[number]['id'];

/** What an operation is about, in the words of the glossary: the first word of its path. */
export function resourceOf({ path }: Pick<Operation, 'path'>): string {
  const word = path.split('/')[2]!;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The operations of the REST API: openapi.json and the routes of ingress are made of them. */
export const OPERATIONS: readonly (Operation & { readonly id: OperationId })[] = DECLARED;
