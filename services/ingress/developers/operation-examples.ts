import type { OperationId } from '#schemas/http/operations.ts';
import { EXAMPLE } from './example-values.ts';

export interface OperationExample {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const POST = {
  text: 'Fresh bread from seven on Saturday.',
  channelIds: [EXAMPLE.channelId],
  scheduledAt: EXAMPLE.soon,
};
const ENDPOINT = { path: { id: EXAMPLE.endpointId } };

/** One request for each operation: the reference shows it in three languages, forms start with it, tests run it. */
export const OPERATION_EXAMPLES: Readonly<Record<OperationId, OperationExample>> = {
  'list-channels': {},
  'get-channel-options': { path: { id: EXAMPLE.channelId } },
  'list-posts': { query: { limit: '20' } },
  'create-post': { headers: { 'Idempotency-Key': 'bread-2026-06-01' }, body: POST },
  'validate-post': { body: POST },
  'create-posts-in-bulk': {
    query: { dryRun: 'true' },
    body: { posts: [POST, { ...POST, text: 'And cake on Sunday.' }] },
  },
  'get-post': { path: { id: EXAMPLE.postId } },
  'cancel-post': { path: { id: EXAMPLE.postId } },
  'void-file-addresses': { path: { id: EXAMPLE.postId } },
  'retry-variant': { path: { id: EXAMPLE.variantId } },
  'list-attempts': { path: { id: EXAMPLE.variantId } },
  'create-media-upload': { body: { filename: 'bread.jpg', contentType: 'image/jpeg', bytes: 48_213 } },
  'complete-media-upload': { path: { id: EXAMPLE.assetId } },
  'remove-media-upload': { path: { id: EXAMPLE.assetId } },
  'get-usage': {},
  'register-endpoint': {
    body: { url: 'https://example.com/webhooks', events: ['variant.published', 'variant.failed'] },
  },
  'list-endpoints': {},
  'delete-endpoint': ENDPOINT,
  'send-test-event': ENDPOINT,
  'rotate-endpoint-secret': ENDPOINT,
  'replay-delivery': { path: { id: EXAMPLE.endpointId, deliveryId: EXAMPLE.deliveryId } },
};
