import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  API,
  create,
  fileUrl,
  instagram,
  instagramHarness,
  item,
  live,
  mediaOf,
  photo,
  publish,
  read,
  ready,
  signInInstagram,
  statusOf,
} from './instagram.fixture.ts';
import { mediaIdOf, shortcodeOf } from './publish.ts';

const DAY_MS = 24 * 3_600_000;
const MEDIA_FIELDS = 'id,caption,timestamp,permalink,shortcode,media_type,media_product_type,media_url,alt_text';
const reel = { media_type: 'REELS', video_url: fileUrl('reel') };

describe('publishing', () => {
  test('an image: its container becomes FINISHED, then PUBLISHED, and its page opens for anyone', async () => {
    const { harness, who } = await instagram();
    const made = await create(harness, who, { ...photo(), caption: 'Hello #world', alt_text: 'A hill' });
    expect([made.status, made.body]).toEqual([200, { id: expect.stringMatching(/^\d{19}$/) }]);
    expect((await read(harness, who, made.body.id, 'status_code,status')).body).toEqual({
      id: made.body.id,
      status_code: 'IN_PROGRESS',
      status: expect.stringMatching(/^In Progress/),
    });
    await harness.clock.advance(10);
    expect((await read(harness, who, made.body.id, 'status_code,status')).body).toEqual({
      id: made.body.id,
      status_code: 'FINISHED',
      status: expect.stringMatching(/^Finished/),
    });
    expect(await live(harness)).toEqual([]);
    const { body } = await publish(harness, who, made.body.id);
    expect(body).toEqual({ id: expect.stringMatching(/^\d{19}$/) });
    expect(body.id).not.toBe(made.body.id);
    expect(await statusOf(harness, who, made.body.id)).toBe('PUBLISHED');
    const media = (await read(harness, who, body.id, MEDIA_FIELDS)).body;
    expect(media).toEqual({
      ...{
        id: body.id,
        caption: 'Hello #world',
        timestamp: '2026-11-20T12:00:00+0000',
        shortcode: expect.any(String),
        alt_text: 'A hill',
      },
      ...{
        media_type: 'IMAGE',
        media_product_type: 'FEED',
        permalink: `http://sandbox.test/sim/instagram/p/${media.shortcode}/`,
        media_url: expect.stringContaining(MEDIA_FIXTURES.photo.sha256),
      },
    });
    expect(await live(harness)).toEqual([
      expect.objectContaining({
        network: 'instagram',
        accountId: who.accountId,
        remoteId: body.id,
        placement: 'feed',
        text: 'Hello #world',
        media: mediaOf('photo'),
        altTexts: ['A hill'],
        permalink: media.permalink,
      }),
    ]);
    expect((await harness.ask('GET', media.permalink)).text).toContain('Hello #world');
  });

  test('a reel, ready after its processing', async () => {
    const { harness, who } = await instagram();
    const { body } = await create(harness, who, {
      ...reel,
      caption: 'A film',
      share_to_feed: 'true',
      thumb_offset: '4000',
      cover_url: fileUrl('story'),
    });
    await harness.clock.advance(199);
    expect(await statusOf(harness, who, body.id)).toBe('IN_PROGRESS');
    await harness.clock.advance(1);
    const media = (await read(harness, who, (await publish(harness, who, body.id)).body.id, MEDIA_FIELDS)).body;
    expect(media).toMatchObject({
      media_type: 'VIDEO',
      media_product_type: 'REELS',
      permalink: expect.stringMatching(/\/reel\/\w+\/$/),
      caption: 'A film',
    });
    expect(await live(harness)).toEqual([expect.objectContaining({ placement: 'feed', media: mediaOf('reel') })]);
    expect((await harness.ask('GET', media.permalink)).status).toBe(200);
  });

  test('a carousel of images and videos, in the order of its children', async () => {
    const { harness, who } = await instagram();
    const children = [
      await ready(harness, who, { ...item('photo'), alt_text: 'First' }),
      await ready(harness, who, item('film')),
      await ready(harness, who, item('square')),
    ];
    const id = await ready(harness, who, { media_type: 'CAROUSEL', children: children.join(','), caption: 'Three' });
    const media = (await read(harness, who, (await publish(harness, who, id)).body.id, MEDIA_FIELDS)).body;
    expect(media).toMatchObject({ media_type: 'CAROUSEL_ALBUM', media_product_type: 'FEED', caption: 'Three' });
    expect(await live(harness)).toEqual([
      expect.objectContaining({
        text: 'Three',
        media: mediaOf('photo', 'film', 'square'),
        altTexts: ['First', null, null],
      }),
    ]);
  });

  test.each([
    ['image', { image_url: fileUrl('story') }, 'story', 'IMAGE'],
    ['video', { video_url: fileUrl('reel') }, 'reel', 'VIDEO'],
  ] as const)('a Story of an %s: without a caption, and not among the posts', async (_what, source, name, type) => {
    const { harness, who } = await instagram();
    const { body } = await publish(
      harness,
      who,
      await ready(harness, who, { media_type: 'STORIES', caption: 'ignored', ...source }),
    );
    const permalink = `http://sandbox.test/sim/instagram/stories/vera/${body.id}`;
    expect(await live(harness)).toEqual([
      expect.objectContaining({ placement: 'story', text: '', media: mediaOf(name), altTexts: [null], permalink }),
    ]);
    await harness.clock.advance(1_000);
    expect(
      (await read(harness, who, `${who.accountId}/stories`, 'id,permalink,media_type,media_product_type')).body.data,
    ).toEqual([{ id: body.id, permalink, media_type: type, media_product_type: 'STORY' }]);
    expect((await read(harness, who, `${who.accountId}/media`, 'id')).body).toEqual({ data: [] });
    expect((await harness.ask('GET', permalink)).status).toBe(200);
    await harness.clock.advance(DAY_MS);
    expect((await read(harness, who, `${who.accountId}/stories`, 'id')).body).toEqual({ data: [] });
  });

  test('parameters may be sent as a form, in the query or as JSON, children as a list', async () => {
    const { harness, who } = await instagram();
    const path = `${API}/me/media`;
    const call = [
      await harness.ask('POST', path, { token: who.token, json: { is_carousel_item: true, ...photo() } }),
      await harness.ask(
        'POST',
        `${path}?is_carousel_item=true&image_url=${fileUrl('square')}&access_token=${who.token}`,
      ),
      await harness.ask('POST', path, { form: { ...item('wideshot'), access_token: who.token } }),
    ];
    expect(call.map(({ status }) => status)).toEqual([200, 200, 200]);
    await harness.clock.advance(1_000);
    const children = call.map(({ body }) => body.id);
    for (const json of [{ children }, { children: JSON.stringify(children) }]) {
      expect(
        (await harness.ask('POST', path, { token: who.token, json: { media_type: 'CAROUSEL', ...json } })).status,
      ).toBe(200);
    }
  });
});

