import { describe, expect, test } from 'vitest';
import type { SandboxFile } from '../files/files.ts';
import { captionFits, judgeImage, judgeVideo } from './file-rules.ts';
import {
  create,
  filmOf,
  fileUrl,
  instagram,
  item,
  jpegOf,
  photo,
  publish,
  read,
  ready,
  signInInstagram,
} from './instagram.fixture.ts';

const MEBIBYTE = 1_048_576;
const file = (about: Partial<SandboxFile>): SandboxFile => ({
  sha256: '',
  bytes: 1_000,
  contentType: 'image/jpeg',
  width: 1_080,
  height: 1_080,
  durationMs: 0,
  hasAudio: false,
  ...about,
});
const film = (about: Partial<SandboxFile>): SandboxFile =>
  file({ contentType: 'video/mp4', width: 1_080, height: 1_920, durationMs: 10_000, hasAudio: true, ...about });

describe('files', () => {
  test.each([
    ['JPEG', {}, null],
    ['4:5', { height: 1_350 }, null],
    ['1.91:1', { height: 566 }, null],
    ['narrow, which is scaled', { width: 200, height: 200 }, null],
    ['wide, which is scaled', { width: 4_000, height: 4_000 }, null],
    ['8 MiB', { bytes: 8 * MEBIBYTE }, null],
    ['more than 8 MiB', { bytes: 8 * MEBIBYTE + 1 }, 'large'],
    ['PNG', { contentType: 'image/png' }, 'format'],
    ['WebP', { contentType: 'image/webp' }, 'format'],
    ['3:4', { height: 1_440 }, 'ratio'],
    ['2:1', { height: 540 }, 'ratio'],
    ['without a height', { height: 0 }, 'ratio'],
    ['a video', { contentType: 'video/mp4' }, 'unreachable'],
    ['no picture', { contentType: '' }, 'unreachable'],
  ] as const)('an image that is %s', (_what, about, wrong) => {
    expect(judgeImage(file(about), 'image')).toBe(wrong);
    expect(judgeImage(file(about), 'child')).toBe(wrong);
  });

  test.each([
    ['9:16', { height: 1_920 }, null],
    ['2:1', { height: 540 }, null],
    ['PNG', { contentType: 'image/png' }, 'format'],
    ['more than 8 MiB', { bytes: 8 * MEBIBYTE + 1 }, 'large'],
  ] as const)('a Story of an image that is %s', (_what, about, wrong) =>
    expect(judgeImage(file(about), 'story')).toBe(wrong),
  );

  test.each([
    ['fine', {}, [null, null, null]],
    ['MOV', { contentType: 'video/quicktime' }, [null, null, null]],
    ['3 s', { durationMs: 3_000 }, [null, null, null]],
    ['less than 3 s', { durationMs: 2_999 }, ['video', 'video', 'video']],
    ['60 s', { durationMs: 60_000 }, [null, null, null]],
    ['longer than 60 s', { durationMs: 60_001 }, [null, 'video', 'video']],
    ['15 min', { durationMs: 900_000 }, [null, 'video', 'video']],
    ['longer than 15 min', { durationMs: 900_001 }, ['video', 'video', 'video']],
    ['100 MiB', { bytes: 100 * MEBIBYTE }, [null, null, null]],
    ['more than 100 MiB', { bytes: 100 * MEBIBYTE + 1 }, [null, 'video', null]],
    ['more than 300 MiB', { bytes: 300 * MEBIBYTE + 1 }, ['video', 'video', 'video']],
    ['wider than 1920', { width: 1_921 }, ['video', 'video', 'video']],
    ['1:20', { width: 100, height: 2_000 }, [null, 'video', null]],
    ['wider than 10:1', { width: 1_900, height: 180 }, ['video', 'video', 'video']],
    ['without a height', { height: 0 }, ['video', 'video', 'video']],
    ['a picture', { contentType: 'image/jpeg' }, ['video', 'video', 'video']],
    ['nothing known', { contentType: '' }, ['unreachable', 'unreachable', 'unreachable']],
  ] as const)('a video that is %s, as a reel, a Story, an item', (_what, about, wrong) => {
    expect((['reel', 'story', 'child'] as const).map((kind) => judgeVideo(film(about), kind, 0))).toEqual(wrong);
  });
});

