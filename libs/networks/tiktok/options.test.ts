import { describe, expect, test } from 'vitest';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import {
  adapter,
  begun,
  CHUNK,
  creator,
  jsonOf,
  ok,
  pathsOf,
  photo,
  photosHandle,
  prepareAll,
  refusal,
  status,
  video,
  videoHandle,
  work,
} from './tiktok.fixture.ts';

const LEVELS = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'];
const open = (more: object = {}) =>
  creator({
    privacy_level_options: LEVELS,
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    ...more,
  });

const beginVideo = async (options: NetworkOptions, about: Partial<Publication> = {}, more: object = {}) => {
  const { asked } = await prepareAll([video(1_000)], [open(more), begun()], { options, ...about });
  return jsonOf(asked[1]).post_info;
};
const publishPhotos = async (options: NetworkOptions, about: Partial<Publication> = {}, more: object = {}) => {
  const { publication, asked } = work([photo('a')], [ok({ publish_id: 'p1' })], {
    options: { privacy: 'public', ...options },
    ...about,
  });
  await adapter.publish(publication, photosHandle(more));
  return jsonOf(asked[0]).post_info;
};

describe('who may see it', () => {
  test.each([
    ['public', 'PUBLIC_TO_EVERYONE'],
    ['friends', 'MUTUAL_FOLLOW_FRIENDS'],
    ['followers', 'FOLLOWER_OF_CREATOR'],
    ['only_me', 'SELF_ONLY'],
  ] as const)('%s is what was chosen, for a video and for photos', async (privacy, level) => {
    expect(await beginVideo({ privacy })).toMatchObject({ privacy_level: level });
    const { answer } = await prepareAll([photo('a')], [open()], { options: { privacy } });
    expect(answer).toMatchObject({ kind: 'ready', handle: photosHandle({ privacy: level }) });
  });

  test.each([
    ['a video', [video(1_000)]],
    ['photos', [photo('a')]],
  ])('%s without a choice is refused without asking, in words that say where to choose', async (_what, media) => {
    const { answer, asked } = await prepareAll(media, [], { options: {} });
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } });
    expect(answer.summary.detail).toMatch(/channelOptions\.\{id\}\.privacy.*defaults of the Channel/);
    expect(asked).toHaveLength(0);
  });

  test('what the account does not offer is refused, in words that name what it offers', async () => {
    const { answer, asked } = await prepareAll([video(1_000)], [open({ privacy_level_options: LEVELS.slice(1) })], {
      options: { privacy: 'public' },
    });
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } });
    expect(answer.summary.detail).toContain('does not offer the privacy public');
    expect(answer.summary.detail).toContain('it offers: friends, followers, only_me.');
    expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/creator_info/query/']);
  });

  test('the failure of an app without audit names what it may publish', async () => {
    const { answer } = await prepareAll(
      [video(1_000)],
      [open(), refusal(403, 'unaudited_client_can_only_post_to_private_accounts', 'Please review our guidelines')],
    );
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } });
    expect(answer.summary.detail).toMatch(/not audited .* set to private in TikTok .* only_me/);
  });

  const half = videoHandle({ bytes: 3 * CHUNK, chunkBytes: CHUNK, from: CHUNK });
  const file = video(3 * CHUNK);

  test('an upload that was begun for other people is not finished: it gives way to a new one', async () => {
    const { publication, asked } = work(
      [file],
      [status('PROCESSING_UPLOAD', { uploaded_bytes: CHUNK }), open(), begun({ publish_id: 'v2' })],
      { options: { privacy: 'only_me' } },
    );
    expect(await adapter.prepare(publication, half)).toMatchObject({
      kind: 'wait',
      handle: expect.stringMatching(/"v2".*SELF_ONLY/),
    });
    expect(jsonOf(asked[2]).post_info.privacy_level).toBe('SELF_ONLY');
  });

  test('an upload of an earlier release, which knew no choice, is finished as it was begun', async () => {
    const { publication, asked } = work([file], [{ status: 206, headers: {}, body: '' }], { options: {} });
    expect(await adapter.prepare(publication, half)).toMatchObject({ kind: 'wait' });
    expect(asked[0]?.method).toBe('PUT');
  });
});

