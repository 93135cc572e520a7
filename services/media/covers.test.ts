import { beforeEach, describe, expect, it, test } from 'vitest';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { ImageRules } from '#domain/media/image-target.ts';
import type { Network } from '#domain/network.ts';
import type { Cover } from '#domain/post/channel-options.ts';
import type { Post } from '#domain/post/post.ts';
import type { MediaFailed, MediaPrepared } from '#domain/workspace/commands.ts';
import { createStoredRenditions } from '#media/stored-renditions.ts';
import { STORY_IMAGE } from '#networks/contract/targets.ts';
import { createRenditionRows } from '#tables/repositories/renditions.ts';
import { coverOrderOf } from './cover-order.ts';
import type { RenditionInput } from './make-rendition.ts';
import { FILM, JPEG, MediaCrash, MediaHarness, SIZE } from './media-harness.fixture.ts';

let harness: MediaHarness;
let page: string;
let tube: string;
let plain: string;
const open = () => {
  harness = new MediaHarness();
  [page, tube, plain] = (['facebook', 'youtube', 'facebook'] as const).map((network) =>
    harness.scenario.channel(network),
  ) as [string, string, string];
};
beforeEach(open);

const addressed = (): Cover => ({
  url: 'https://pictures.test/cover.png',
  inspected: { assetId: harness.scenario.uuid(), contentType: 'image/png', bytes: null, problem: null },
});
const prepared = async () =>
  (await harness.told())
    .filter((message): message is MediaPrepared => message.type === 'MediaPrepared')
    .flatMap(({ variants }) => variants)
    .toSorted();
const failures = async () =>
  (await harness.told())
    .filter((message): message is MediaFailed => message.type === 'MediaFailed')
    .map(({ variants, detail }) => [variants, detail]);
/** What was made of videos and pictures, by the kinds of the targets. */
const made = () => harness.converted.flatMap((path) => /-(image|video|still)1-/.exec(path)?.[1] ?? []).toSorted();

function filesFor({ id: postId, variants, media }: Post, number: number, hasCover = true) {
  const { id: variantId, network, placement } = variants[number - 1]!;
  const rows = createRenditionRows(harness.store, () => 'a token');
  const { blobs } = harness;
  const source = createStoredRenditions({ rows, blobs, mediaUrl: ({ blob }) => `https://media.test/${blob}` });
  const altTexts = media.map(() => '');
  return source.filesOf({
    workspaceId: harness.scenario.id,
    postId,
    variantId,
    network,
    placement,
    altTexts,
    hasCover,
  });
}

async function coverFor(post: Post, number: number) {
  const files = await filesFor(post, number);
  if (files.kind !== 'ready' || files.cover === undefined) throw new Error(`variant ${number} has no cover`);
  expect(Buffer.from(await files.cover.read(0, files.cover.bytes)).equals(JPEG)).toBe(true);
  return files.cover;
}

describe('making covers ready', () => {
  it('a Variant is reported once its cover is ready too, of a picture or of the video at an instant', async () => {
    const post = await harness.film([page, tube, plain], { [page]: addressed(), [tube]: { atSeconds: 2.5 } });
    await harness.prepare(post);
    expect([await prepared(), await failures()]).toEqual([[1, 2, 3], []]);
    for (const number of [1, 2])
      expect(await coverFor(post, number)).toMatchObject({ kind: 'image', contentType: 'image/jpeg', altText: '' });
    expect(await filesFor(post, 3, false)).toMatchObject({ kind: 'ready', files: [{}] });
    expect(await filesFor(post, 3, false)).not.toHaveProperty('cover');
    expect([harness.fetched.length, made()]).toEqual([1, ['image', 'still', 'video']]);
    expect(harness.converted.some((path) => path.includes('-still1-at2500ms-'))).toBe(true);
    expect(harness.leftovers()).toEqual([]);
  });

  it('Channels that name one cover share what is made of it', async () => {
    const cover = { assetId: await harness.upload() };
    const post = await harness.film([page, plain], { [page]: cover, [plain]: cover });
    await harness.prepare(post);
    await harness.prepare(post);
    expect([new Set(await prepared()), made()]).toEqual([new Set([1, 2]), ['image', 'video']]);
  });

  it('a row without the cover that was to be made is not taken for one', async () => {
    const post = await harness.film([page], {});
    await harness.prepare(post);
    expect(await filesFor(post, 1)).toMatchObject({ kind: 'pending' });
  });
});

