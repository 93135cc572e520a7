import { describe, expect, test } from 'vitest';
import { variantIdOf } from '#domain/post/ids.ts';
import { deliveryIdOf, FIRST_ROUND } from '#domain/webhook/delivery.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { OPERATIONS } from '#schemas/http/operations.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { openIngressWorld, START, type HarnessAnswer } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;

const CONTENT = Buffer.from('a picture, or so it is said');
const UPLOAD = { filename: 'a.png', contentType: 'image/png', bytes: CONTENT.length };
const HOOK = { url: 'https://hooks.test/in', events: ['variant.failed'] };
const EVENT = '01a20000-0000-8000-8000-000000000001';
const in1Hour = new Date(START + 3_600_000).toISOString();

/** What the owner made, for requests to change. */
interface Fixtures {
  readonly post: { readonly text: string; readonly channelIds: readonly string[]; readonly scheduledAt: string };
  readonly postId: string;
  /** Of a Post with a file. */
  readonly illustratedPostId: string;
  readonly failedVariantId: string;
  readonly assetId: string;
  readonly uploadPath: string;
  readonly endpointId: string;
  readonly deliveryId: string;
}

type Asked = readonly [path: string, body?: unknown];

/** Every operation that is no GET, with a request that changes something when a key that stands sends it. */
const CHANGING: Readonly<Record<string, (made: Fixtures) => Asked>> = {
  'create-post': ({ post }) => ['/api/posts', { ...post, text: 'another' }],
  'validate-post': ({ post }) => ['/api/posts/validate', { ...post, text: 'another' }],
  'create-posts-in-bulk': ({ post }) => [
    '/api/posts/bulk',
    {
      posts: [
        { ...post, text: 'one' },
        { ...post, text: 'two' },
      ],
    },
  ],
  'cancel-post': ({ postId }) => [`/api/posts/${postId}/cancel`],
  'void-file-addresses': ({ illustratedPostId }) => [`/api/posts/${illustratedPostId}/void-file-addresses`],
  'retry-variant': ({ failedVariantId }) => [`/api/variants/${failedVariantId}/retry`],
  'create-media-upload': () => ['/api/media', UPLOAD],
  'complete-media-upload': ({ assetId }) => [`/api/media/${assetId}/complete`],
  'remove-media-upload': ({ assetId }) => [`/api/media/${assetId}`],
  'register-endpoint': () => ['/api/webhooks', HOOK],
  'delete-endpoint': ({ endpointId }) => [`/api/webhooks/${endpointId}`],
  'send-test-event': ({ endpointId }) => [`/api/webhooks/${endpointId}/test`],
  'rotate-endpoint-secret': ({ endpointId }) => [`/api/webhooks/${endpointId}/rotate-secret`],
  'replay-delivery': ({ endpointId, deliveryId }) => [`/api/webhooks/${endpointId}/deliveries/${deliveryId}/replay`],
};

const changingOperations = OPERATIONS.filter(({ method }) => method !== 'get');

test('every operation that may change something is tried with a credential that ended', () => {
  expect(Object.keys(CHANGING)).toEqual(changingOperations.map(({ id }) => id));
});

async function make(open: OpenWorld): Promise<Fixtures> {
  const { harness, key, channels, scenario, world } = open;
  const ask = async (path: string, body: unknown) => (await harness.call('POST', path, { key, body })).body.data;
  const post = { text: 'Hello', channelIds: channels, scheduledAt: in1Hour };
  const { id: postId } = await ask('/api/posts', post);
  const { id: failing } = await ask('/api/posts', { text: 'It fails', channelIds: channels });
  scenario.fail(failing);
  const sendFile = async () => {
    const { assetId, uploadUrl } = await ask('/api/media', UPLOAD);
    const uploadPath = new URL(uploadUrl).pathname + new URL(uploadUrl).search;
    const sent = await harness.call('PUT', uploadPath, { body: CONTENT, headers: { 'Content-Type': 'image/png' } });
    expect(sent.status).toBe(204);
    return { assetId, uploadPath };
  };
  const { assetId: shown } = await sendFile();
  await ask(`/api/media/${shown}/complete`, undefined);
  const { id: illustratedPostId } = await ask('/api/posts', { ...post, text: 'Look', media: [{ assetId: shown }] });
  const { assetId, uploadPath } = await sendFile();
  const { id: endpointId } = await ask('/api/webhooks', HOOK);
  const deliveryId = deliveryIdOf(EVENT, endpointId);
  const delivery = {
    id: deliveryId,
    workspaceId: scenario.id,
    endpointId,
    eventId: EVENT,
    type: 'variant.failed',
    createdAt: START,
  } as const;
  await createDeliveryRows(world.store).make(delivery, { id: FIRST_ROUND, since: START }, Buffer.from('{}'));
  const failedVariantId = variantIdOf(failing, 1);
  return { post, postId, illustratedPostId, failedVariantId, assetId, uploadPath, endpointId, deliveryId };
}

