import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { jpegOf } from '../instagram/instagram.fixture.ts';
import { BASE } from '../sandbox.fixture.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import {
  API,
  attached,
  DAY_MS,
  draft,
  facebook,
  facebookHarness,
  fileUrl,
  live,
  mediaOf,
  partsOf,
  photo,
  post,
  PROCESSED_MS,
  publish,
  read,
  signInPage,
  type OwnPage,
} from './facebook.fixture.ts';

const RECONCILING = 'id,message,created_time,permalink_url,attachments{target{id},subattachments{target{id}}}';

describe('the two-phase way', () => {
  test('nothing is live before is_published; then once, however often that is sent', async () => {
    const { harness, page } = await facebook();
    const made = await post(harness, page, 'feed', { json: { message: 'Bread at six', published: false } });
    expect(made.body).toEqual({
      id: expect.stringMatching(new RegExp(`^${page.pageId}_\\d{19}$`)),
      post_supports_client_mutation_id: true,
    });
    const { id } = made.body;
    const truth = async () => (await read(harness, page, id, 'id,is_published,permalink_url,created_time')).body;
    expect([await live(harness), await truth()]).toEqual([[], expect.objectContaining({ is_published: false })]);
    for (let i = 0; i < 3; i++)
      expect(await publish(harness, page, id)).toMatchObject({ status: 200, body: { success: true } });
    const [item, ...others] = await live(harness);
    expect([item, others]).toEqual([
      expect.objectContaining({
        accountId: page.pageId,
        remoteId: id,
        placement: 'feed',
        text: 'Bread at six',
        media: [],
        altTexts: [],
      }),
      [],
    ]);
    expect(await truth()).toEqual({
      id,
      is_published: true,
      permalink_url: item.permalink,
      created_time: '2026-11-20T12:00:00+0000',
    });
    expect((await harness.ask('GET', item.permalink)).text).toContain('Bread at six');
  });

  test('photos keep their order, their bytes and their descriptions; by address or as bytes', async () => {
    const { harness, page } = await facebook();
    const first = await photo(harness, page, 'photo', { alt_text_custom: 'A loaf' });
    const { bytes } = MEDIA_FIXTURES.picture;
    const second = (
      await post(harness, page, 'photos', { parts: partsOf({ published: 'false' }, { name: 'source', bytes }) })
    ).body.id;
    const third = await photo(harness, page, 'square');
    const id = await draft(harness, page, 'Three', third, first, second);
    expect(await live(harness)).toEqual([]);
    await publish(harness, page, id);
    expect(await live(harness)).toMatchObject([
      { text: 'Three', media: mediaOf('square', 'photo', 'picture'), altTexts: [null, 'A loaf', null] },
    ]);
    expect((await read(harness, page, first, 'alt_text_custom,page_story_id')).body).toEqual({
      id: first,
      alt_text_custom: 'A loaf',
      page_story_id: id,
    });
  });

  test.each([
    ['a JSON array', (ids: readonly string[]) => ({ json: { attached_media: attached(...ids), published: false } })],
    [
      'a parameter of JSON',
      (ids: readonly string[]) => ({ form: { attached_media: JSON.stringify(attached(...ids)), published: 'false' } }),
    ],
    [
      'parameters by index',
      (ids: readonly string[]) => ({
        form: {
          ...Object.fromEntries(
            attached(...ids).map((each, index) => [`attached_media[${index}]`, JSON.stringify(each)]),
          ),
          published: 'false',
        },
      }),
    ],
    [
      'parts',
      (ids: readonly string[]) => ({
        parts: partsOf({ attached_media: JSON.stringify(attached(...ids)), published: 'false' }),
      }),
    ],
  ])('attached_media may be %s', async (_, asking) => {
    const { harness, page } = await facebook();
    const ids = [await photo(harness, page, 'photo'), await photo(harness, page, 'square')];
    const { body } = await post(harness, page, 'feed', asking(ids));
    await publish(harness, page, body.id);
    expect(await live(harness)).toMatchObject([{ media: mediaOf('photo', 'square') }]);
  });

  test('a draft whose answer was lost can be made again of the same photos; only one of the two is published', async () => {
    const { harness, page } = await facebook();
    const id = await photo(harness, page);
    const [lost, again] = [await draft(harness, page, 'Once', id), await draft(harness, page, 'Once', id)];
    expect((await publish(harness, page, again)).body).toEqual({ success: true });
    expect((await publish(harness, page, lost)).body.error.code).toBe(1_366_051);
    expect((await post(harness, page, 'feed', { json: { attached_media: attached(id) } })).body.error).toMatchObject({
      code: 1_366_051,
    });
    expect((await live(harness)).length).toBe(1);
  });

  test('a published post stays published', async () => {
    const { harness, page } = await facebook();
    const id = await draft(harness, page, 'a');
    const set = (value: unknown) =>
      harness.ask('POST', `${API}/${id}`, { token: page.token, json: { is_published: value } });
    expect((await set(false)).body).toEqual({ success: true });
    await set('true');
    for (const wrong of [false, 'perhaps', undefined]) expect((await set(wrong)).body.error.code).toBe(100);
    expect((await live(harness)).length).toBe(1);
  });

  test('a draft is deleted with its photos; a live object, or one in a draft, is not', async () => {
    const { harness, page } = await facebook();
    const remove = (id: string) => harness.ask('DELETE', `${API}/${id}`, { token: page.token });
    const inDraft = await photo(harness, page);
    const id = await draft(harness, page, 'a', inDraft);
    expect((await remove(inDraft)).body.error).toMatchObject({
      code: 100,
      error_subcode: 33,
      message: expect.stringContaining('Unsupported delete request'),
    });
    expect((await remove(id)).body).toEqual({ success: true });
    for (const gone of [id, inDraft]) expect((await read(harness, page, gone, 'id')).body.error.error_subcode).toBe(33);
    expect((await publish(harness, page, id)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect((await remove(await photo(harness, page))).body).toEqual({ success: true });
    const published = await draft(harness, page, 'b');
    await publish(harness, page, published);
    for (const kept of [published, '1', page.pageId]) expect((await remove(kept)).status).toBe(400);
    expect((await live(harness)).length).toBe(1);
  });
});

describe('the one-call ways', () => {
  test('a text is live at once, and can be read back in the same call', async () => {
    const { harness, page } = await facebook();
    const { body } = await post(harness, page, 'feed', {
      form: { message: 'Now', link: 'https://example.com/', fields: 'id,permalink_url' },
    });
    expect(body).toEqual({ id: expect.any(String), permalink_url: (await live(harness))[0].permalink });
  });

  test('a photo is a post', async () => {
    const { harness, page } = await facebook();
    for (const [form, text] of [
      [{ message: 'Said' }, 'Said'],
      [{ caption: 'Captioned', published: 'true' }, 'Captioned'],
    ] as const) {
      const { body } = await post(harness, page, 'photos', {
        form: { url: fileUrl('photo'), alt_text_custom: 'A loaf', ...form },
      });
      expect(body).toEqual({
        id: expect.stringMatching(/^\d{19}$/),
        post_id: expect.stringMatching(new RegExp(`^${page.pageId}_`)),
      });
      expect((await live(harness)).at(-1)).toMatchObject({
        remoteId: body.post_id,
        text,
        media: mediaOf('photo'),
        altTexts: ['A loaf'],
      });
    }
  });

  test('the same text twice is two posts', async () => {
    const { harness, page } = await facebook();
    for (let i = 0; i < 2; i++) await post(harness, page, 'feed', { form: { message: 'Again' } });
    expect((await live(harness)).length).toBe(2);
  });
});

describe('the formats of a photo', () => {
  const truncated = MEDIA_FIXTURES.photo.bytes.slice(0, 3);

  test.each([
    ['nothing there', 'nowhere', { code: 324 }],
    ['no image', 'reel', { code: 324 }],
    ['broken', 'broken', { code: 324 }],
    ['of another format', 'webp', { error_subcode: 1_366_046 }],
    ['too large', 'large', { error_subcode: 1_366_046 }],
  ])('%s: %s', async (_, name, error) => {
    const webp = Buffer.concat([Buffer.from('RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0', 'latin1'), Buffer.alloc(10)]);
    const { harness, page } = await facebook({ broken: truncated, webp, large: jpegOf(1080, 1350, 10 * 1_048_576) });
    const { status, body } = await post(harness, page, 'photos', { form: { url: fileUrl(name), published: 'false' } });
    expect([status, body.error]).toEqual([400, expect.objectContaining({ type: 'OAuthException', ...error })]);
    expect((await post(harness, page, 'photos', { form: { url: fileUrl(name) } })).status).toBe(400);
    expect(await live(harness)).toEqual([]);
  });

  test.each([
    [{}, { code: 100 }],
    [{ url: 'photo' }, { code: 100, error_subcode: 2_061_006 }],
    [{ url: 'ftp://media.test/photo' }, { code: 100, error_subcode: 2_061_006 }],
    [{ url: fileUrl('photo'), published: 'no' }, { code: 100 }],
    [{ url: fileUrl('photo'), alt_text_custom: 'a'.repeat(1_001) }, { code: 100 }],
  ])('%j is refused', async (form, error) => {
    const { harness, page } = await facebook();
    expect(
      (await post(harness, page, 'photos', { form: form as Readonly<Record<string, string>> })).body.error,
    ).toMatchObject(error);
  });

  test('an unused photo is gone after a day, one in a draft is not', async () => {
    const { harness, page } = await facebook();
    const [unused, used] = [await photo(harness, page), await photo(harness, page)];
    const id = await draft(harness, page, 'a', used);
    await harness.clock.advance(DAY_MS + 1);
    expect((await read(harness, page, unused, 'id')).body.error.error_subcode).toBe(33);
    expect((await post(harness, page, 'feed', { json: { attached_media: attached(unused) } })).body.error.code).toBe(
      100,
    );
    expect((await post(harness, page, 'photo_stories', { form: { photo_id: unused } })).body.error.code).toBe(100);
    expect((await publish(harness, page, id)).status).toBe(200);
  });
});

test.each([
  [{}, 100],
  [{ message: '' }, 100],
  [{ message: 'a'.repeat(63_207) }, 100],
  [{ message: 'a', published: 'perhaps' }, 100],
  [{ message: 'a', attached_media: 'photo' }, 100],
  [{ message: 'a', attached_media: '{}' }, 100],
  [{ message: 'a', attached_media: '[{"media_fbid":1}]' }, 100],
  [{ message: 'a', attached_media: '[{"media_fbid":"1"}]' }, 100],
  [{ message: 'a', 'attached_media[0]': '{' }, 100],
  [{ link: 'example' }, 100],
  [{ link: 'https://www.facebook.com/page' }, 1_609_008],
  [{ link: 'https://m.FACEBOOK.com/page' }, 1_609_008],
] as readonly (readonly [Readonly<Record<string, string>>, number])[])(
  'a post of %.60j is refused',
  async (form, code) => {
    const { harness, page } = await facebook();
    expect((await post(harness, page, 'feed', { form })).body.error.code).toBe(code);
    expect(await live(harness)).toEqual([]);
  },
);

test('a photo is attached once, and by its own Page', async () => {
  const { harness, page } = await facebook();
  const other = await signInPage(harness);
  const id = await photo(harness, page);
  const attach = async (who: OwnPage, ...ids: readonly string[]) =>
    (await post(harness, who, 'feed', { json: { message: 'a', attached_media: attached(...ids) } })).body.error.code;
  expect([await attach(page, id, id), await attach(other, id), await attach(page, '1')]).toEqual([100, 100, 100]);
  expect((await post(harness, page, 'feed', { json: { message: 'a', attached_media: 'x' } })).body.error.code).toBe(
    100,
  );
  expect(
    (await post(harness, page, 'feed', { json: { message: 'a'.repeat(63_206), attached_media: attached(id) } })).status,
  ).toBe(200);
});

describe('lists', () => {
  test('posts are listed after a while, newest first, by the ids of what is attached; drafts are not', async () => {
    const { harness, page } = await facebook();
    const [one, two, three] = [
      await photo(harness, page),
      await photo(harness, page, 'square'),
      await photo(harness, page, 'wideshot'),
    ];
    const single = (await post(harness, page, 'feed', { json: { attached_media: attached(one) } })).body.id;
    await draft(harness, page, 'Hidden');
    await harness.clock.advance(10_000);
    const album = (
      await post(harness, page, 'feed', { json: { message: 'Two', attached_media: attached(two, three) } })
    ).body.id;
    const list = async (edge: string, query = {}) =>
      (await read(harness, page, `${page.pageId}/${edge}`, RECONCILING, query)).body.data;
    expect((await list('published_posts')).map(({ id }: { readonly id: string }) => id)).toEqual([single]);
    await harness.clock.advance(PROCESSED_MS);
    const [newer, older] = await list('published_posts');
    expect(newer).toEqual({
      ...{
        id: album,
        message: 'Two',
        created_time: '2026-11-20T12:00:10+0000',
        permalink_url: `${BASE}/sim/facebook/${album.replace('_', '/posts/')}`,
      },
      attachments: { data: [{ subattachments: { data: [{ target: { id: two } }, { target: { id: three } }] } }] },
    });
    expect(older).toMatchObject({ id: single, attachments: { data: [{ target: { id: one } }] } });
    const since = String(Math.floor(Date.UTC(2026, 10, 20, 12, 0, 10) / 1000));
    expect((await list('feed', { since })).length).toBe(1);
    expect((await list('feed', { until: String(Number(since) - 1) })).length).toBe(1);
  });

  test('a list has pages', async () => {
    const { harness, page } = await facebook();
    for (let i = 0; i < 5; i++) {
      await post(harness, page, 'feed', { form: { message: String(i) } });
      await harness.clock.advance(PROCESSED_MS);
    }
    const seen: string[] = [];
    for (
      let next: string | undefined = `${BASE}${API}/${page.pageId}/feed?limit=2&access_token=${page.token}`;
      next !== undefined;
    ) {
      const { body }: { readonly body: any } = await harness.ask('GET', next);
      seen.push(...body.data.map(({ message }: { readonly message: string }) => message));
      next = body.paging.next;
    }
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
  });

  test('an address that is too curious is refused', async () => {
    const { harness, page } = await facebook();
    await post(harness, page, 'feed', { form: { message: 'a' } });
    await harness.clock.advance(PROCESSED_MS);
    for (const query of [
      { limit: '0' },
      { limit: 'all' },
      { since: 'yesterday' },
      { after: 'there' },
      { fields: 'id,secrets' },
    ]) {
      expect(
        (await read(harness, page, `${page.pageId}/feed`, '', query as Readonly<Record<string, string>>)).body.error
          .code,
      ).toBe(100);
    }
    expect((await read(harness, page, `${page.pageId}/feed`, 'id{')).body.error.code).toBe(2500);
    expect((await read(harness, page, `${page.pageId}/stories`, '', { status: 'GONE' })).body.error.code).toBe(100);
  });
});

test('without fields, the usual ones are returned', async () => {
  const { harness, page } = await facebook();
  const id = await draft(harness, page, 'Usual');
  expect((await read(harness, page, id, '')).body).toEqual({ id, created_time: expect.any(String), message: 'Usual' });
  expect((await read(harness, page, await photo(harness, page), '')).body).toEqual({
    id: expect.any(String),
    created_time: expect.any(String),
  });
  expect((await read(harness, page, page.pageId, 'secrets')).body.error).toMatchObject({
    code: 100,
    message: '(#100) Tried accessing nonexisting field (secrets) on node type (Page)',
  });
});

test('a photo Story: of an unpublished photo, once, for a day', async () => {
  const { harness, page } = await facebook();
  const id = await photo(harness, page, 'story');
  const story = (photoId: string) => post(harness, page, 'photo_stories', { form: { photo_id: photoId } });
  const { body } = await story(id);
  expect(body).toEqual({ success: true, post_id: expect.stringMatching(/^\d{19}$/) });
  expect((await story(id)).body.error.code).toBe(100);
  const [item] = await live(harness);
  expect(item).toMatchObject({ remoteId: body.post_id, placement: 'story', media: mediaOf('story'), text: '' });
  await harness.clock.advance(PROCESSED_MS);
  const list = async (query = {}) =>
    (await read(harness, page, `${page.pageId}/stories`, 'post_id,status,creation_time,media_type,media_id,url', query))
      .body.data;
  expect(await list()).toEqual([
    {
      post_id: body.post_id,
      status: 'PUBLISHED',
      creation_time: String(Date.UTC(2026, 10, 20, 12) / 1000),
      media_type: 'photo',
      media_id: id,
      url: item.permalink,
    },
  ]);
  expect([await list({ status: 'PUBLISHED' }), await list({ status: 'ARCHIVED' })].map(({ length }) => length)).toEqual(
    [1, 0],
  );
  expect((await harness.ask('GET', item.permalink)).status).toBe(200);
  const posted = await photo(harness, page);
  await publish(harness, page, await draft(harness, page, 'a', posted));
  for (const wrong of [posted, '1', '']) expect((await story(wrong)).body.error.code).toBe(100);
  await harness.clock.advance(DAY_MS);
  expect([await list(), (await harness.ask('GET', item.permalink)).status]).toEqual([[], 404]);
});

test('everything survives a restart', async () => {
  const store = createMemoryStore();
  const harness = facebookHarness({}, { store });
  const page = await signInPage(harness);
  const id = await draft(harness, page, 'Kept', await photo(harness, page));
  const restarted = facebookHarness({}, { store });
  expect((await publish(restarted, page, id)).body).toEqual({ success: true });
  expect(await live(harness)).toMatchObject([{ text: 'Kept', media: mediaOf('photo') }]);
});

test('calls are counted, reported, and limited', async () => {
  const { harness, page } = await facebook();
  await harness.ask('POST', '/sandbox/limits', { json: { network: 'facebook', limits: { callsPerDay: 10 } } });
  const usage = (seen: { readonly headers: Readonly<Record<string, string>> }) =>
    JSON.parse(seen.headers['x-business-use-case-usage']!)[page.pageId][0];
  for (let i = 1; i <= 10; i++)
    expect(usage(await read(harness, page, page.pageId, 'id'))).toMatchObject({
      type: 'pages',
      call_count: i * 10,
      estimated_time_to_regain_access: 0,
    });
  const refused = await post(harness, page, 'feed', { form: { message: 'a' } });
  expect([refused.status, refused.body.error.code, usage(refused)]).toEqual([
    400,
    80_001,
    expect.objectContaining({ call_count: 100, estimated_time_to_regain_access: 60 }),
  ]);
  expect(await live(harness)).toEqual([]);
  await harness.clock.advance(DAY_MS);
  expect((await read(harness, page, page.pageId, 'id')).status).toBe(200);
  expect(
    JSON.parse((await harness.ask('GET', `${API}/me`, { token: page.personToken })).headers['x-app-usage']!),
  ).toMatchObject({ call_count: expect.any(Number) });
});

test.each([
  'GET /sim/facebook/me',
  'GET /sim/facebook/v25.0',
  'PUT /sim/facebook/v25.0/1',
  'POST /sim/facebook/v25.0/1/likes',
  'GET /sim/facebook/v25.0/1/toString',
  'GET /sim/facebook/video-upload/v25.0/1',
])('%s is no address', async (address) => {
  const [method, url] = address.split(' ') as [string, string];
  expect(await facebookHarness().ask(method, url)).toMatchObject({
    status: 400,
    body: { error: { code: 2500, type: 'OAuthException' } },
  });
});

test.each(['1/posts/2', 'reel/1', 'videos/1', 'stories/1', '__proto__/posts/1'])(
  'no object is at /%s',
  async (path) => {
    expect(await facebookHarness().ask('GET', `/sim/facebook/${path}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('Nothing here'),
    });
  },
);

describe('the card of a link', () => {
  const LINK = 'https://bakery.test/menu?day=1';
  const itemOf = async (ask: object) => {
    const { harness, page } = await facebook();
    const { status, body } = await post(harness, page, 'feed', { json: ask });
    if (body.id !== undefined && 'published' in ask) await publish(harness, page, body.id);
    return { status, items: await live(harness), harness, page, body };
  };

  test('a link that is sent makes one, also by the two steps; an address in the message makes none', async () => {
    const card = { link: { url: LINK }, options: { link: true } };
    expect((await itemOf({ message: 'Menu', link: LINK })).items).toMatchObject([card]);
    expect((await itemOf({ message: 'Menu', link: LINK, published: false })).items).toMatchObject([card]);
    expect((await itemOf({ message: `Menu ${LINK}` })).items).toMatchObject([{ link: null, options: {} }]);
  });

  test('the post has it as an attachment', async () => {
    const { harness, page, body } = await itemOf({ message: 'Menu', link: LINK });
    expect((await read(harness, page, body.id, 'attachments{type,url}')).body.attachments.data).toEqual([
      { type: 'share', url: LINK },
    ]);
  });

  test('photos leave no room for it', async () => {
    const { harness, page } = await facebook();
    const media = attached(await photo(harness, page));
    await post(harness, page, 'feed', { json: { message: 'Menu', link: LINK, attached_media: media } });
    expect(await live(harness)).toMatchObject([{ link: null, media: mediaOf('photo') }]);
  });
});
