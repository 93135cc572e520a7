import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import type { SandboxFile } from '../files/files.ts';
import { setFault, signInThreads, type SandboxHarness } from '../sandbox.fixture.ts';
import { judgeImage, judgeVideo } from './file-rules.ts';
import { create, fileUrl, item, media, processed, PROCESSED_MS, publish, read, threads } from './threads.fixture.ts';

const DAY_MS = 24 * 3_600_000;
const live = async (harness: SandboxHarness): Promise<readonly any[]> =>
  (await harness.ask('GET', '/sandbox/items')).body.items;
const shown = (...names: readonly FixtureName[]) =>
  names.map((name) => ({
    sha256: MEDIA_FIXTURES[name].sha256,
    bytes: MEDIA_FIXTURES[name].bytes.length,
    contentType: MEDIA_FIXTURES[name].contentType,
  }));

describe('media of threads', () => {
  test.each([
    ['photo', 'IMAGE', 20],
    ['picture', 'IMAGE', 20],
    ['reel', 'VIDEO', 200],
  ] as const)(
    '%s is fetched, in progress for its time, and then published as it was served',
    async (name, type, processingMs) => {
      const { harness, who } = await threads();
      const { id } = (await create(harness, who, media(name, { text: 'Look', alt_text: 'What it shows' }))).body;
      await harness.clock.advance(processingMs - 1);
      expect((await read(harness, who, id, 'status')).body.status).toBe('IN_PROGRESS');
      expect((await publish(harness, who, id)).body.error.error_subcode).toBe(4_279_009);
      await harness.clock.advance(1);
      expect((await read(harness, who, id, 'status,error_message')).body).toEqual({ id, status: 'FINISHED' });
      const made = await publish(harness, who, id);
      expect(await live(harness)).toEqual([
        expect.objectContaining({ placement: 'feed', text: 'Look', media: shown(name), altTexts: ['What it shows'] }),
      ]);
      const { body } = await read(harness, who, made.body.id, 'media_type,text,alt_text,media_url,children');
      expect(body).toEqual({
        id: made.body.id,
        media_type: type,
        text: 'Look',
        alt_text: 'What it shows',
        media_url: `http://sandbox.test/sandbox/files/${MEDIA_FIXTURES[name].sha256}`,
      });
      expect((await harness.ask('GET', body.media_url)).headers['content-type']).toBe(MEDIA_FIXTURES[name].contentType);
    },
  );

  test('a carousel mixes images and films, in the order of its children, and is one post', async () => {
    const { harness, who } = await threads();
    const names = ['square', 'reel', 'picture'] as const;
    const children: string[] = [];
    for (const name of names)
      children.push(await processed(harness, who, item(name, name === 'reel' ? {} : { alt_text: `A ${name}` })));
    const id = await processed(harness, who, { media_type: 'CAROUSEL', children: children.join(','), text: 'Three' });
    const made = await publish(harness, who, id);
    expect(await live(harness)).toEqual([
      expect.objectContaining({ text: 'Three', media: shown(...names), altTexts: ['A square', null, 'A picture'] }),
    ]);
    await harness.clock.advance(30);
    const { data } = (
      await harness.ask('GET', `/sim/threads/v1.0/me/threads?fields=id,text,media_type,children`, { token: who.token })
    ).body;
    expect(data).toEqual([
      {
        id: made.body.id,
        text: 'Three',
        media_type: 'CAROUSEL_ALBUM',
        children: { data: children.map((child) => ({ id: child })) },
      },
    ]);
    const limit = await harness.ask('GET', '/sim/threads/v1.0/me/threads_publishing_limit?fields=quota_usage', {
      token: who.token,
    });
    expect(limit.body.data).toEqual([{ quota_usage: 1 }]);
  });

  test('children may be sent as a JSON array', async () => {
    const { harness, who } = await threads();
    const children = [await processed(harness, who, item('photo')), await processed(harness, who, item('square'))];
    const made = await harness.ask('POST', '/sim/threads/v1.0/me/threads', {
      token: who.token,
      json: { media_type: 'CAROUSEL', children },
    });
    await harness.clock.advance(PROCESSED_MS);
    await publish(harness, who, made.body.id);
    expect((await live(harness))[0].media).toEqual(shown('photo', 'square'));
  });

  test('a carousel accepts 2 to 20 different items of its own account that are ready, and nothing else', async () => {
    const { harness, who } = await threads();
    const other = await signInThreads(harness);
    const [one, two, alone, theirs] = [
      await processed(harness, who, item('photo')),
      await processed(harness, who, item('square')),
      await processed(harness, who, media('photo')),
      await processed(harness, other, item('photo')),
    ];
    const fresh = (await create(harness, who, item('reel'))).body.id;
    const many = await Promise.all(
      Array.from({ length: 21 }, async () => (await create(harness, who, item('photo'))).body.id),
    );
    await harness.clock.advance(20);
    const make = async (children: readonly string[]) =>
      (await create(harness, who, { media_type: 'CAROUSEL', children: children.join(',') })).body.error?.code;
    for (const children of [[], [one], [one, one], many, [one, alone], [one, theirs], [one, '17889455560051444']])
      expect(await make(children)).toBe(100);
    expect(await make([one, fresh])).toBe(24);
    expect([await make(many.slice(1)), await make([one, two])]).toEqual([undefined, undefined]);
    expect((await publish(harness, who, one)).body.error.code).toBe(24);
    expect(await live(harness)).toEqual([]);
  });

  test.each([
    ['a film without an address', { media_type: 'VIDEO' }, 'video_url'],
    ['a film at the address of an image', { media_type: 'VIDEO', image_url: fileUrl('reel') }, 'video_url'],
    [
      'a text as an item of a carousel',
      { media_type: 'TEXT', text: 'a', is_carousel_item: 'true' },
      'is_carousel_item',
    ],
    ['an item of a carousel with a text', item('photo', { text: 'a' }), 'text'],
    ['an image with a link beside it', media('photo', { link_attachment: 'https://a.com' }), 'link_attachment'],
    ['alt text beyond 1,000 characters', media('photo', { alt_text: 'a'.repeat(1_001) }), 'alt_text'],
    [
      'a text beyond 500 characters',
      media('reel', { text: 'a'.repeat(501) }),
      'Param text must be at most 500 characters long.',
    ],
  ])('%s is refused with code 100', async (_what, form, message) => {
    const { harness, who } = await threads();
    const { status, body } = await create(harness, who, form);
    expect([status, body.error.code, body.error.message]).toEqual([400, 100, expect.stringContaining(message)]);
  });

  const FILES = {
    'text.jpg': new TextEncoder().encode('no picture'),
    'half.mp4': MEDIA_FIXTURES.reel.bytes.subarray(0, 60),
  };

  test.each([
    ['nothing at its address', fileUrl('missing')],
    ['an address that is none', 'picture'],
    ['an address of a file here', 'file:///etc/passwd'],
    ['what is no picture', fileUrl('text.jpg')],
    ['a film', fileUrl('reel')],
  ])('an image that is %s could not be fetched, which is answered at once', async (_what, url) => {
    const { harness, who } = await threads(FILES);
    const { status, body } = await create(harness, who, { media_type: 'IMAGE', image_url: url });
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({
        code: 9_004,
        error_subcode: 2_207_052,
        error_user_msg: expect.stringContaining('could not be fetched from this URI'),
      }),
    ]);
  });

  test.each([
    ['nothing at its address', fileUrl('missing'), 'FAILED_DOWNLOADING_VIDEO'],
    ['half a film', fileUrl('half.mp4'), 'FAILED_PROCESSING_VIDEO'],
    ['a picture', fileUrl('photo'), 'FAILED_PROCESSING_VIDEO'],
  ])('a film that is %s ends in ERROR', async (_what, url, message) => {
    const { harness, who } = await threads(FILES);
    const id = await processed(harness, who, { media_type: 'VIDEO', video_url: url });
    expect((await read(harness, who, id, 'status,error_message')).body).toEqual({
      id,
      status: 'ERROR',
      error_message: message,
    });
    expect((await publish(harness, who, id)).body.error.code).toBe(24);
  });

  test('a container of media expires after a day', async () => {
    const { harness, who } = await threads();
    const id = await processed(harness, who, media('reel'));
    await harness.clock.advance(DAY_MS);
    expect((await read(harness, who, id, 'status')).body.status).toBe('EXPIRED');
    expect((await publish(harness, who, id)).status).toBe(400);
  });
});