/** Everything that a request could change: the Workspace, its effects, the upload's row, files, deliveries. */
async function everything({ scenario, world }: OpenWorld, { assetId }: Fixtures) {
  const files = (await world.blobs.list('', { after: null, limit: 100 })).map(({ name }) => name);
  // The state and what is in the maps is replaced, never changed in place.
  const { state, posts, assets, effects } = scenario;
  return {
    state,
    posts: [...posts],
    assets: [...assets],
    effects: effects.length,
    upload: await world.uploads.find(assetId),
    files,
    handed: world.handed.length,
  };
}

/**
 * A Member with a key that may do everything and was used a moment ago, so that ingress remembers it; and how each of
 * the two ends.
 */
async function openWithAnother() {
  const open = await openIngressWorld({}, PERMISSIONS);
  const { world, scenario, harness } = open;
  const made = await make(open);
  const memberId = scenario.uuid();
  scenario.must({ type: 'AddMember', memberId, name: 'Bob', email: 'bob@example.test' });
  scenario.must({ type: 'VerifyEmail', memberId });
  const { keyId, apiKey } = await world.key(scenario, PERMISSIONS, memberId);
  expect((await harness.call('GET', '/api/channels', { key: apiKey })).status).toBe(200);
  const end = {
    'a revoked key': () => world.revoke(scenario, keyId),
    "a removed Member's key": () => world.removeMember(scenario, memberId),
  };
  return { open, made, apiKey, end, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
}

const codesOf = ({ status, body }: HarnessAnswer): readonly unknown[] =>
  Array.isArray(body.data) ? body.data.map((item: { status: number }) => item.status) : [status];

describe.each(changingOperations)('$method $path', ({ id, method }) => {
  test('is done for a valid key', async () => {
    await using another = await openWithAnother();
    const { open, made, apiKey } = another;
    const before = await everything(open, made);
    const [path, body] = CHANGING[id]!(made);
    expect((await open.harness.call(method.toUpperCase(), path, { key: apiKey, body })).status).toBeLessThan(300);
    if (id !== 'validate-post') expect(await everything(open, made)).not.toEqual(before);
  });

  test.each(['a revoked key', "a removed Member's key"] as const)(
    'with %s changes nothing any more, at once',
    async (which) => {
      await using another = await openWithAnother();
      const { open, made, apiKey, end } = another;
      await end[which]();
      const before = await everything(open, made);
      const [path, body] = CHANGING[id]!(made);
      const answer = await open.harness.call(method.toUpperCase(), path, { key: apiKey, body });
      expect([...new Set(codesOf(answer))], JSON.stringify(answer.body)).toEqual([401]);
      expect(await everything(open, made)).toEqual(before);
    },
  );
});

test('a file that is sent after the key was revoked is in no Post until a valid key completes it', async () => {
  await using another = await openWithAnother();
  const { open, apiKey, end } = another;
  const { body } = await open.harness.call('POST', '/api/media', { key: apiKey, body: UPLOAD });
  const { assetId, uploadUrl } = body.data;
  await end['a revoked key']();
  const sent = await open.harness.call('PUT', uploadUrl.slice(open.harness.url.length), {
    body: CONTENT,
    headers: { 'Content-Type': 'image/png' },
  });
  expect(sent.status).toBe(204);
  expect((await open.harness.call('POST', `/api/media/${assetId}/complete`, { key: apiKey })).status).toBe(401);
  expect(open.scenario.assets.get(assetId)).toMatchObject({ state: 'reserved', blob: null });
  expect((await open.harness.call('POST', `/api/media/${assetId}/complete`, { key: open.key })).status).toBe(200);
});
