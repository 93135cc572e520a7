import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createHarness, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  begin,
  get,
  live,
  metadata,
  put,
  setApp,
  signInYoutube,
  start,
  uploaded,
  uploads,
  videoOf,
  youtube,
  youtubeAuthUrl,
} from './youtube.fixture.ts';

const optionsOf = async (harness: SandboxHarness) => (await live(harness)).map(({ options }) => options);

describe('an app that google has not audited', () => {
  test('has its uploads locked to private: the answer, the list and the item say so', async () => {
    const { harness, who } = await youtube();
    await setApp(harness, { state: 'unaudited' });
    const { bytes } = MEDIA_FIXTURES.film;
    const { status, body } = await put(harness, await begin(harness, who), bytes);
    expect([status, body.status.privacyStatus]).toEqual([201, 'private']);
    expect((await videoOf(harness, who, body.id)).status).toMatchObject({
      uploadStatus: 'uploaded',
      privacyStatus: 'private',
    });
    await harness.clock.advance(100);
    expect((await uploads(harness, who, { part: 'status' })).body.items[0].status).toEqual({
      privacyStatus: 'private',
    });
    expect(await optionsOf(harness)).toEqual([expect.objectContaining({ privacy: 'private' })]);
  });

  test('stays unaudited over a restart; once it is audited, later videos are public and earlier ones stay', async () => {
    const kept = { store: createMemoryStore(), bytes: createMemoryBytes() };
    const before = createHarness(kept);
    const who = await signInYoutube(before);
    await setApp(before, { state: 'unaudited' });
    const after = createHarness(kept);
    const locked = await uploaded(after, who);
    await setApp(after, { state: 'audited' });
    const open = await uploaded(after, who, 'reel');
    const privacyOf = async (id: string) => (await videoOf(after, who, id)).status.privacyStatus;
    expect([await privacyOf(locked), await privacyOf(open)]).toEqual(['private', 'public']);
  });
});

test('a sign-in that asks for a scope that the app lacks is blocked on a page of google', async () => {
  const harness = createHarness();
  const lacking = 'https://www.googleapis.com/auth/yt-analytics.readonly';
  await setApp(harness, { state: 'missing_scopes', scopes: [lacking] });
  const { status, text, headers } = await harness.ask('GET', youtubeAuthUrl());
  expect([status, headers['location']]).toEqual([400, undefined]);
  expect(text).toContain('Error 400: invalid_scope');
  expect(text).toContain(lacking);
});

test('revoking one token ends every consent of the person', async () => {
  const { harness, who } = await youtube();
  const again = await signInYoutube(harness, { account: who.accountId });
  const isLive = async ({ token }: SignedIn) =>
    (await get(harness, { token }, 'channels', { part: 'id', mine: 'true' })).status === 200;
  expect([await isLive(who), await isLive(again)]).toEqual([true, true]);
  await harness.ask('POST', '/sim/youtube/revoke', { form: { token: who.token } });
  expect([await isLive(who), await isLive(again)]).toEqual([false, false]);
});

