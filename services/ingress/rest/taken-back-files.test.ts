import { expect, test } from 'vitest';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { PortError } from '#ports/errors.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';
import { createServedFiles } from '../served-files.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const CONTENT = Buffer.from('a picture, or so it is said');
/** Longer than a look at the store is remembered. */
const A_WHILE = 2_001;

const addresses = (url: string) => createMediaAddresses({ baseUrl: () => url, secret: 'a secret of the installation' });

async function upload({ harness, key }: OpenWorld): Promise<string> {
  const reservation = { filename: 'a.png', contentType: 'image/png', bytes: CONTENT.length };
  const { body } = await harness.call('POST', '/api/media', { key, body: reservation });
  const { pathname, search } = new URL(body.data.uploadUrl);
  await harness.call('PUT', pathname + search, { body: CONTENT, headers: { 'Content-Type': 'image/png' } });
  await harness.call('POST', `/api/media/${body.data.assetId}/complete`, { key });
  return body.data.assetId;
}

async function postWith({ harness, key, channels }: OpenWorld, assetId: string) {
  const scheduledAt = new Date(START + 3_600_000).toISOString();
  const body = { text: 'Look', channelIds: channels, scheduledAt, media: [{ assetId }] };
  return (await harness.call('POST', '/api/posts', { key, body })).body.data;
}

test('the file of a Post is served until the Post is cancelled, and then no longer, by the address as given out', async () => {
  await using open = await openIngressWorld();
  const { harness, key, clock } = open;
  const post = await postWith(open, await upload(open));
  expect(post.media[0].url).toEqual(expect.any(String));
  const [stored] = await open.world.blobs.list('assets/', { after: null, limit: 1 });
  const address = addresses(harness.url).urlOf({ blob: stored!.name, contentType: 'image/png' });
  const read = async (headers = {}) => (await fetch(address, { headers })).status;
  const { headers, status } = await fetch(address);
  expect(status).toBe(200);
  await harness.call('POST', `/api/posts/${post.id}/cancel`, { key });
  await clock.advance(A_WHILE);
  expect([await read(), await read({ 'If-None-Match': headers.get('etag') })]).toEqual([404, 404]);
  const { body } = await harness.call('GET', `/api/posts/${post.id}`, { key });
  expect(body.data.media).toEqual([expect.objectContaining({ kind: 'image', url: null })]);
});

const look = { fileOwners: { ofAsset: async () => 'w' }, clock: { monotonic: () => 0 } };
const BLOB = 'assets/a/original/1';
const asset = { id: 'a', workspaceId: 'w', postId: 'p', state: 'attached' } as const;
const variantsOf = (...statuses: readonly string[]) => ({ variants: statuses.map((status) => ({ status })) }) as never;

test.each<[string, readonly string[], boolean]>([
  ['all of it', ['cancelled', 'cancelled'], false],
  ['what was still scheduled, of a Post that is live', ['published', 'cancelled'], true],
  ['all but what a Network is fetching', ['publishing', 'cancelled'], true],
])('with %s cancelled', async (_, statuses, served) => {
  const posts = { read: async () => variantsOf(...statuses) };
  expect(await createServedFiles({ ...look, assets: async () => asset as never, posts })({ blob: BLOB })).toBe(served);
});

test('a removed upload is served no longer, before its bytes are deleted', async () => {
  const assets = async () => ({ ...asset, state: 'removed' }) as never;
  expect(await createServedFiles({ ...look, assets, posts: { read: async () => null } })({ blob: BLOB })).toBe(false);
});

test('while the store is away a Network can fetch, but not what was taken back before', async () => {
  let now = 0;
  let isAway = false;
  const posts = {
    read: async (_: string, postId: string) => {
      if (isAway) throw new PortError('unavailable', 'the store is away');
      return variantsOf(postId === 'p' ? 'cancelled' : 'scheduled');
    },
  };
  const isServed = createServedFiles({
    ...{ ...look, clock: { monotonic: () => now }, posts },
    assets: async (_, assetId) => ({ ...asset, id: assetId, postId: assetId === 'a' ? 'p' : 'q' }) as never,
  });
  expect(await isServed({ blob: BLOB })).toBe(false);
  [isAway, now] = [true, A_WHILE];
  expect([await isServed({ blob: BLOB }), await isServed({ blob: 'assets/b/original/1' })]).toEqual([false, true]);
});