describe('publishing once', () => {
  test('a container that is not ready is not published: code 9007', async () => {
    const { harness, who } = await instagram();
    const { body } = await create(harness, who, photo());
    const early = await publish(harness, who, body.id);
    expect([early.status, early.body.error]).toEqual([
      400,
      expect.objectContaining({
        message: 'Media ID is not available',
        type: 'OAuthException',
        code: 9007,
        error_subcode: 2207027,
        is_transient: false,
      }),
    ]);
    await harness.clock.advance(1_000);
    expect((await publish(harness, who, body.id)).status).toBe(200);
  });

  test('a published container is not found, and nothing more goes live, however many requests send it at once', async () => {
    const { harness, who } = await instagram();
    const id = await ready(harness, who, photo());
    const all = await Promise.all(Array.from({ length: 5 }, () => publish(harness, who, id)));
    expect(all.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400]);
    expect(all[1]!.body.error).toMatchObject({ code: 24, error_subcode: 2207006 });
    expect((await live(harness)).length).toBe(1);
  });

  test('a container that is missing, of another account, or only an item of a carousel is no builder', async () => {
    const { harness, who } = await instagram();
    const other = await signInInstagram(harness);
    for (const id of [
      '17889455560051444',
      'x',
      await ready(harness, other, photo()),
      await ready(harness, who, item('photo')),
    ]) {
      expect((await publish(harness, who, id)).body.error).toMatchObject({ code: 24, error_subcode: 2207008 });
    }
    expect((await harness.ask('POST', `${API}/me/media_publish`, { token: who.token })).body.error.code).toBe(100);
    expect(await live(harness)).toEqual([]);
  });

  test('a container expires after a day, unless it was published', async () => {
    const { harness, who } = await instagram();
    const [late, done] = [await ready(harness, who, photo()), await ready(harness, who, photo())];
    await publish(harness, who, done);
    await harness.clock.advance(DAY_MS);
    expect([await statusOf(harness, who, late), await statusOf(harness, who, done)]).toEqual(['EXPIRED', 'PUBLISHED']);
    expect((await publish(harness, who, late)).body.error).toMatchObject({ code: -2, error_subcode: 2207020 });
  });

  test('everything is the same after a restart', async () => {
    const kept = { store: createMemoryStore(), bytes: createMemoryBytes() };
    const first = instagramHarness({}, kept);
    const who = await signInInstagram(first);
    const { body } = await create(first, who, photo());
    const done = await ready(first, who, photo('square'));
    await publish(first, who, done);
    const second = instagramHarness({}, kept);
    await second.clock.advance(5_000);
    expect([await statusOf(second, who, body.id), await statusOf(second, who, done)]).toEqual([
      'FINISHED',
      'PUBLISHED',
    ]);
    expect((await publish(second, who, done)).body.error.error_subcode).toBe(2207006);
    expect((await publish(second, who, body.id)).status).toBe(200);
    expect((await read(second, who, `${who.accountId}/content_publishing_limit`, 'quota_usage')).body.data).toEqual([
      { quota_usage: 2 },
    ]);
  });
});

