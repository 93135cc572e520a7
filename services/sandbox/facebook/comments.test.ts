import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { BASE, setFault, type SandboxHarness } from '../sandbox.fixture.ts';
import {
  API,
  draft,
  facebookHarness,
  finish,
  finishUpload,
  live,
  partsOf,
  post,
  PROCESSED_MS,
  publish,
  read,
  SCOPES,
  sent,
  signInPage,
  uploaded,
  type OwnPage,
} from './facebook.fixture.ts';

const ENGAGING = `${SCOPES},pages_manage_engagement`;

async function engagedPage(
  extra: Readonly<Record<string, string>> = {},
): Promise<{ readonly harness: SandboxHarness; readonly page: OwnPage }> {
  const harness = facebookHarness();
  return { harness, page: await signInPage(harness, { scope: ENGAGING, ...extra }) };
}

async function livePost(harness: SandboxHarness, page: OwnPage): Promise<string> {
  const id = await draft(harness, page, 'Bread');
  await publish(harness, page, id);
  return id;
}

const comment = (harness: SandboxHarness, { token }: OwnPage, id: string, message: string) =>
  harness.ask('POST', `${API}/${id}/comments`, { token, form: { message } });

const readComments = async (harness: SandboxHarness, page: OwnPage, id: string, query = {}) =>
  (await read(harness, page, `${id}/comments`, 'id,message,created_time,permalink_url,from{id}', query)).body.data;