describe('a cover that can not be made fails its Variants alone, in words', () => {
  it('of a damaged picture', async () => {
    harness.convert = async ({ target }) =>
      target.kind === 'image'
        ? { kind: 'refused', words: 'The picture is damaged.' }
        : { ...FACTS, kind: 'converted', reused: true };
    const post = await harness.film([page, plain], { [page]: { assetId: await harness.upload() } });
    await harness.prepare(post);
    expect([await prepared(), await failures()]).toEqual([[2], [[[1], 'The cover: The picture is damaged.']]]);
  });

  it('of an address that has something else by now', async () => {
    harness.answer = { kind: 'changed', detail: 'The address answered 404.' };
    const post = await harness.film([page, plain], { [page]: addressed() });
    await harness.prepare(post);
    expect([await prepared(), await failures()]).toEqual([[2], [[[1], 'The cover: The address answered 404.']]]);
    expect(await harness.timers()).toEqual([]);
  });

  it('of an address that is silent: it is asked again, and the other Variants do not wait for it', async () => {
    harness.answer = { kind: 'unreachable', detail: 'The address does not answer.' };
    const post = await harness.film([page, plain], { [page]: addressed() });
    await harness.prepare(post);
    expect([await prepared(), await failures(), await harness.timers()]).toEqual([[2], [], [5_000]]);
    await harness.prepare(post, 4);
    expect(await failures()).toEqual([[[1], 'The cover: The address does not answer.']]);
  });

  it('of an address whose bytes are a video', async () => {
    harness.probed = FILM;
    const post = await harness.film([page, plain], { [page]: addressed() });
    await harness.prepare(post);
    expect([await prepared(), await failures()]).toEqual([[2], [[[1], expect.stringContaining('no picture')]]]);
  });
});

const FACTS: FileFacts = { ...FILM, bytes: 5, sha256: 'a' };

describe('what is to be made of a cover', () => {
  const film: RenditionInput = { assetId: 'film', file: { ...FACTS, blob: 'b' } };
  const picture: RenditionInput = { assetId: 'picture', file: { ...SIZE, bytes: 5, sha256: 'a', blob: 'c' } };
  const order = (network: Network, cover: Cover, rules: ImageRules | null = STORY_IMAGE) =>
    coverOrderOf(
      { channelOptions: { c: { cover } } },
      { ...({ network, placement: 'feed', channelId: 'c' } as Post['variants'][number]) },
      { rules, sources: [film], pictures: new Map([['picture', picture]]) },
    );

  test.each<[Network, Cover, object]>([
    ['instagram', { assetId: 'picture' }, { kind: 'make', source: picture, target: { kind: 'image' } }],
    ['instagram', { atSeconds: 10 }, { kind: 'nothing' }],
    ['instagram', { atSeconds: 10.001 }, { kind: 'problem', words: /ends before second 10.001/ }],
    ['tiktok', { atSeconds: 1 }, { kind: 'nothing' }],
    ['tiktok', { atSeconds: 11 }, { kind: 'problem', words: /ends before second 11/ }],
    ['facebook', { atSeconds: 1.2345 }, { kind: 'make', source: film, target: { kind: 'still', atMs: 1_235 } }],
    ['youtube', { atSeconds: 11 }, { kind: 'problem', words: /ends before second 11/ }],
  ])('for %s: %o', (network, cover, expected) => {
    const { words, ...rest } = expected as { readonly words?: RegExp };
    expect(order(network, cover)).toMatchObject(words ? { ...rest, words: expect.stringMatching(words) } : rest);
  });
});

describe('cut off', () => {
  it.each(['before', 'after'] as const)(
    '%s any call and begun anew: the same covers, and no bytes that count are gone',
    { timeout: 300_000 },
    async (when) => {
      let crashes = 0;
      for (let at = 0; at < 75; at++) {
        open();
        const post = await harness.film([page, tube], { [page]: addressed(), [tube]: { atSeconds: 1 } });
        harness.crash = { at, when };
        const crashed = await harness.prepare(post).then(
          () => false,
          (error: unknown) => error instanceof MediaCrash || Promise.reject(error),
        );
        harness.crash = null;
        if (crashed) crashes += 1;
        await harness.prepare(post);
        expect(new Set(await prepared())).toEqual(new Set([1, 2]));
        expect(await failures()).toEqual([]);
        for (const number of [1, 2]) await coverFor(post, number);
        expect(harness.leftovers()).toEqual([]);
      }
      expect(crashes).toBeGreaterThan(25);
    },
  );
});