describe('images are refused at once', () => {
  const broken = {
    'large.jpg': jpegOf(1_080, 1_080, 8 * MEBIBYTE),
    'tall.jpg': jpegOf(1_000, 1_400),
    'text.jpg': new TextEncoder().encode('no picture'),
    'fine.jpg': jpegOf(1_000, 1_000),
  };

  test.each([
    ['nothing at the address', photo('missing' as 'photo'), 9_004, 2_207_052],
    ['no picture', { image_url: fileUrl('text.jpg') }, 9_004, 2_207_052],
    ['a video', { image_url: fileUrl('reel') }, 9_004, 2_207_052],
    ['an address of another kind', { image_url: 'file:///etc/passwd' }, 9_004, 2_207_052],
    ['more than 8 MiB', { image_url: fileUrl('large.jpg') }, 36_000, 2_207_004],
    ['a PNG', photo('picture'), 36_001, 2_207_005],
    ['too tall', { image_url: fileUrl('tall.jpg') }, 36_003, 2_207_009],
    ['too tall, as an item', { is_carousel_item: 'true', image_url: fileUrl('tall.jpg') }, 36_003, 2_207_009],
    ['a PNG, as a Story', { media_type: 'STORIES', image_url: fileUrl('picture') }, 36_001, 2_207_005],
    [
      'a reel whose cover is a PNG',
      { media_type: 'REELS', video_url: fileUrl('reel'), cover_url: fileUrl('picture') },
      36_001,
      2_207_005,
    ],
    [
      'a reel whose cover is not there',
      { media_type: 'REELS', video_url: fileUrl('reel'), cover_url: fileUrl('none') },
      9_004,
      2_207_052,
    ],
    ['a video that is not there', { media_type: 'REELS', video_url: fileUrl('none') }, 9_004, 2_207_052],
  ])('%s', async (_what, form, code, subcode) => {
    const { harness, who } = await instagram(broken);
    const { status, body } = await create(harness, who, form);
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({
        type: 'OAuthException',
        code,
        error_subcode: subcode,
        is_transient: false,
        error_user_msg: expect.any(String),
      }),
    ]);
  });

  test('the same file is accepted as a Story, or when it fits', async () => {
    const { harness, who } = await instagram(broken);
    for (const form of [{ media_type: 'STORIES', image_url: fileUrl('tall.jpg') }, { image_url: fileUrl('fine.jpg') }])
      expect((await create(harness, who, form)).status).toBe(200);
  });
});

describe('videos are refused by their processing', () => {
  const films = {
    'short.mp4': filmOf(2_000, 720, 1_280),
    'long.mp4': filmOf(61_000, 720, 1_280),
    'wide.mp4': filmOf(5_000, 2_000, 1_000),
    'fine.mp4': filmOf(5_000, 720, 1_280),
  };

  test.each([
    ['too short', { media_type: 'REELS', video_url: fileUrl('short.mp4') }, 2_207_026],
    ['too wide', { media_type: 'REELS', video_url: fileUrl('wide.mp4') }, 2_207_026],
    ['too long for a Story', { media_type: 'STORIES', video_url: fileUrl('long.mp4') }, 2_207_026],
    [
      'too long for a carousel',
      { is_carousel_item: 'true', media_type: 'VIDEO', video_url: fileUrl('long.mp4') },
      2_207_026,
    ],
    ['a picture', { media_type: 'REELS', video_url: fileUrl('photo') }, 2_207_026],
    [
      'with a cover from behind its end',
      { media_type: 'REELS', video_url: fileUrl('fine.mp4'), thumb_offset: '5001' },
      2_207_057,
    ],
  ])('%s', async (_what, form, subcode) => {
    const { harness, who } = await instagram(films);
    const id = await ready(harness, who, form);
    const status = `Error: Media upload has failed with error code ${subcode}`;
    expect((await read(harness, who, id, 'status_code,status')).body).toEqual({ id, status_code: 'ERROR', status });
    expect((await publish(harness, who, id)).status).toBe(400);
  });

  test('more than a minute is accepted for a reel', async () => {
    const { harness, who } = await instagram(films);
    const id = await ready(harness, who, { media_type: 'REELS', video_url: fileUrl('long.mp4') });
    expect((await read(harness, who, id, 'status_code')).body.status_code).toBe('FINISHED');
  });
});

