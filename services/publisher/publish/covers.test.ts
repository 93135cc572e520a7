import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { Network } from '#domain/network.ts';
import type { Cover } from '#domain/post/channel-options.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { RenditionRequest } from '#ports/rendition-source.ts';
import { POSTS } from '#tables/declarations/tables.ts';
import { contentRow } from '#tables/repositories/posts.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import { contentOfVariant, readPublication, variantJobOf } from './variant-attempts.ts';

const POST_ID = '0193e000-0000-7000-8000-000000000000';
const film = renditionOf(Buffer.from('a film'), { kind: 'video', contentType: 'video/mp4', sha256: 'f' });
const picture = renditionOf(Buffer.from('a picture'), { kind: 'image', contentType: 'image/jpeg', sha256: 'p' });
/** As the adapter gets it: reads have a deadline then. */
const handed = { ...picture, read: expect.any(Function) };

/** The cover of a Variant whose Post has this one, as its adapter gets it, and whether its files were to have one. */
async function coverOf(network: Network, cover: Cover | undefined, placement: 'feed' | 'story' = 'feed') {
  const store = createMemoryTableStore({});
  const file = { assetId: 'a', kind: 'video', altText: null, stored: null } as const;
  const post: Post = {
    ...{ id: POST_ID, workspaceId: 'w', text: 'Hello', createdAt: 0, scheduledAt: null, via: null, media: [file] },
    ...{ channelOptions: { c: cover === undefined ? {} : { cover } }, digest: '', variants: [] },
  };
  const { value, ...row } = contentRow(post);
  await store.upsert(POSTS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 }]);
  const job = variantJobOf({
    ...{ type: 'PublishVariant', why: 'due', workspaceId: 'w', variantId: variantIdOf(POST_ID, 1), attempt: 1 },
    ...{ network, placement, channelId: 'c', accountId: '77', dueAt: 0, latestStart: 1, reconcileFirst: false },
  });
  const requests: RenditionRequest[] = [];
  const source = {
    filesOf: async (request: RenditionRequest) => {
      requests.push(request);
      return { kind: 'ready', files: [film], ...(request.hasCover && { cover: picture }) } as const;
    },
  };
  const { contentFor } = await readPublication(job, await contentOfVariant(store, job), {
    source,
    clock: createMemoryClock(),
  });
  const http = { send: () => Promise.reject(new Error('no calls')) };
  return { cover: contentFor(publicationOf({ http })).cover, isAsked: requests[0]!.hasCover };
}

test.each<[Network, Cover, object, boolean]>([
  ['facebook', { assetId: 'p' }, { kind: 'picture', file: handed }, true],
  ['facebook', { atSeconds: 1.5 }, { kind: 'picture', file: handed }, true],
  ['youtube', { atSeconds: 1.5 }, { kind: 'picture', file: handed }, true],
  ['instagram', { assetId: 'p' }, { kind: 'picture', file: handed }, true],
  ['instagram', { atSeconds: 1.5 }, { kind: 'instant', atMs: 1_500 }, false],
  ['tiktok', { atSeconds: 0 }, { kind: 'instant', atMs: 0 }, false],
])('the adapter of %s gets the cover %j as it takes it', async (network, cover, expected, isAsked) => {
  expect(await coverOf(network, cover)).toEqual({ cover: expected, isAsked });
});

test('a Variant without a cover, and a Story of a Post that has one, get none', async () => {
  const none = { cover: null, isAsked: false };
  expect(await coverOf('facebook', undefined)).toEqual(none);
  expect(await coverOf('facebook', { assetId: 'p' }, 'story')).toEqual(none);
  expect(await coverOf('x', { atSeconds: 1 })).toEqual(none);
});