describe('comments', () => {
  test('a comment is on the post, is listed a little later and read by its id', async () => {
    const { harness, page } = await engagedPage();
    const postId = await livePost(harness, page);
    const { status, body } = await comment(harness, page, postId, 'Order here');
    expect([status, body]).toEqual([200, { id: expect.stringMatching(/^\d{19}_\d{19}$/) }]);
    expect(await readComments(harness, page, postId)).toEqual([]);
    await harness.clock.advance(PROCESSED_MS);
    const shown = {
      id: body.id,
      message: 'Order here',
      created_time: '2026-11-20T12:00:00+0000',
      permalink_url: expect.stringMatching(/\/posts\/\d+\?comment_id=\d+$/),
      from: { id: page.pageId },
    };
    expect(await readComments(harness, page, postId)).toEqual([shown]);
    const fields = 'id,message,created_time,permalink_url,from{id}';
    expect((await read(harness, page, body.id, fields)).body).toEqual(shown);
    const [item] = await live(harness);
    expect(item.comments).toEqual([
      {
        remoteId: body.id,
        text: 'Order here',
        publishedAt: '2026-11-20T12:00:00.000Z',
        permalink: expect.stringContaining('?comment_id='),
      },
    ]);
    expect((await harness.ask('GET', item.comments[0].permalink.replace(BASE, ''))).status).toBe(200);
    expect((await harness.ask('GET', '/sandbox/calls?network=facebook')).body.calls).toContainEqual(
      expect.objectContaining({ call: 'comments.create', status: 200 }),
    );
  });

  test('a reel and a feed video have comments, by the id of the video and of its post', async () => {
    const { harness, page } = await engagedPage();
    const film = await uploaded(harness, page);
    await finish(harness, page, film);
    const reel = await sent(harness, page, 'video_reels');
    await finishUpload(harness, page, 'video_reels', reel);
    expect((await comment(harness, page, reel.video_id, 'Too early')).body.error.error_subcode).toBe(33);
    await harness.clock.advance(PROCESSED_MS);
    const { post_id } = (await read(harness, page, film.video_id, 'post_id')).body;
    for (const id of [film.video_id, post_id, reel.video_id])
      expect((await comment(harness, page, id, `To ${id}`)).status).toBe(200);
    const texts = (await live(harness)).map(({ remoteId, comments }) => [
      remoteId,
      comments.map(({ text }: { text: string }) => text),
    ]);
    expect(texts).toEqual([
      [film.video_id, [`To ${film.video_id}`, `To ${post_id}`]],
      [reel.video_id, [`To ${reel.video_id}`]],
    ]);
  });

  test('they are listed oldest first, or newest first when that is asked, since an instant', async () => {
    const { harness, page } = await engagedPage();
    const postId = await livePost(harness, page);
    for (const message of ['one', 'two']) {
      await comment(harness, page, postId, message);
      await harness.clock.advance(10_000);
    }
    const messages = async (query = {}) =>
      (await readComments(harness, page, postId, query)).map(({ message }: { message: string }) => message);
    expect(await messages()).toEqual(['one', 'two']);
    expect(await messages({ order: 'reverse_chronological' })).toEqual(['two', 'one']);
    expect(await messages({ since: String(Date.UTC(2026, 10, 20, 12) / 1000 + 5) })).toEqual(['two']);
  });

  test('only with the scope for it, and for a person who moderates the Page', async () => {
    const harness = facebookHarness();
    const page = await signInPage(harness);
    const refused = await comment(harness, page, await livePost(harness, page), 'Hello');
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.objectContaining({
        code: 283,
        message: '(#283) Requires pages_manage_engagement permission to manage the object',
      }),
    ]);
    const analyst = await signInPage(harness, { account_kind: 'analyst', scope: ENGAGING });
    expect((await comment(harness, analyst, '1_2', 'Hello')).status).toBe(403);
    expect((await live(harness))[0].comments).toEqual([]);
  });

  test('not empty, not too long, and not on what is missing, foreign, not live or a Story', async () => {
    const { harness, page } = await engagedPage();
    const postId = await livePost(harness, page);
    for (const message of ['', 'x'.repeat(8_001)])
      expect((await comment(harness, page, postId, message)).body.error.code).toBe(100);
    const story = await sent(harness, page, 'video_stories');
    await finishUpload(harness, page, 'video_stories', story);
    await harness.clock.advance(PROCESSED_MS);
    const other = await signInPage(harness, { scope: ENGAGING, account_name: 'Butcher' });
    const foreign = await livePost(harness, other);
    for (const id of ['1', foreign, await draft(harness, page, 'Later'), story.video_id])
      expect((await comment(harness, page, id, 'Hello')).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('a lost answer: the comment is there, and sending it again makes a second one', async () => {
    const { harness, page } = await engagedPage();
    const postId = await livePost(harness, page);
    await setFault(harness, { network: 'facebook', fault: 'drop_after_commit', call: 'comments.create' });
    const form = { message: 'Once' };
    expect(await harness.outcome('POST', `${API}/${postId}/comments`, { token: page.token, form })).toEqual({
      cut: 'after',
    });
    await comment(harness, page, postId, 'Once');
    expect((await live(harness))[0].comments.length).toBe(2);
  });
});

describe('thumbnails', () => {
  const picture = { name: 'source', bytes: MEDIA_FIXTURES.photo.bytes };
  const thumbnail = (harness: SandboxHarness, { token }: OwnPage, id: string, parts: FormData) =>
    harness.ask('POST', `${API}/${id}/thumbnails`, { token, parts });

  test.each(['before', 'after'] as const)('a preferred one %s the finish is the cover of the video', async (when) => {
    const { harness, page } = await engagedPage();
    const film = await uploaded(harness, page);
    if (when === 'after') await finish(harness, page, film);
    const { status, body } = await thumbnail(harness, page, film.video_id, partsOf({ is_preferred: 'true' }, picture));
    expect([status, body]).toEqual([200, { success: true }]);
    if (when === 'before') await finish(harness, page, film);
    expect(await live(harness)).toMatchObject([{ options: { cover: { sha256: MEDIA_FIXTURES.photo.sha256 } } }]);
    expect((await read(harness, page, `${film.video_id}/thumbnails`, 'id,is_preferred,width')).body.data).toEqual([
      { id: expect.any(String), is_preferred: true, width: 1080 },
    ]);
  });

  test('one that is not preferred is no cover', async () => {
    const { harness, page } = await engagedPage();
    const film = await uploaded(harness, page);
    await thumbnail(harness, page, film.video_id, partsOf({}, picture));
    await finish(harness, page, film);
    expect(await live(harness)).toMatchObject([{ options: {} }]);
    expect((await live(harness))[0].options).toEqual({});
  });

  test('a finish can carry one', async () => {
    const { harness, page } = await engagedPage();
    const { upload_session_id } = await uploaded(harness, page);
    const parts = partsOf({ upload_phase: 'finish', upload_session_id }, { ...picture, name: 'thumb' });
    expect((await post(harness, page, 'videos', { parts })).status).toBe(200);
    expect(await live(harness)).toMatchObject([{ options: { cover: { sha256: MEDIA_FIXTURES.photo.sha256 } } }]);
  });

  test('only a picture, and only for a video of the Page that is no Story', async () => {
    const { harness, page } = await engagedPage();
    const film = await uploaded(harness, page);
    const story = await sent(harness, page, 'video_stories');
    const noPicture = partsOf({}, { name: 'source', bytes: MEDIA_FIXTURES.reel.bytes });
    expect((await thumbnail(harness, page, film.video_id, noPicture)).body.error.code).toBe(324);
    expect((await thumbnail(harness, page, film.video_id, partsOf({ is_preferred: 'true' }))).body.error.code).toBe(
      100,
    );
    for (const id of ['1', story.video_id])
      expect((await thumbnail(harness, page, id, partsOf({}, picture))).body.error.error_subcode).toBe(33);
  });
});