describe('what others may do', () => {
  const ALL = { allowComments: true, allowDuet: true, allowStitch: true } as const;

  test('is nothing, unless it was chosen', async () => {
    expect(await beginVideo({ privacy: 'public' })).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
    expect(await publishPhotos({})).toMatchObject({ disable_comment: true });
  });

  test('is what was chosen', async () => {
    expect(await beginVideo({ privacy: 'public', ...ALL })).toMatchObject({
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
    });
    expect(await beginVideo({ privacy: 'public', allowDuet: true })).toMatchObject({
      disable_comment: true,
      disable_duet: false,
      disable_stitch: true,
    });
    expect(await publishPhotos({ allowComments: true })).toMatchObject({ disable_comment: false });
  });

  test('is never what the account forbids', async () => {
    const forbidding = { comment_disabled: true, duet_disabled: true, stitch_disabled: true };
    expect(await beginVideo({ privacy: 'public', ...ALL }, {}, forbidding)).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    });
    expect(await publishPhotos(ALL, {}, { isCommentOff: true })).toMatchObject({ disable_comment: true });
  });
});

describe('what a post declares of itself', () => {
  test.each<[NetworkOptions, object]>([
    [{}, { brand_content_toggle: false, brand_organic_toggle: false }],
    [{ brandedContent: true }, { brand_content_toggle: true, brand_organic_toggle: false }],
    [{ ownBrand: true }, { brand_content_toggle: false, brand_organic_toggle: true }],
  ])('%o', async (options, expected) => {
    expect(await beginVideo({ privacy: 'public', ...options })).toMatchObject(expected);
    expect(await publishPhotos(options)).toMatchObject(expected);
  });

  test.each<[string, readonly Rendition[], NetworkOptions, RegExp]>([
    ['pictures that AI made', [photo('a')], { privacy: 'public', aiGenerated: true }, /label for AI/],
    ['a private video of a brand', [video(10)], { privacy: 'only_me', brandedContent: true }, /brandedContent/],
    ['private pictures of a brand', [photo('a')], { privacy: 'only_me', brandedContent: true }, /brandedContent/],
  ])(
    '%s are refused here too, for a file or a default may have changed since',
    async (_what, media, options, words) => {
      const { answer, asked } = await prepareAll(media, [], { options });
      expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } });
      expect(answer.summary.detail).toMatch(words);
      expect(asked).toHaveLength(0);
    },
  );

  test('a video says that AI made it, if so', async () => {
    expect(await beginVideo({ privacy: 'public' })).toMatchObject({ is_aigc: false });
    expect(await beginVideo({ privacy: 'public', aiGenerated: true })).toMatchObject({ is_aigc: true });
  });
});

test('the cover of a video is the instant that was chosen, in whole milliseconds', async () => {
  const cover = { kind: 'instant', atMs: 1_500.4 } as const;
  expect(await beginVideo({ privacy: 'public' }, { cover })).toMatchObject({ video_cover_timestamp_ms: 1_500 });
  expect(await beginVideo({ privacy: 'public' })).not.toHaveProperty('video_cover_timestamp_ms');
});

describe('photos', () => {
  test('have the title that was given, and without one their text stands once, in the description', async () => {
    expect(await publishPhotos({}, { title: 'Mine', text: 'One. Two.' })).toMatchObject({
      title: 'Mine',
      description: 'One. Two.',
    });
    const untitled = await publishPhotos({}, { text: 'One. Two.' });
    expect(untitled).not.toHaveProperty('title');
    expect(untitled).toMatchObject({ description: 'One. Two.' });
  });

  test('get music from TikTok only if that was chosen', async () => {
    expect(await publishPhotos({})).toMatchObject({ auto_add_music: false });
    expect(await publishPhotos({ autoMusic: true })).toMatchObject({ auto_add_music: true });
  });
});

test('without the name of the creator there is no link, rather than a wrong one', async () => {
  const { publication } = work([], [status('PUBLISH_COMPLETE', { publicaly_available_post_id: [73] })]);
  const handle = videoHandle({ creator: '', from: 1_000 });
  expect(await adapter.reconcile(publication, { handle, armedAt: publication.now, asked: 0 })).toMatchObject({
    kind: 'published',
    remoteId: '73',
    permalink: null,
  });
});
