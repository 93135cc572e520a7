import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { BASE, setFault, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import {
  API,
  create,
  fileUrl,
  instagram,
  instagramHarness,
  item,
  live,
  photo,
  PROCESSED_MS,
  publish,
  read,
  ready,
  signInInstagram,
} from './instagram.fixture.ts';

const REEL = { media_type: 'REELS', video_url: fileUrl('reel') };
const STORY = { media_type: 'STORIES', ...photo('story') };
const tags = (...list: readonly object[]) => ({ user_tags: JSON.stringify(list) });
const collaborators = (...names: readonly string[]) => ({ collaborators: JSON.stringify(names) });

async function optionsOf(form: Readonly<Record<string, string>>): Promise<object> {
  const { harness, who } = await instagram();
  await publish(harness, who, await ready(harness, who, form));
  return (await live(harness))[0].options;
}

describe('options', () => {
  test('the item says what it was made with, in our names', async () => {
    expect(await optionsOf(photo())).toEqual({});
    expect(await optionsOf({ ...photo(), ...collaborators('ada', 'grace.h') })).toEqual({
      collaborators: ['ada', 'grace.h'],
    });
    const tag = { username: 'ada', x: 0.5, y: 1 };
    expect(await optionsOf({ ...photo(), ...tags(tag) })).toEqual({ userTags: [tag] });
    expect(await optionsOf({ ...REEL, share_to_feed: 'false' })).toEqual({ shareToFeed: false });
    expect(await optionsOf({ ...REEL, thumb_offset: '1500' })).toEqual({ cover: { atSeconds: 1.5 } });
    expect(await optionsOf({ ...REEL, cover_url: fileUrl('photo'), thumb_offset: '999999' })).toEqual({
      cover: { sha256: MEDIA_FIXTURES.photo.sha256 },
    });
  });

  test('tags of the pictures of a carousel, and of a Story without a place', async () => {
    const { harness, who } = await instagram();
    const tag = { username: 'ada', x: 0, y: 0.2 };
    const children = [
      await ready(harness, who, { ...item('photo'), ...tags(tag) }),
      await ready(harness, who, item('square')),
    ];
    const album = { media_type: 'CAROUSEL', children: children.join(','), ...collaborators('grace') };
    await publish(harness, who, await ready(harness, who, album));
    await publish(harness, who, await ready(harness, who, { ...STORY, ...tags({ username: 'ada' }) }));
    const shown = (await live(harness)).map(({ options }) => options);
    expect(shown[0]).toEqual({ collaborators: ['grace'], userTags: [tag] });
    expect(shown[1]).toMatchObject({ userTags: [{ username: 'ada' }] });
  });

  test('a JSON body may have real lists', async () => {
    const { harness, who } = await instagram();
    const json = { ...photo(), collaborators: ['ada'], user_tags: [{ username: 'grace', x: 0.1, y: 0.1 }] };
    const { body } = await harness.ask('POST', `${API}/${who.accountId}/media`, { token: who.token, json });
    await harness.clock.advance(PROCESSED_MS);
    await publish(harness, who, body.id);
    expect((await live(harness))[0].options).toEqual({
      collaborators: ['ada'],
      userTags: [{ username: 'grace', x: 0.1, y: 0.1 }],
    });
  });

  test.each([
    ['four collaborators', { ...photo(), ...collaborators('a', 'b', 'c', 'd') }, { code: 100 }],
    ['collaborators that are no list', { ...photo(), collaborators: 'ada' }, { code: 100 }],
    ['collaborators of a Story', { ...STORY, ...collaborators('ada') }, { code: 100 }],
    ['collaborators of an item', { ...item('photo'), ...collaborators('ada') }, { code: 100 }],
    ['a name with @', { ...photo(), ...collaborators('@ada') }, { code: 110, error_subcode: 2_207_018 }],
    ['a tag without a place', { ...photo(), ...tags({ username: 'ada' }) }, { code: 100 }],
    ['a tag beside the picture', { ...photo(), ...tags({ username: 'ada', x: 1.1, y: 0 }) }, { code: 100 }],
    ['a tag without a name', { ...photo(), ...tags({ x: 1, y: 0 }) }, { code: 100 }],
    ['a tag of no account', { ...photo(), ...tags({ username: 'a b', x: 1, y: 0 }) }, { code: 110 }],
    [
      'more than twenty tags',
      { ...photo(), ...tags(...Array(21).fill({ username: 'ada', x: 0, y: 0 })) },
      { code: 100 },
    ],
    ['a share_to_feed that is neither', { ...REEL, share_to_feed: 'maybe' }, { code: 100 }],
    ['a cover that is no JPEG', { ...REEL, cover_url: fileUrl('picture') }, { code: 36_001 }],
    ['a cover beyond the end', { ...REEL, thumb_offset: '-1' }, { code: 100 }],
  ])('%s: refused', async (_what, form, error) => {
    const { harness, who } = await instagram();
    const { status, body } = await create(harness, who, form);
    expect([status, body.error]).toEqual([400, expect.objectContaining(error)]);
  });

  test('a personal account can not be named', async () => {
    const { harness, who } = await instagram();
    const { username } = await signInInstagram(harness, { account_kind: 'personal', account_name: 'Hidden' });
    for (const form of [collaborators(username), tags({ username, x: 0, y: 0 })])
      expect((await create(harness, who, { ...photo(), ...form })).body.error).toMatchObject({
        message: 'Invalid user id',
        code: 110,
        error_user_msg: `The following user(s) cannot be accessed: ${username}`,
      });
  });

  test('an upload by bytes takes the same parameters', async () => {
    const { harness, who } = await instagram();
    const { bytes } = MEDIA_FIXTURES.reel;
    const form = { media_type: 'REELS', upload_type: 'resumable', cover_url: fileUrl('photo'), share_to_feed: 'true' };
    const { body } = await create(harness, who, form);
    const headers = { Authorization: `OAuth ${who.token}`, offset: '0', file_size: String(bytes.length) };
    await harness.ask('POST', body.uri, { raw: bytes, headers });
    await harness.clock.advance(PROCESSED_MS);
    await publish(harness, who, body.id);
    expect((await live(harness))[0].options).toEqual({
      shareToFeed: true,
      cover: { sha256: MEDIA_FIXTURES.photo.sha256 },
    });
  });
});

describe('comments', () => {
  const scope = 'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments';
  const world = async () => {
    const harness = instagramHarness();
    const who = await signInInstagram(harness, { scope });
    const { body } = await publish(harness, who, await ready(harness, who, photo()));
    return { harness, who, mediaId: body.id as string };
  };
  const comment = (harness: SandboxHarness, { token }: SignedIn, id: string, message: string) =>
    harness.ask('POST', `${API}/${id}/comments`, { token, form: { message } });

  test('a comment is on the medium, is listed a little later and read by its id', async () => {
    const { harness, who, mediaId } = await world();
    const { status, body } = await comment(harness, who, mediaId, 'Order here');
    expect([status, body]).toEqual([200, { id: expect.stringMatching(/^\d{19}$/) }]);
    const list = async () => (await read(harness, who, `${mediaId}/comments`, 'id,text,timestamp,username')).body.data;
    expect(await list()).toEqual([]);
    await harness.clock.advance(PROCESSED_MS);
    const shown = {
      id: body.id,
      text: 'Order here',
      timestamp: expect.stringMatching(/^2026-11-20T12:00:/),
      username: who.username,
    };
    expect(await list()).toEqual([shown]);
    expect((await read(harness, who, body.id, 'id,text,timestamp,username')).body).toEqual(shown);
    expect((await read(harness, who, body.id, 'from{id},media')).body).toEqual({
      id: body.id,
      from: { id: who.accountId },
      media: { id: mediaId },
    });
    expect((await read(harness, who, body.id, 'permalink')).body.error.code).toBe(100);
    const [only] = await live(harness);
    expect(only.comments).toMatchObject([{ remoteId: body.id, text: 'Order here' }]);
    expect((await harness.ask('GET', only.comments[0].permalink.replace(BASE, ''))).text).toContain('Order here');
  });

  test('only with the scope for comments', async () => {
    const { harness, who } = await instagram();
    const { body } = await publish(harness, who, await ready(harness, who, photo()));
    const refused = await comment(harness, who, body.id, 'Hello');
    expect([refused.status, refused.body.error.code]).toEqual([403, 10]);
    expect((await live(harness))[0].comments).toEqual([]);
  });

  test('not empty, not too long, not on a Story, and not on what is missing or foreign', async () => {
    const { harness, who, mediaId } = await world();
    for (const message of ['', 'x'.repeat(2_201)])
      expect((await comment(harness, who, mediaId, message)).body.error.code).toBe(100);
    const story = await publish(harness, who, await ready(harness, who, STORY));
    const other = await signInInstagram(harness, { scope, account_name: 'Other' });
    for (const [author, id] of [
      [who, story.body.id],
      [who, '12'],
      [other, mediaId],
    ] as const)
      expect((await comment(harness, author, id, 'Hello')).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('a lost answer: the comment is there, and sending it again makes a second one', async () => {
    const { harness, who, mediaId } = await world();
    await setFault(harness, { network: 'instagram', fault: 'drop_after_commit', call: 'comments.create' });
    const form = { message: 'Once' };
    expect(await harness.outcome('POST', `${API}/${mediaId}/comments`, { token: who.token, form })).toEqual({
      cut: 'after',
    });
    await comment(harness, who, mediaId, 'Once');
    expect((await live(harness))[0].comments.length).toBe(2);
  });
});
