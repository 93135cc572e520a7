import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { PERMISSIONS, type Permission } from '#domain/workspace/state.ts';
import { parse } from '#schemas/http/parse.ts';
import { OPERATIONS, type Operation, type OperationId } from '#schemas/http/operations.ts';
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
import { missingPermission, type ApiCall } from '#use-cases/caller.ts';
import type { WebhookReader } from '#use-cases/dependencies.ts';
import { done, failed, type UseCaseResult } from '#use-cases/outcome.ts';
import { cancelPost } from '#use-cases/cancel-post.ts';
import { voidFileAddresses } from '#use-cases/void-file-addresses.ts';
import { completeMediaUpload, type CompleteMediaUploadOptions } from '#use-cases/complete-media-upload.ts';
import { createMediaUpload, type CreateMediaUploadOptions } from '#use-cases/create-media-upload.ts';
import { createPost } from '#use-cases/create-post.ts';
import { createPostsInBulk, type BulkItem, type CreatePostsInBulkOptions } from '#use-cases/create-posts-in-bulk.ts';
import { deleteEndpoint } from '#use-cases/delete-endpoint.ts';
import { getPost } from '#use-cases/get-post.ts';
import { getChannelOptions, type ChannelOptionsOptions } from '#use-cases/get-channel-options.ts';
import { getUsage } from '#use-cases/get-usage.ts';
import { listAttempts, type ListAttemptsOptions } from '#use-cases/list-attempts.ts';
import { listChannels } from '#use-cases/list-channels.ts';
import { listEndpoints, type ListEndpointsOptions } from '#use-cases/list-endpoints.ts';
import { listPosts, type ListPostsInput, type ListPostsOptions } from '#use-cases/list-posts.ts';
import type { RequestTurns } from '#use-cases/request-turns.ts';
import { removeMediaUpload } from '#use-cases/remove-media-upload.ts';
import { registerEndpoint, type RegisterEndpointOptions } from '#use-cases/register-endpoint.ts';
import { replayDelivery, type ReplayDeliveryOptions } from '#use-cases/replay-delivery.ts';
import { retryVariant } from '#use-cases/retry-variant.ts';
import { rotateEndpointSecret, type RotateEndpointSecretOptions } from '#use-cases/rotate-endpoint-secret.ts';
import { sendTestEvent, type SendTestEventOptions } from '#use-cases/send-test-event.ts';
import { validatePost } from '#use-cases/validate-post.ts';
import { inSlices } from '#concurrency/in-slices.ts';
import { JsonText, type Success } from '#http-server/answer.ts';
import { problemBodyOf } from '#http-server/problem-body.ts';

type WebhookOptions = RegisterEndpointOptions &
  RotateEndpointSecretOptions &
  SendTestEventOptions &
  ReplayDeliveryOptions &
  ListEndpointsOptions & { readonly webhooks: WebhookReader; readonly turns: RequestTurns };
export type UseCaseOptions = CreatePostsInBulkOptions &
  ListAttemptsOptions &
  ChannelOptionsOptions &
  ListPostsOptions &
  CreateMediaUploadOptions &
  CompleteMediaUploadOptions &
  WebhookOptions;