describe('lists and limits', () => {
  test('posts are listed newest first, after a while, in pages', async () => {
    const { harness, who } = await instagram();
    const ids: string[] = [];
    for (const caption of ['a', 'b', 'c'])
      ids.unshift((await publish(harness, who, await ready(harness, who, { ...photo(), caption }))).body.id);
    expect(
      (await read(harness, who, `${who.accountId}/media`, 'id')).body.data.map(({ id }: { id: string }) => id),
    ).toEqual(ids.slice(1));
    await harness.clock.advance(30);
    const first = (
      await harness.ask(
        'GET',
        `${API}/me/media?fields=id,caption,timestamp,permalink,media_type,media_product_type&limit=2`,
        { token: who.token },
      )
    ).body;
    expect(first.data.map(({ caption }: { caption: string }) => caption)).toEqual(['c', 'b']);
    const second = (await harness.ask('GET', first.paging.next, { token: who.token })).body;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    expect(second.paging.next).toBeUndefined();
    for (const wrong of ['limit=0', 'limit=x', 'after=x', 'fields=colour'])
      expect((await harness.ask('GET', `${API}/me/media?${wrong}`, { token: who.token })).body.error.code).toBe(100);
  });

  test('the limit of posts is the reported one, counts Stories, carousels once, and a day', async () => {
    const { harness, who } = await instagram();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'instagram', limits: { postsPerDay: 2 } } });
    const limit = async () =>
      (await read(harness, who, `${who.accountId}/content_publishing_limit`, 'quota_usage,config')).body;
    const [one, two] = [await ready(harness, who, item('photo')), await ready(harness, who, item('square'))];
    const carousel = await ready(harness, who, { media_type: 'CAROUSEL', children: `${one},${two}` });
    const story = await ready(harness, who, { media_type: 'STORIES', image_url: fileUrl('story') });
    const third = await ready(harness, who, photo());
    expect(await limit()).toEqual({ data: [{ quota_usage: 0, config: { quota_total: 2, quota_duration: 86_400 } }] });
    expect([(await publish(harness, who, carousel)).status, (await publish(harness, who, story)).status]).toEqual([
      200, 200,
    ]);
    expect((await publish(harness, who, third)).body.error).toMatchObject({
      code: 9,
      error_subcode: 2207042,
      message: 'Application request limit reached',
    });
    expect((await limit()).data[0].quota_usage).toBe(2);
    expect(await statusOf(harness, who, third)).toBe('FINISHED');
    await harness.clock.advance(DAY_MS);
    expect((await limit()).data[0].quota_usage).toBe(0);
  });

  test('an account can make so many containers a day', async () => {
    const { harness, who } = await instagram();
    await harness.ask('POST', '/sandbox/limits', {
      json: { network: 'instagram', limits: { containersPerPost: 1, postsPerDay: 2 } },
    });
    await ready(harness, who, photo());
    await ready(harness, who, photo());
    expect((await create(harness, who, photo())).body.error).toMatchObject({ code: 9, error_subcode: 2207042 });
    expect((await create(harness, await signInInstagram(harness), photo())).status).toBe(200);
    await harness.clock.advance(DAY_MS);
    expect((await create(harness, who, photo())).status).toBe(200);
  });

  test('an answer states how much of the calls is used', async () => {
    const { harness, who } = await instagram();
    const { headers } = await create(harness, who, photo());
    expect(JSON.parse(headers['x-business-use-case-usage']!)[who.accountId]).toEqual([
      { type: 'instagram', call_count: 2, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 },
    ]);
    expect(JSON.parse(headers['x-app-usage']!)).toMatchObject({ call_count: 2 });
  });
});