describe('the metadata of an upload', () => {
  test('is on the item in our names, and only what was sent', async () => {
    const { harness, who } = await youtube();
    const said = metadata(
      { tags: ['one', 'two words'], categoryId: '27' },
      { privacyStatus: 'unlisted', selfDeclaredMadeForKids: true, containsSyntheticMedia: true },
    );
    const { bytes } = MEDIA_FIXTURES.film;
    const query = 'uploadType=resumable&part=snippet,status&notifySubscribers=false';
    const { headers } = await start(harness, who, bytes.length, { body: said, query });
    const { body } = await put(harness, headers['location']!, bytes);
    expect(body.status).toMatchObject({ privacyStatus: 'unlisted', madeForKids: true, containsSyntheticMedia: true });
    await uploaded(harness, who, 'reel', { snippet: { title: 'Bare' } });
    expect(await optionsOf(harness)).toEqual([
      {
        ...{ title: 'A film', tags: ['one', 'two words'], categoryId: '27', privacy: 'unlisted' },
        ...{ madeForKids: true, syntheticMedia: true, notifySubscribers: false },
      },
      { title: 'Bare', notifySubscribers: true },
    ]);
  });

  test('counts only in the parts that the query names', async () => {
    const { harness, who } = await youtube();
    const { bytes } = MEDIA_FIXTURES.film;
    const { headers } = await start(harness, who, bytes.length, {
      body: metadata({}, { privacyStatus: 'private' }),
      query: 'uploadType=resumable&part=snippet',
    });
    expect((await put(harness, headers['location']!, bytes)).body.status.privacyStatus).toBe('public');
  });

  test.each([
    ['snippet', { ...metadata(), snippets: {} }, 'snippets', 'resource'],
    ['title', metadata({ headline: 'A' }), 'headline', 'resource.snippet'],
    ['privacy', metadata({}, { privacy: 'public' }), 'privacy', 'resource.status'],
  ])('with a misnamed %s is refused, naming the field', async (_what, body, name, at) => {
    const { harness, who } = await youtube();
    const message = `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`;
    expect(await start(harness, who, 1_000, { body })).toMatchObject({
      status: 400,
      body: { error: { code: 400, message, status: 'INVALID_ARGUMENT', errors: [{ message, reason: 'badRequest' }] } },
    });
  });
});

describe('a thumbnail', () => {
  const set = (harness: SandboxHarness, who: SignedIn, id: string, raw: Uint8Array, type = 'image/jpeg', more = '') =>
    harness.ask('POST', `/sim/youtube/upload/youtube/v3/thumbnails/set?uploadType=media&videoId=${id}${more}`, {
      ...{ token: who.token, raw },
      headers: { 'Content-Type': type },
    });

  test('is the cover of the item, and its answer has addresses of the picture', async () => {
    const { harness, who } = await youtube();
    const id = await uploaded(harness, who);
    const { bytes, sha256 } = MEDIA_FIXTURES.photo;
    const { status, body } = await set(harness, who, id, bytes);
    expect([status, body.kind]).toEqual([200, 'youtube#thumbnailSetResponse']);
    expect((await optionsOf(harness))[0].cover).toEqual({ sha256 });
    expect((await harness.ask('GET', body.items[0].default.url)).status).toBe(200);
  });

  test.each([
    ['of no video', 'nowhere0000', MEDIA_FIXTURES.photo.bytes, 'image/jpeg', 404, 'videoNotFound'],
    ['without a picture', '', new Uint8Array(), 'image/jpeg', 400, 'mediaBodyRequired'],
    ['of a type that is none', '', MEDIA_FIXTURES.photo.bytes, 'text/plain', 400, 'mediaBodyRequired'],
    ['that is a film', '', MEDIA_FIXTURES.film.bytes, 'image/jpeg', 400, 'invalidImage'],
    ['over 2 MB', '', new Uint8Array(2 * 1_048_576 + 1), 'image/png', 413, 'uploadTooLarge'],
  ])('%s is refused', async (_what, id, bytes, type, status, reason) => {
    const { harness, who } = await youtube();
    const own = await uploaded(harness, who);
    expect(await set(harness, who, id || own, bytes, type)).toMatchObject({
      status,
      body: { error: { errors: [{ reason }] } },
    });
    expect((await optionsOf(harness))[0].cover).toBeUndefined();
  });

  test('of another channel is not found', async () => {
    const { harness, who } = await youtube();
    const other = await signInYoutube(harness);
    expect((await set(harness, other, await uploaded(harness, who), MEDIA_FIXTURES.photo.bytes)).status).toBe(404);
  });
});

test('the categories of a region say which of them take videos', async () => {
  const { harness, who } = await youtube();
  const { body } = await get(harness, who, 'videoCategories', { part: 'snippet', regionCode: 'US' });
  const titled = (title: string) => body.items.find((item: any) => item.snippet.title === title);
  expect(titled('People & Blogs')).toMatchObject({
    kind: 'youtube#videoCategory',
    id: '22',
    snippet: { assignable: true },
  });
  expect(titled('Movies').snippet.assignable).toBe(false);
  expect((await get(harness, who, 'videoCategories', { part: 'snippet' })).status).toBe(400);
});