describe('the parameters beside a file', () => {
  test.each([
    ['2,200 characters', 'a'.repeat(2_200), true],
    ['2,201 characters', 'a'.repeat(2_201), false],
    ['emoji that count twice', '👍'.repeat(1_101), false],
    ['30 hashtags', '#tag '.repeat(30), true],
    ['31 hashtags', '#größe '.repeat(31), false],
    ['20 mentions', '@a.b '.repeat(20), true],
    ['21 mentions', '@ab '.repeat(21), false],
    ['30 addresses of mail', 'me@example.com '.repeat(30), true],
  ])('a caption of %s', async (_what, caption, fits) => {
    expect(captionFits(caption)).toBe(fits);
    const { harness, who } = await instagram();
    const { status, body } = await create(harness, who, { ...photo(), caption });
    expect([status, body.error?.code, body.error?.error_subcode]).toEqual(
      fits ? [200, undefined, undefined] : [400, 36_004, 2_207_010],
    );
  });

  test.each([
    ['alt text of 1,001 characters', { ...photo(), alt_text: 'a'.repeat(1_001) }, 'alt_text'],
    ['alt text of a reel', { media_type: 'REELS', video_url: fileUrl('reel'), alt_text: 'a' }, 'alt_text'],
    ['alt text of a Story', { media_type: 'STORIES', image_url: fileUrl('story'), alt_text: 'a' }, 'alt_text'],
    ['alt text of a video in a carousel', { ...item('reel'), alt_text: 'a' }, 'alt_text'],
    ['alt text of a carousel', { media_type: 'CAROUSEL', children: '1,2', alt_text: 'a' }, 'alt_text'],
    ['no image', { caption: 'a' }, 'image_url is required'],
    ['a video without a kind', { video_url: fileUrl('reel') }, 'image_url is required'],
    ['no video', { media_type: 'REELS', image_url: fileUrl('photo') }, 'video_url is required'],
    ['a Story of nothing', { media_type: 'STORIES' }, 'image_url is required'],
    ['a Story of both', { media_type: 'STORIES', image_url: fileUrl('story'), video_url: fileUrl('reel') }, 'Only one'],
    [
      'an offset that is no number',
      { media_type: 'REELS', video_url: fileUrl('reel'), thumb_offset: '-1' },
      'thumb_offset',
    ],
  ])('%s is refused with code 100', async (_what, form, message) => {
    const { harness, who } = await instagram();
    const { status, body } = await create(harness, who, form);
    expect([status, body.error.code, body.error.message]).toEqual([400, 100, expect.stringContaining(message)]);
  });

  test.each([
    ['a single VIDEO', { media_type: 'VIDEO', video_url: fileUrl('reel') }],
    ['an unknown kind', { media_type: 'SONG', image_url: fileUrl('photo') }],
    ['a reel as an item', { is_carousel_item: 'true', media_type: 'REELS', video_url: fileUrl('reel') }],
    ['a Story as an item', { is_carousel_item: 'true', media_type: 'STORIES', image_url: fileUrl('story') }],
    ['an image by upload', { upload_type: 'resumable' }],
    ['an image item by upload', { upload_type: 'resumable', is_carousel_item: 'true' }],
  ])('%s is of no known type', async (_what, form) => {
    const { harness, who } = await instagram();
    expect((await create(harness, who, form)).body.error).toMatchObject({ code: 100, error_subcode: 2_207_023 });
  });
});

describe('carousels', () => {
  test('have 2 to 10 different items of this account, made as such', async () => {
    const { harness, who } = await instagram();
    const ids = [];
    for (let i = 0; i < 11; i++) ids.push(await ready(harness, who, item('photo')));
    const other = await ready(harness, await signInInstagram(harness), item('photo'));
    const single = await ready(harness, who, photo());
    const carousel = async (children: readonly string[]) =>
      (await create(harness, who, { media_type: 'CAROUSEL', children: children.join(',') })).body;
    for (const children of [
      [],
      ids.slice(0, 1),
      ids,
      [ids[0]!, ids[0]!],
      [ids[0]!, other],
      [ids[0]!, single],
      [ids[0]!, '17889455560051444'],
    ]) {
      expect((await carousel(children)).error).toMatchObject({ code: 100, error_subcode: 2_207_028 });
    }
    for (const children of [ids.slice(0, 2), ids.slice(0, 10)])
      expect(await carousel(children)).toEqual({ id: expect.any(String) });
  });

  test('wait for their items, and are not made of failed ones', async () => {
    const { harness, who } = await instagram({ 'short.mp4': filmOf(2_000, 720, 1_280) });
    const fine = await ready(harness, who, item('photo'));
    const { body: slow } = await create(harness, who, item('reel'));
    const broken = await create(harness, who, { ...item('reel'), video_url: fileUrl('short.mp4') });
    const carousel = async (id: string) =>
      (await create(harness, who, { media_type: 'CAROUSEL', children: `${fine},${id}` })).body;
    expect((await carousel(slow.id)).error).toMatchObject({ code: 9_007, error_subcode: 2_207_027 });
    await harness.clock.advance(1_000);
    expect((await carousel(slow.id)).id).toMatch(/^\d+$/);
    expect((await carousel(broken.body.id)).error).toMatchObject({
      code: 100,
      error_subcode: 2_207_028,
      message: expect.stringContaining('ERROR'),
    });
  });
});