describe('files that threads accepts', () => {
  const file = (about: Partial<SandboxFile>): SandboxFile => ({
    sha256: '',
    bytes: 1_000,
    contentType: 'image/jpeg',
    width: 1_000,
    height: 1_000,
    durationMs: 0,
    hasAudio: false,
    ...about,
  });

  test.each([
    ['a JPEG', {}, null],
    ['a PNG', { contentType: 'image/png' }, null],
    ['10:1', { height: 100 }, null],
    ['1:10', { width: 100 }, null],
    ['wider', { height: 99 }, 'INVALID_ASPEC_RATIO'],
    ['taller', { width: 99 }, 'INVALID_ASPEC_RATIO'],
    ['a WebP', { contentType: 'image/webp' }, 'UNKNOWN'],
    ['8 MB', { bytes: 8_388_608 }, null],
    ['more', { bytes: 8_388_609 }, 'UNKNOWN'],
  ] as const)('an image: %s', (_what, about, wrong) => expect(judgeImage(file(about))).toBe(wrong));

  test.each([
    ['a film', {}, null],
    ['a MOV', { contentType: 'video/quicktime' }, null],
    ['1920 wide', { width: 1_920 }, null],
    ['wider', { width: 1_921 }, 'FAILED_PROCESSING_VIDEO'],
    ['10:1', { height: 100 }, null],
    ['more', { height: 99 }, 'INVALID_ASPEC_RATIO'],
    ['1:100', { width: 10 }, null],
    ['less', { width: 9 }, 'INVALID_ASPEC_RATIO'],
    ['five minutes', { durationMs: 300_000 }, null],
    ['longer', { durationMs: 300_001 }, 'INVALID_DURATION'],
    ['a picture', { contentType: 'image/png' }, 'FAILED_PROCESSING_VIDEO'],
  ] as const)('a film: %s', (_what, about, wrong) =>
    expect(judgeVideo(file({ contentType: 'video/mp4', durationMs: 4_000, ...about }))).toBe(wrong),
  );
});

describe('faults of threads around media', () => {
  test.each([
    ['photo', 'media_fetch_blocked', undefined],
    ['reel', 'media_fetch_blocked', undefined],
    ['reel', 'processing_failed', 'INVALID_BIT_RATE'],
    ['photo', 'processing_failed', undefined],
  ] as const)('%s meets %s (%s) once, and succeeds when it is made anew', async (name, fault, reason) => {
    const { harness, who } = await threads();
    await setFault(harness, { network: 'threads', fault, ...(reason === undefined ? {} : { reason }) });
    const { body } = await create(harness, who, media(name));
    await harness.clock.advance(PROCESSED_MS);
    const ended =
      body.error === undefined
        ? (await read(harness, who, body.id, 'error_message')).body.error_message
        : body.error.error_subcode;
    const blocked = name === 'photo' ? 2_207_052 : 'FAILED_DOWNLOADING_VIDEO';
    expect(ended).toBe(fault === 'media_fetch_blocked' ? blocked : (reason ?? 'UNKNOWN'));
    expect((await publish(harness, who, await processed(harness, who, media(name)))).status).toBe(200);
    expect((await live(harness)).map(({ media: files }) => files)).toEqual([shown(name)]);
  });
});
