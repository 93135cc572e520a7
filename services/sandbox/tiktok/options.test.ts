import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  announced,
  call,
  fileUrl,
  list,
  live,
  photoInit,
  PROCESSED_MS,
  published,
  signInTiktok,
  tiktok,
  tiktokAuthorizeUrl,
  tiktokHarness,
  videoInit,
} from './tiktok.fixture.ts';
import type { SandboxHarness } from '../sandbox.fixture.ts';

async function setApp(harness: SandboxHarness, to: object): Promise<void> {
  const { status, text } = await harness.ask('POST', '/sandbox/apps', { json: { network: 'tiktok', ...to } });
  if (status !== 200) throw new Error(text);
}

const codeOf = ({ status, body }: { readonly status: number; readonly body: any }) => [status, body.error.code];

describe('an app that tiktok has not audited', () => {
  test('is offered SELF_ONLY alone, and posts nothing else', async () => {
    const { harness, who } = await tiktok();
    await setApp(harness, { state: 'unaudited' });
    expect((await call(harness, who, 'creator_info/query')).body.data.privacy_level_options).toEqual(['SELF_ONLY']);
    const refused = [403, 'unaudited_client_can_only_post_to_private_accounts'];
    for (const privacy of ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS']) {
      const video = videoInit(announced(1_000), { privacy_level: privacy });
      expect(codeOf(await call(harness, who, 'video/init', video))).toEqual(refused);
      const photos = photoInit([fileUrl('photo')], { privacy_level: privacy });
      expect(codeOf(await call(harness, who, 'content/init', photos))).toEqual(refused);
    }
    await published(harness, who, 'reel', { privacy_level: 'SELF_ONLY' });
    expect((await live(harness)).map(({ options }) => options.privacy)).toEqual(['only_me']);
  });

  test('stays unaudited over a restart, until it is audited', async () => {
    const store = createMemoryStore();
    const before = tiktokHarness({}, { store });
    const who = await signInTiktok(before);
    await setApp(before, { state: 'unaudited' });
    const after = tiktokHarness({}, { store });
    const init = () => call(after, who, 'video/init', videoInit(announced(1_000)));
    expect((await init()).status).toBe(403);
    await setApp(after, { state: 'audited' });
    expect((await init()).status).toBe(200);
  });
});

test('a sign-in that asks for a scope that the app lacks fails whole, on a page of tiktok', async () => {
  const harness = tiktokHarness();
  await setApp(harness, { state: 'missing_scopes', scopes: ['user.info.profile', 'video.list'] });
  const refused = await harness.ask('GET', tiktokAuthorizeUrl());
  expect([refused.status, refused.headers['location']]).toEqual([400, undefined]);
  expect(refused.text).toContain('try again: scope (invalid_scope)');
  const who = await signInTiktok(harness, { scope: 'user.info.basic,video.publish' });
  expect((await call(harness, who, 'creator_info/query')).status).toBe(200);
});

describe('fields of a profile', () => {
  test.each([
    ['username', 'user.info.profile'],
    ['bio_description', 'user.info.profile'],
    ['follower_count', 'user.info.stats'],
  ])('%s needs %s, and refuses the whole call without it', async (field, scope) => {
    const harness = tiktokHarness();
    const read = async (scopes: string) => {
      const who = await signInTiktok(harness, { scope: scopes });
      return harness.ask('GET', `/sim/tiktok/v2/user/info/?fields=open_id,${field}`, { token: who.token });
    };
    expect(codeOf(await read('user.info.basic'))).toEqual([401, 'scope_not_authorized']);
    expect(Object.keys((await read(`user.info.basic,${scope}`)).body.data.user)).toEqual(['open_id', field]);
  });
});

describe('what the request says of a post', () => {
  test('is on the item of a video in our names, with the instant of its cover', async () => {
    const { harness, who } = await tiktok();
    await published(harness, who, 'reel', {
      ...{ privacy_level: 'MUTUAL_FOLLOW_FRIENDS', disable_comment: true, disable_duet: false, disable_stitch: true },
      ...{ brand_content_toggle: true, brand_organic_toggle: false, is_aigc: true, video_cover_timestamp_ms: 2_500 },
    });
    expect((await live(harness))[0].options).toEqual({
      privacy: 'friends',
      allowComments: false,
      allowDuet: true,
      allowStitch: false,
      brandedContent: true,
      ownBrand: false,
      aiGenerated: true,
      cover: { atSeconds: 2.5 },
    });
  });

  test('is on the item of photos, which have a title and music', async () => {
    const { harness, who } = await tiktok();
    await call(harness, who, 'content/init', photoInit([fileUrl('photo')], { brand_organic_toggle: true }));
    expect((await live(harness))[0]).toMatchObject({
      title: 'Short',
      options: { privacy: 'public', allowComments: true, ownBrand: true, autoMusic: true, title: 'Short' },
    });
    await call(harness, who, 'content/init', {
      ...photoInit([fileUrl('photo')]),
      post_info: { privacy_level: 'PUBLIC_TO_EVERYONE' },
    });
    expect((await live(harness))[1].options).toEqual({ privacy: 'public' });
  });

  test('can not be branded content for the creator alone', async () => {
    const { harness, who } = await tiktok();
    const info = { privacy_level: 'SELF_ONLY', brand_content_toggle: true };
    for (const [path, body] of [
      ['video/init', videoInit(announced(1_000), info)],
      ['content/init', photoInit([fileUrl('photo')], info)],
    ] as const) {
      const answer = await call(harness, who, path, body);
      expect([...codeOf(answer), answer.body.error.message]).toEqual([
        400,
        'invalid_params',
        'Branded content visibility cannot be set to private.',
      ]);
    }
    expect(
      (await call(harness, who, 'video/init', videoInit(announced(1_000), { ...info, brand_content_toggle: false })))
        .status,
    ).toBe(200);
    expect(await live(harness)).toEqual([]);
  });
});

test('the list of videos has public ones alone', async () => {
  const { harness, who } = await tiktok();
  await published(harness, who, 'reel', { title: 'Mine', privacy_level: 'SELF_ONLY' });
  await published(harness, who, 'reel', { title: 'For all' });
  await harness.clock.advance(PROCESSED_MS);
  const { videos } = (await list(harness, who)).body.data;
  expect(videos.map(({ title }: { readonly title: string }) => title)).toEqual(['For all']);
});