describe('missing objects', () => {
  test('a field that does not exist fails the whole read', async () => {
    const { harness, who } = await instagram();
    const container = await ready(harness, who, photo());
    const { body } = await publish(harness, who, container);
    for (const [path, field] of [
      [container, 'error_message'],
      [body.id, 'text'],
      ['me', 'threads_profile_picture_url'],
      [`${who.accountId}/content_publishing_limit`, 'quota'],
    ]) {
      expect((await read(harness, who, path!, `id,${field}`)).body.error).toMatchObject({
        code: 100,
        message: expect.stringContaining(`nonexisting field (${field})`),
      });
    }
  });

  test("another's account, container and media get the answer for missing ones", async () => {
    const { harness, who } = await instagram();
    const other = await signInInstagram(harness);
    const container = await ready(harness, other, photo());
    const media = (await publish(harness, other, container)).body.id;
    for (const path of [other.accountId, `${other.accountId}/media`, container, media, '123', 'abc']) {
      expect((await read(harness, who, path, 'id')).body.error).toMatchObject({
        code: 100,
        error_subcode: 33,
        message: expect.stringContaining('does not exist'),
      });
    }
    expect(
      (await harness.ask('POST', `${API}/${other.accountId}/media`, { token: who.token, form: photo() })).body.error,
    ).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test.each([
    ['GET', `${API}/me/reels`],
    ['DELETE', `${API}/me`],
    ['POST', `${API}/123`],
    ['GET', '/sim/instagram/me'],
    ['POST', '/sim/instagram/ig-api-upload/1/2'],
    ['GET', '/sim/instagram/v25.0'],
  ])('%s %s is no address', async (method, url) => {
    expect((await instagramHarness().ask(method, url)).body.error.code).toBe(2500);
  });

  test.each(['/p/zzz/', '/p/..%2f/', '/reel/1/', '/stories/vera/1'])('there is no page at %s', async (path) => {
    expect(await instagramHarness().ask('GET', `/sim/instagram${path}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('Nothing here'),
    });
  });

  test('a shortcode leads back to its id', () => {
    for (const id of ['2086419418611580927', '1000000000000000001']) expect(mediaIdOf(shortcodeOf(id))).toBe(id);
    expect(mediaIdOf('../etc')).toBe('');
  });
});