/** A request as it was received, authenticated, its shapes not yet checked. */
export interface ParsedRequest {
  readonly call: ApiCall;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Route extends Pick<Operation, 'id' | 'method' | 'path'> {
  handle(received: ParsedRequest): Promise<UseCaseResult<Success>>;
}

/** A success without its status, which the operation declares. */
type Content = Omit<Success, 'status'>;

interface RoutedRequest extends ParsedRequest {
  /** What every request of the operation needs; some need more, by what they ask. */
  readonly needs: Permission;
}

type Handler = (received: RoutedRequest) => Promise<UseCaseResult<Content>>;
type Handlers<Id extends OperationId = OperationId> = Readonly<Record<Id, Handler>>;

interface Shapes<P, Q, B> {
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
}

interface CheckedRequest<P, Q, B> extends ParsedRequest {
  readonly params: P & ParsedRequest['params'];
  readonly query: Q & ParsedRequest['query'];
  readonly body: B;
}

type Id = { readonly id: string };
type UseCaseById<O, T> = (call: ApiCall, id: string, options: O) => Promise<UseCaseResult<T>>;

/**
 * The operations of schemas/http/operations.ts over their use cases. Paths without parameters stand before those with
 * parameters: `bulk` of /api/posts/bulk is no id, whatever the method.
 */
export function createRoutes(options: UseCaseOptions): readonly Route[] {
  const handlers: Handlers = {
    ...postHandlers(options),
    ...mediaHandlers(options),
    ...webhookHandlers(options),
    'list-channels': shaped({}, async ({ call }) => dataOf(await listChannels(call, options))),
    'get-usage': shaped({}, async ({ call }) => dataOf(await getUsage(call, options))),
    'get-channel-options': byId(getChannelOptions, options),
    'retry-variant': byId(retryVariant, options),
    'list-attempts': byId(
      (call, id, own: UseCaseOptions) => own.turns.run('lists', call, () => listAttempts(call, id, own)),
      options,
    ),
  };
  const routes = OPERATIONS.map(({ id, method, path, status, permission }) => ({
    id,
    method,
    path: path.replace(/\{(\w+)\}/g, ':$1'),
    handle: async (received: ParsedRequest): Promise<UseCaseResult<Success>> => {
      const outcome = await handlers[id]({ ...received, needs: firstOf(permission) });
      return outcome.ok ? done({ status, ...outcome.value }) : outcome;
    },
  }));
  const hasParameters = ({ path }: Route): number => Number(path.includes(':'));
  return routes.toSorted((a, b) => hasParameters(a) - hasParameters(b));
}

/** Written piece by piece: as one text, a page of long Posts would take too long to make. */
async function pageInJson(
  call: ApiCall,
  query: ListPostsInput,
  options: ListPostsOptions,
): Promise<UseCaseResult<JsonText>> {
  const { slices } = options;
  const text = new JsonText((parts) => inSlices(parts, slices, call.workspaceId));
  let before = '{"data":[';
  const page = await listPosts(call, query, options, (_, json) => {
    text.add(before);
    text.add(json);
    before = ',';
  });
  if (!page.ok) return page;
  const { posts, nextCursor } = page.value;
  text.add(`${posts.length === 0 ? before : ''}],"nextCursor":${JSON.stringify(nextCursor)}}`);
  return done(text);
}

function postHandlers(
  options: UseCaseOptions,
): Handlers<
  | 'list-posts'
  | 'create-post'
  | 'validate-post'
  | 'create-posts-in-bulk'
  | 'get-post'
  | 'cancel-post'
  | 'void-file-addresses'
> {
  return {
    'list-posts': shaped({ query: ListPostsQuery }, async ({ call, query }) => {
      const page = await options.turns.run('lists', call, () => pageInJson(call, query, options));
      return page.ok ? done({ body: page.value }) : page;
    }),
    'create-post': shaped({ body: CreatePostRequest }, async ({ call, body, headers }) => {
      const key = idempotencyKeyOf(headers);
      if (!key.ok) return key;
      const created = await createPost(call, body, key.value, options);
      if (!created.ok) return created;
      const { post, replayed } = created.value;
      return done({ body: { data: post }, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) });
    }),
    'validate-post': shaped({ body: CreatePostRequest }, async ({ call, body }) =>
      dataOf(await options.turns.run('validations', call, () => validatePost(call, body, options))),
    ),
    'create-posts-in-bulk': shaped({ query: BulkQuery, body: BulkEnvelope }, async ({ call, query, body, headers }) => {
      if (headers['idempotency-key'] !== undefined)
        return failed(
          'invalid_request',
          'Idempotency-Key is not taken by bulk: one key cannot stand for several Posts.',
        );
      const create = () => createPostsInBulk(call, body.posts, query.dryRun === 'true', options);
      const items = await options.turns.run('bulks', call, create);
      return items.ok
        ? done({ body: { data: items.value.map((item) => bulkItemOf(item, options.publicUrl())) } })
        : items;
    }),
    'get-post': byId(getPost, options),
    'cancel-post': byId(cancelPost, options),
    'void-file-addresses': byId(voidFileAddresses, options),
  };
}

