import { describe, expect, test } from 'vitest';
import { jsonAnswer, type Scripted } from '#testing/scripted-network.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import {
  adapter,
  ARMED_AT,
  GRAPH,
  id,
  jsonOf,
  photo,
  prepareAll,
  refusal,
  success,
  textOf,
  video,
  work,
} from './facebook.fixture.ts';

const handle = JSON.stringify({ kind: 'post', photos: [], post: '77_1', since: ARMED_AT });
const seen = (isPublished: boolean) =>
  jsonAnswer(200, { id: '77_1', is_published: isPublished, permalink_url: 'https://www.facebook.com/77/posts/1' });

describe('preparing', () => {
  test('a text becomes an unpublished post', async () => {
    const { answer, asked } = await prepareAll([], [id('77_1')]);
    expect(answer).toMatchObject({ kind: 'ready', handle: expect.stringContaining('"post":"77_1"') });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${GRAPH}/77/feed`,
      headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
    });
    expect(jsonOf(asked[0])).toEqual({ published: false, message: 'Hello & 見て' });
  });

  describe('the card of a link', () => {
    const text = 'Read https://example.com/a.';
    const bodies = async (script: readonly Scripted[], more: Partial<Publication>, media = noMedia) => {
      const { answer, asked } = await prepareAll(media, script, { text, ...more });
      return { answer, bodies: asked.filter(({ url }) => url.endsWith('/feed')).map(jsonOf) };
    };
    const noMedia: readonly Rendition[] = [];

    test.each<[string, Partial<Publication>]>([
      ['left to the default', {}],
      ['asked for', { options: { link: true } }],
    ])('is that of the first address, %s', async (_name, more) => {
      expect((await bodies([id('77_1')], more)).bodies).toEqual([
        { published: false, message: text, link: 'https://example.com/a' },
      ]);
    });

    test('is left out where the Member wants none', async () => {
      expect((await bodies([id('77_1')], { options: { link: false } })).bodies).toEqual([
        { published: false, message: text },
      ]);
    });

    test('is left out of a post with pictures', async () => {
      const found = await bodies([id('photo-0'), id('77_1')], {}, [photo('a')]);
      expect(found.bodies).toEqual([{ published: false, message: text, attached_media: [{ media_fbid: 'photo-0' }] }]);
    });

    test.each([1609005, 1609008, 2061006])(
      'that Facebook can not make (%d) is no reason not to publish',
      async (code) => {
        const { answer, bodies: sent } = await bodies([refusal(400, 100, code), id('77_1')], {});
        expect(answer).toMatchObject({ kind: 'ready', handle: expect.stringContaining('"post":"77_1"') });
        expect(sent[1]).toEqual({ published: false, message: text });
      },
    );

    test.each<[string, Scripted]>([
      ['spam', refusal(400, 100, 1346003)],
      ['a lost answer', { cut: 'after' }],
    ])('changes nothing of what %s comes to', async (_name, scripted) => {
      expect((await bodies([scripted], {})).answer).toMatchObject({ kind: 'failed' });
    });
  });

  test('ten photos are uploaded by their bytes, one by one, and attached in order', async () => {
    const photos = Array.from({ length: 10 }, (_, index) =>
      photo(`p${index}`, { altText: index === 3 ? 'a cat\r\n"at" home' : '' }),
    );
    const { answer, asked } = await prepareAll(
      photos,
      [...photos.map((_, index) => id(`photo-${index}`)), id('77_1')],
      { text: '' },
    );
    expect(answer.kind).toBe('ready');
    expect(asked.slice(0, 10).every(({ url }) => url === `${GRAPH}/77/photos`)).toBe(true);
    expect(textOf(asked[3])).toContain('name="published"\r\n\r\nfalse\r\n');
    expect(textOf(asked[3])).toContain('name="alt_text_custom"\r\n\r\na cat\r\n"at" home\r\n');
    expect(textOf(asked[3])).toContain(
      'name="source"; filename="photo.jpg"\r\ncontent-type: image/jpeg\r\n\r\njpeg of p3\r\n--photo-p3--',
    );
    expect(textOf(asked[2])).not.toContain('alt_text_custom');
    expect(jsonOf(asked[10])).toEqual({
      published: false,
      attached_media: photos.map((_, index) => ({ media_fbid: `photo-${index}` })),
    });
  });

  test('what is uploaded is not uploaded again', async () => {
    const half = JSON.stringify({ kind: 'post', photos: ['photo-0'], post: null, since: ARMED_AT - 3_600_000 });
    const { answer, asked } = await prepareAll([photo('a'), photo('b')], [id('photo-1'), id('77_1')], {}, half);
    expect(answer.kind).toBe('ready');
    expect(jsonOf(asked[1])).toMatchObject({ attached_media: [{ media_fbid: 'photo-0' }, { media_fbid: 'photo-1' }] });
  });

  test.each([
    [
      'older than Facebook keeps it',
      JSON.stringify({ kind: 'post', photos: ['gone'], post: null, since: ARMED_AT - 21 * 3_600_000 }),
    ],
    ['of another kind', JSON.stringify({ kind: 'photoStory', photo: 'gone', since: ARMED_AT })],
    ['not ours', '77_1'],
    ['cut off', '{"kind":"post"'],
  ])('a handle that is %s is left', async (_name, old) => {
    const { asked } = await prepareAll([photo('a')], [id('photo-0'), id('77_1')], {}, old);
    expect(jsonOf(asked[1])).toMatchObject({ attached_media: [{ media_fbid: 'photo-0' }] });
  });

  test('a post that is made already is ready as it is, however old', async () => {
    const { answer, asked } = await prepareAll([], [], { now: ARMED_AT + 40 * 3_600_000 }, handle);
    expect(answer).toMatchObject({ kind: 'ready', summary: { status: 0 } });
    expect(asked).toHaveLength(0);
  });

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a dead token', refusal(400, 190, 460), { failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
    ['a refusal', refusal(400, 368), { failure: { reason: 'rejected_by_platform', retry: 'never' } }],
    ['an answer without an id', jsonAnswer(200, {}), { failure: { reason: 'platform_problem', retry: 'later' } }],
  ])('%s keeps what was uploaded before', async (_name, scripted, expected) => {
    const { answer } = await prepareAll([photo('a'), photo('b')], [id('photo-0'), scripted]);
    expect(answer).toMatchObject({ kind: 'failed', ...expected });
    expect(answer).not.toHaveProperty('handle');
  });

  test.each([
    ['eleven pictures', Array.from({ length: 11 }, (_, index) => photo(`p${index}`)), 'feed'],
    ['a picture and a video', [photo('a'), video(10)], 'feed'],
    ['two videos', [video(10), video(10)], 'feed'],
    ['a Story of nothing', [], 'story'],
    ['a Story of two', [photo('a'), photo('b')], 'story'],
    ['a Story that is too long', [video(10, { durationMs: 61_000 })], 'story'],
    ['a picture that is too large', [{ ...photo('a'), bytes: 10_000_001 }], 'feed'],
  ] as const)('%s is refused without asking', async (_name, media, placement) => {
    const { answer, asked } = await prepareAll(media, [], { placement });
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
    expect(asked).toHaveLength(0);
  });

  test('calls pause before the Network throttles them', async () => {
    const headers = {
      'x-business-use-case-usage': JSON.stringify({
        77: [{ type: 'pages', call_count: 96, estimated_time_to_regain_access: 0 }],
      }),
    };
    const { answer } = await prepareAll([], [jsonAnswer(200, { id: '77_1' }, headers)]);
    expect(answer.summary.pause).toEqual({ scope: 'account', forMs: 300_000 });
  });
});

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const { publication, asked } = work([], script);
    return { answer: await adapter.publish(publication, handle), asked };
  };

  test('the post is shown, and its permalink looked up', async () => {
    const { answer, asked } = await publish(success(), seen(true));
    expect(answer).toMatchObject({
      kind: 'published',
      remoteId: '77_1',
      permalink: 'https://www.facebook.com/77/posts/1',
    });
    expect(asked[0]).toMatchObject({ method: 'POST', url: `${GRAPH}/77_1`, timeoutMs: 20_000 });
    expect(jsonOf(asked[0])).toEqual({ is_published: true });
  });

  test.each<Scripted>([{ cut: 'after' }, refusal(400, 190), jsonAnswer(200, {})])(
    'a permalink that can not be had changes nothing (%j)',
    async (scripted) => {
      expect((await publish(success(), scripted)).answer).toMatchObject({
        kind: 'published',
        remoteId: '77_1',
        permalink: null,
      });
    },
  );

  test.each<[string, Scripted, object]>([
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['trouble', refusal(500, 2), { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } }],
    ["a proxy's page", { status: 403, headers: {}, body: '<html>' }, { kind: 'unknown' }],
    ['no success', jsonAnswer(200, { success: false }), { kind: 'unknown', ifAbsent: { reason: 'platform_problem' } }],
    ['the previous post again', refusal(400, 506), { kind: 'unknown', ifAbsent: { duplicate: true } }],
    ['a limit', refusal(400, 32), { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later' } }],
    ['a dead token', refusal(400, 190), { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
    [
      'spam',
      refusal(400, 100, 1346003),
      { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
  ])('%s', async (_name, scripted, expected) => {
    const { answer, asked } = await publish(scripted);
    expect(answer).toMatchObject(expected);
    expect(asked).toHaveLength(1);
  });

  test('publishing what was never made is a programming error', async () => {
    await expect(adapter.publish(work([], []).publication, null)).rejects.toThrow();
  });
});

describe('reconciling', () => {
  const reconcile = async (asked: number, ...script: Scripted[]) =>
    adapter.reconcile(work([], script, { now: ARMED_AT + 70_000 }).publication, { handle, armedAt: ARMED_AT, asked });

  test.each<[string, number, readonly Scripted[], object]>([
    [
      'shown',
      0,
      [seen(true)],
      { kind: 'published', remoteId: '77_1', permalink: 'https://www.facebook.com/77/posts/1' },
    ],
    ['not shown, at the first look', 0, [seen(false)], { kind: 'unknown', delayMs: 5_000 }],
    ['not shown, at the second', 1, [seen(false)], { kind: 'absent' }],
    [
      'not to be read, but in the list',
      0,
      [
        refusal(400, 100, 33),
        jsonAnswer(200, { data: [{ id: '77_0' }, { id: '77_1', permalink_url: '/77/posts/1' }] }),
      ],
      { kind: 'published', permalink: 'https://www.facebook.com/77/posts/1' },
    ],
    [
      'not to be read, nor in the list',
      0,
      [refusal(400, 100, 33), jsonAnswer(200, { data: [] })],
      { kind: 'unknown', delayMs: 5_000 },
    ],
    ['behind a dead token', 0, [refusal(400, 190)], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, [refusal(400, 4)], { kind: 'unknown', delayMs: 600_000 }],
    ['behind a lost answer', 2, [{ cut: 'after' }], { kind: 'unknown', delayMs: 20_000 }],
  ])('%s', async (_name, asked, script, expected) => {
    expect(await reconcile(asked, ...script)).toMatchObject(expected);
  });

  test('asking ends some day', async () => {
    const { publication } = work([], [{ cut: 'after' }], { now: ARMED_AT + 900_000 });
    expect(await adapter.reconcile(publication, { handle, armedAt: ARMED_AT, asked: 8 })).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });
});
