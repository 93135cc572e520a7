import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { parse } from '#schemas/http/parse.ts';
import { CreateMediaUploadRequest } from '#schemas/http/media-requests.ts';
import {
  BulkEnvelope,
  BulkQuery,
  CreatePostRequest,
  IdempotencyKey,
  ListPostsQuery,
  NoBody,
  NoQuery,
  PathId,
} from '#schemas/http/post-requests.ts';
import { PathDelivery, RegisterEndpointRequest } from '#schemas/http/webhook-requests.ts';
import type { ApiCall } from '../caller.ts';
import type { WebhookReader } from '../dependencies.ts';
import { done, failed, type UseCaseResult } from '../outcome.ts';
import { cancelPost } from '../use-cases/cancel-post.ts';
import { completeMediaUpload, type CompleteMediaUploadOptions } from '../use-cases/complete-media-upload.ts';
import { createMediaUpload, type CreateMediaUploadOptions } from '../use-cases/create-media-upload.ts';
import { createPost } from '../use-cases/create-post.ts';
import { createPostsInBulk, type CreatePostsInBulkOptions } from '../use-cases/create-posts-in-bulk.ts';
import { deleteEndpoint } from '../use-cases/delete-endpoint.ts';
import { getPost } from '../use-cases/get-post.ts';
import { getUsage } from '../use-cases/get-usage.ts';
import { listAttempts, type ListAttemptsOptions } from '../use-cases/list-attempts.ts';
import { listChannels } from '../use-cases/list-channels.ts';
import { listEndpoints } from '../use-cases/list-endpoints.ts';
import { listPosts, type ListPostsOptions } from '../use-cases/list-posts.ts';
import { removeMediaUpload } from '../use-cases/remove-media-upload.ts';
import { registerEndpoint, type RegisterEndpointOptions } from '../use-cases/register-endpoint.ts';
import { replayDelivery, type ReplayDeliveryOptions } from '../use-cases/replay-delivery.ts';
import { retryVariant } from '../use-cases/retry-variant.ts';
import { rotateEndpointSecret, type RotateEndpointSecretOptions } from '../use-cases/rotate-endpoint-secret.ts';
import { sendTestEvent, type SendTestEventOptions } from '../use-cases/send-test-event.ts';
import { validatePost } from '../use-cases/validate-post.ts';
import type { Success } from './answer.ts';

type WebhookOptions = RegisterEndpointOptions &
  RotateEndpointSecretOptions &
  SendTestEventOptions &
  ReplayDeliveryOptions & { readonly webhooks: WebhookReader };
export type UseCaseOptions = CreatePostsInBulkOptions &
  ListAttemptsOptions &
  ListPostsOptions &
  CreateMediaUploadOptions &
  CompleteMediaUploadOptions &
  WebhookOptions;

/** A request as it came, authenticated but not judged. */
export interface ParsedRequest {
  readonly call: ApiCall;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Route {
  /** The operation's id in schemas/http/operations.ts. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  handle(received: ParsedRequest): Promise<UseCaseResult<Success>>;
}

interface Shapes<P, Q, B> {
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
}

interface Judged<P, Q, B> extends ParsedRequest {
  readonly params: P & ParsedRequest['params'];
  readonly query: Q & ParsedRequest['query'];
  readonly body: B;
}

type Id = { readonly id: string };

/** Judges shapes before anything else is asked, as the contract's order of judging has it. */
function shaped<P = unknown, Q = unknown, B = unknown>(
  shapes: Shapes<P, Q, B>,
  use: (judged: Judged<P, Q, B>) => Promise<UseCaseResult<Success>>,
) {
  return async (received: ParsedRequest): Promise<UseCaseResult<Success>> => {
    const params = shapes.params === undefined ? null : parse(shapes.params, received.params);
    if (params?.ok === false) return failed('invalid_request', params.message);
    const query = parse(shapes.query ?? NoQuery, received.query);
    if (!query.ok) return failed('invalid_request', query.message);
    const body = parse(shapes.body ?? NoBody, shapes.body === undefined ? (received.body ?? {}) : received.body);
    if (!body.ok) return failed('invalid_request', body.message);
    return use({ ...received, params: params?.value, query: query.value, body: body.value } as Judged<P, Q, B>);
  };
}

function answered<T>(outcome: UseCaseResult<T>, status = 200): UseCaseResult<Success> {
  return outcome.ok ? done({ status, body: { data: outcome.value } }) : outcome;
}

/** The operations of the REST API over their use cases. */
export function createRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    ...postRoutes(options),
    ...singlePostRoutes(options),
    ...mediaRoutes(options),
    ...workspaceRoutes(options),
    ...webhookRoutes(options),
  ];
}

function postRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    {
      id: 'list-posts',
      method: 'get',
      path: '/api/posts',
      handle: shaped({ query: ListPostsQuery }, async ({ call, query }) => {
        const page = await listPosts(call, query, options);
        return page.ok
          ? done({ status: 200, body: { data: page.value.posts, nextCursor: page.value.nextCursor } })
          : page;
      }),
    },
    {
      id: 'create-post',
      method: 'post',
      path: '/api/posts',
      handle: shaped({ body: CreatePostRequest }, async ({ call, body, headers }) => {
        const key = idempotencyKeyOf(headers);
        if (!key.ok) return key;
        const created = await createPost(call, body, key.value, options);
        if (!created.ok) return created;
        const { post, replayed } = created.value;
        return done({
          status: 201,
          body: { data: post },
          ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
        });
      }),
    },
    {
      id: 'validate-post',
      method: 'post',
      path: '/api/posts/validate',
      handle: shaped({ body: CreatePostRequest }, async ({ call, body }) =>
        answered(await validatePost(call, body, options)),
      ),
    },
    {
      id: 'create-posts-in-bulk',
      method: 'post',
      path: '/api/posts/bulk',
      handle: shaped({ query: BulkQuery, body: BulkEnvelope }, async ({ call, query, body, headers }) => {
        if (headers['idempotency-key'] !== undefined)
          return failed(
            'invalid_request',
            'Idempotency-Key is not taken by bulk: one key cannot stand for several Posts.',
          );
        return answered(await createPostsInBulk(call, body.posts, query.dryRun === 'true', options));
      }),
    },
  ];
}

function singlePostRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    {
      id: 'get-post',
      method: 'get',
      path: '/api/posts/:id',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await getPost(call, params.id, options)),
      ),
    },
    {
      id: 'cancel-post',
      method: 'post',
      path: '/api/posts/:id/cancel',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await cancelPost(call, params.id, options)),
      ),
    },
    {
      id: 'retry-variant',
      method: 'post',
      path: '/api/variants/:id/retry',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await retryVariant(call, params.id, options)),
      ),
    },
    {
      id: 'list-attempts',
      method: 'get',
      path: '/api/variants/:id/attempts',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await listAttempts(call, params.id, options)),
      ),
    },
  ];
}

function mediaRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    {
      id: 'create-media-upload',
      method: 'post',
      path: '/api/media',
      handle: shaped({ body: CreateMediaUploadRequest }, async ({ call, body }) =>
        answered(await createMediaUpload(call, body, options), 201),
      ),
    },
    {
      id: 'complete-media-upload',
      method: 'post',
      path: '/api/media/:id/complete',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await completeMediaUpload(call, params.id, options)),
      ),
    },
    {
      id: 'remove-media-upload',
      method: 'delete',
      path: '/api/media/:id',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) => {
        const removed = await removeMediaUpload(call, params.id, options);
        return removed.ok ? done({ status: 204, body: undefined }) : removed;
      }),
    },
  ];
}

function workspaceRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    {
      id: 'list-channels',
      method: 'get',
      path: '/api/channels',
      handle: shaped({}, async ({ call }) => answered(await listChannels(call, options))),
    },
    {
      id: 'get-usage',
      method: 'get',
      path: '/api/usage',
      handle: shaped({}, async ({ call }) => answered(await getUsage(call, options))),
    },
  ];
}

function webhookRoutes(options: UseCaseOptions): readonly Route[] {
  return [
    {
      id: 'register-endpoint',
      method: 'post',
      path: '/api/webhooks',
      handle: shaped({ body: RegisterEndpointRequest }, async ({ call, body }) =>
        answered(await registerEndpoint(call, body, options), 201),
      ),
    },
    {
      id: 'list-endpoints',
      method: 'get',
      path: '/api/webhooks',
      handle: shaped({}, async ({ call }) => answered(await listEndpoints(call, options))),
    },
    {
      id: 'delete-endpoint',
      method: 'delete',
      path: '/api/webhooks/:id',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) => {
        const deleted = await deleteEndpoint(call, params.id, options);
        return deleted.ok ? done({ status: 204, body: undefined }) : deleted;
      }),
    },
    {
      id: 'send-test-event',
      method: 'post',
      path: '/api/webhooks/:id/test',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await sendTestEvent(call, params.id, options)),
      ),
    },
    {
      id: 'rotate-endpoint-secret',
      method: 'post',
      path: '/api/webhooks/:id/rotate-secret',
      handle: shaped<Id>({ params: PathId }, async ({ call, params }) =>
        answered(await rotateEndpointSecret(call, params.id, options)),
      ),
    },
    {
      id: 'replay-delivery',
      method: 'post',
      path: '/api/webhooks/:id/deliveries/:deliveryId/replay',
      handle: shaped<Id & { readonly deliveryId: string }>({ params: PathDelivery }, async ({ call, params }) => {
        return answered(await replayDelivery(call, params.id, params.deliveryId, options));
      }),
    },
  ];
}

function idempotencyKeyOf(headers: IncomingHttpHeaders): UseCaseResult<string | null> {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return done(null);
  const key = parse(IdempotencyKey, sent);
  return key.ok ? done(key.value) : failed('invalid_request', key.message.replace(/^The request/, 'Idempotency-Key'));
}
