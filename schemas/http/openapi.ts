import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { ERRORS, statusOf, type ErrorCode } from './errors.ts';
import { ALWAYS, OPERATIONS, resourceOf, type Operation } from './operations.ts';
import { ErrorAnswer, WebhookEvent } from './post-answers.ts';
import { SentId } from './scalars.ts';
import { PathDelivery } from './webhook-requests.ts';

const JSON_TYPE = 'application/json';

const RATE_HEADERS = {
  'RateLimit-Limit': { description: 'Requests the key may make in any 60 seconds', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'How many are left now', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until one more is free', schema: { type: 'integer' } },
} as const;
const RETRY_AFTER = { 'Retry-After': { description: 'Whole seconds to wait', schema: { type: 'integer' } } } as const;
const REPLAYED = {
  'Idempotent-Replayed': {
    description: '`true` when this is the first Post again and nothing was created',
    schema: { type: 'string' },
  },
} as const;

/** The OpenAPI 3.1 description of the API at `baseUrl`. The committed openapi.json is made with '/'. */
export function openApiDocument(baseUrl: string) {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Crier',
      version: '1',
      summary: 'Schedules and publishes one Post to several social Networks at once',
      description:
        'Changes are additive only: fields and endpoints are added, never renamed or removed. Clients must take fields they do not know.',
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: [...new Set(OPERATIONS.map(resourceOf))].map((name) => ({ name })),
    paths: paths(),
    webhooks: Object.fromEntries(
      ['variant.published', 'variant.failed'].map((type) => [type, { post: webhook(type) }]),
    ),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: "An API key, beginning crier_, or an app's token for this API",
        },
      },
    },
  });
}

function paths(): ZodOpenApiPathsObject {
  const byPath: ZodOpenApiPathsObject = {};
  for (const operation of OPERATIONS) {
    byPath[operation.path] = { ...byPath[operation.path], [operation.method]: described(operation) };
  }
  return byPath;
}

function described(operation: Operation): ZodOpenApiOperationObject {
  const { id, summary, permission, query, headers, body, status, answer, errors, replays } = operation;
  const path = operation.path.includes('{deliveryId}')
    ? PathDelivery
    : operation.path.includes('{id}')
      ? z.object({ id: SentId })
      : undefined;
  const success = {
    description: 'Done',
    headers: { ...RATE_HEADERS, ...(replays ? REPLAYED : {}) },
    ...(answer && { content: { [JSON_TYPE]: { schema: answer } } }),
  };
  return {
    operationId: id,
    tags: [resourceOf(operation)],
    summary,
    description: `Permission: ${permission}`,
    requestParams: { ...(path && { path }), ...(query && { query }), ...(headers && { header: headers }) },
    ...(body && { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } }),
    responses: { [status]: success, ...failures([...ALWAYS, ...errors]) } as ZodOpenApiResponsesObject,
  };
}

/** One answer a status; its codes are listed in its description. */
function failures(codes: readonly ErrorCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, statusOf);
  const answers = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].doc}.`).join('\n\n'),
        ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
        content: { [JSON_TYPE]: { schema: ErrorAnswer } },
      },
    ]);
  return Object.fromEntries(answers);
}

function webhook(type: string): ZodOpenApiOperationObject {
  return {
    operationId: type,
    summary:
      type === 'variant.published'
        ? 'A Variant is live on its Network'
        : 'A Variant failed; failureReason says what can be done',
    security: [],
    parameters: [
      {
        name: 'Service-Signature',
        in: 'header',
        required: true,
        schema: { type: 'string' },
        description:
          '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, keyed with the whole secret, `whsec_` included; several v1 appear while a secret is rotated. Refuse a t more than 5 minutes old',
      },
      {
        name: 'Service-Event-Id',
        in: 'header',
        required: true,
        schema: { type: 'string', format: 'uuid' },
        description: 'As `id` in the body',
      },
    ],
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: WebhookEvent } } },
    responses: {
      '2XX': {
        description:
          'Received. Anything else, or no answer within 10 seconds, is tried again: after 30 seconds, then with doubling gaps of at most an hour, for 24 hours',
      },
    },
  };
}