/** An item with its error as answers have it. */
function bulkItemOf(item: BulkItem, publicUrl: string): object {
  return 'error' in item ? { ...item, error: problemBodyOf(item.error, publicUrl) } : item;
}

function mediaHandlers(
  options: UseCaseOptions,
): Handlers<'create-media-upload' | 'complete-media-upload' | 'remove-media-upload'> {
  return {
    'create-media-upload': shaped({ body: CreateMediaUploadRequest }, async ({ call, body }) =>
      dataOf(await createMediaUpload(call, body, options)),
    ),
    'complete-media-upload': byId(completeMediaUpload, options),
    'remove-media-upload': byId(removeMediaUpload, options, nothingOf),
  };
}

function webhookHandlers(
  options: UseCaseOptions,
): Handlers<
  | 'register-endpoint'
  | 'list-endpoints'
  | 'delete-endpoint'
  | 'send-test-event'
  | 'rotate-endpoint-secret'
  | 'replay-delivery'
> {
  return {
    'register-endpoint': shaped({ body: RegisterEndpointRequest }, async ({ call, body }) =>
      dataOf(await registerEndpoint(call, body, options)),
    ),
    'list-endpoints': shaped({}, async ({ call }) =>
      dataOf(await options.turns.run('lists', call, () => listEndpoints(call, options))),
    ),
    'delete-endpoint': byId(deleteEndpoint, options, nothingOf),
    'send-test-event': byId(sendTestEvent, options),
    'rotate-endpoint-secret': byId(rotateEndpointSecret, options),
    'replay-delivery': shaped<Id & { readonly deliveryId: string }>(
      { params: PathDelivery },
      async ({ call, params }) => dataOf(await replayDelivery(call, params.id, params.deliveryId, options)),
    ),
  };
}

/** The permission that the description of an operation begins with. */
function firstOf(described: string): Permission {
  return PERMISSIONS.find((permission) => described.startsWith(permission))!;
}

/** Checks the shapes of a request before the use case reads anything, in the order of the contract. */
function shaped<P = unknown, Q = unknown, B = unknown>(
  shapes: Shapes<P, Q, B>,
  use: (checked: CheckedRequest<P, Q, B>) => Promise<UseCaseResult<Content>>,
): Handler {
  return async (received) => {
    const params = shapes.params === undefined ? null : parse(shapes.params, received.params);
    if (params?.ok === false) return failed('invalid_request', params.message);
    const query = parse(shapes.query ?? NoQuery, received.query);
    if (!query.ok) return failed('invalid_request', query.message);
    const body = parse(shapes.body ?? NoBody, shapes.body === undefined ? (received.body ?? {}) : received.body);
    if (!body.ok) return failed('invalid_request', body.message);
    const lacking = missingPermission(received.call, received.needs);
    if (lacking !== null) return lacking;
    return use({ ...received, params: params?.value, query: query.value, body: body.value } as CheckedRequest<P, Q, B>);
  };
}

/** For operations that take the id in their path and nothing else. */
function byId<O, T>(
  useCase: UseCaseById<O, T>,
  options: O,
  contentOf: (outcome: UseCaseResult<T>) => UseCaseResult<Content> = dataOf,
): Handler {
  return shaped<Id>({ params: PathId }, async ({ call, params }) => contentOf(await useCase(call, params.id, options)));
}

function dataOf<T>(outcome: UseCaseResult<T>): UseCaseResult<Content> {
  return outcome.ok ? done({ body: { data: outcome.value } }) : outcome;
}

function nothingOf(outcome: UseCaseResult<unknown>): UseCaseResult<Content> {
  return outcome.ok ? done({ body: undefined }) : outcome;
}

function idempotencyKeyOf(headers: IncomingHttpHeaders): UseCaseResult<string | null> {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return done(null);
  const key = parse(IdempotencyKey, sent);
  return key.ok ? done(key.value) : failed('invalid_request', key.message.replace(/^The request/, 'Idempotency-Key'));
}
