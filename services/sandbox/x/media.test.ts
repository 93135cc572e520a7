import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import { createMemoryBytes } from '../files/file-bytes.ts';
import type { SandboxFile } from '../files/files.ts';
import { createHarness, setFault, signInX, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { judgeFile } from './media-rules.ts';
import type { Category } from './medium.ts';
import {
  append,
  CHUNK_BYTES,
  describeMedium,
  filmLasting,
  finalize,
  form,
  gifOf,
  initialize,
  post,
  PROCESSED_MS,
  readyMedium,
  status,
  uploadFilm,
  uploadImage,
  uploadInSegments,
} from './x.fixture.ts';

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_048_576;
const FILM = { media_category: 'tweet_video', media_type: 'video/mp4', total_bytes: MEDIA_FIXTURES.reel.bytes.length };

async function signedIn() {
  const harness = createHarness();
  return { harness, who: await signInX(harness) };
}

const live = async (harness: SandboxHarness): Promise<readonly any[]> =>
  (await harness.ask('GET', '/sandbox/items')).body.items;
const shown = (...names: readonly FixtureName[]) =>
  names.map((name) => ({
    sha256: MEDIA_FIXTURES[name].sha256,
    bytes: MEDIA_FIXTURES[name].bytes.length,
    contentType: MEDIA_FIXTURES[name].contentType,
  }));
const timeline = (harness: SandboxHarness, who: SignedIn) =>
  harness.ask('GET', `/sim/x/2/users/${who.accountId}/tweets?tweet.fields=created_at,text,entities,attachments`, {
    token: who.token,
  });
const INVALID_MEDIA = [400, 'Your media IDs are invalid.'];
const refusalOf = ({ status: code, body }: { readonly status: number; readonly body: any }) => [
  code,
  body.errors?.[0].message ?? body.detail,
];

describe('uploading to x', () => {
  test.each(['photo', 'picture'] as const)('%s in one piece is ready at once', async (name) => {
    const { harness, who } = await signedIn();
    const { bytes } = MEDIA_FIXTURES[name];
    const answer = await uploadImage(harness, who, bytes);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: {
          id: expect.stringMatching(/^\d{19}$/),
          media_key: `3_${answer.body.data.id}`,
          size: bytes.length,
          expires_after_secs: 86_400,
        },
      },
    ]);
    expect((await post(harness, who, 'Look', [answer.body.data.id])).status).toBe(201);
    expect((await live(harness))[0].media).toEqual(shown(name));
  });

  test('a video in segments is pending, in progress, then ready; only then a post may show it', async () => {
    const { harness, who } = await signedIn();
    const begun = await initialize(harness, who, FILM);
    const { id } = begun.body.data;
    expect(begun.body).toEqual({ data: { id, media_key: `7_${id}`, expires_after_secs: 86_400 } });
    const { bytes } = MEDIA_FIXTURES.reel;
    for (let at = 0, index = 0; at < bytes.length; at += CHUNK_BYTES, index++) {
      expect((await append(harness, who, id, index, bytes.subarray(at, at + CHUNK_BYTES))).body).toEqual({
        data: { expires_at: Math.floor((harness.clock.now() + DAY_MS) / 1000) },
      });
    }
    expect((await finalize(harness, who, id)).body.data).toEqual({
      id,
      media_key: `7_${id}`,
      size: bytes.length,
      expires_after_secs: 86_400,
      processing_info: { state: 'pending', check_after_secs: 5 },
    });
    expect((await status(harness, who, id)).body.data.processing_info).toEqual({
      state: 'in_progress',
      check_after_secs: 5,
      progress_percent: 40,
    });
    expect(refusalOf(await post(harness, who, 'Too soon', [id]))).toEqual(INVALID_MEDIA);
    await harness.clock.advance(PROCESSED_MS);
    expect((await status(harness, who, id)).body.data.processing_info).toEqual({
      state: 'succeeded',
      progress_percent: 100,
    });
    expect((await post(harness, who, 'Now', [id])).status).toBe(201);
    expect(await live(harness)).toEqual([
      expect.objectContaining({ text: 'Now', media: shown('reel'), altTexts: [null] }),
    ]);
  });

  test('the older form of an upload, by commands, does the same', async () => {
    const { harness, who } = await signedIn();
    const { bytes } = MEDIA_FIXTURES.film;
    const command = (fields: Readonly<Record<string, string>>, media?: Uint8Array) =>
      harness.ask('POST', '/sim/x/2/media/upload', { token: who.token, parts: form(fields, media) });
    const { id } = (
      await command({
        command: 'INIT',
        media_category: 'tweet_video',
        media_type: 'video/mp4',
        total_bytes: String(bytes.length),
      })
    ).body.data;
    expect((await command({ command: 'APPEND', media_id: id, segment_index: '0' }, bytes)).status).toBe(200);
    expect(
      (await harness.ask('POST', `/sim/x/2/media/upload?command=FINALIZE&media_id=${id}`, { token: who.token })).body
        .data.processing_info.state,
    ).toBe('pending');
    await harness.clock.advance(PROCESSED_MS);
    await post(harness, who, undefined, [id]);
    expect((await live(harness))[0].media).toEqual(shown('film'));
    expect((await command({ command: 'STATUS', media_id: id })).status).toBe(400);
  });

  test('an upload in one piece has no media_type: its schema lacks it, and allows no other fields', async () => {
    const { harness, who } = await signedIn();
    const refused = await uploadImage(harness, who, MEDIA_FIXTURES.photo.bytes, { media_type: 'image/jpeg' });
    expect(refusalOf(refused)).toEqual([
      400,
      '$.media_type: is not defined in the schema and the schema does not allow additional properties',
    ]);
    expect((await uploadImage(harness, who, MEDIA_FIXTURES.photo.bytes)).status).toBe(200);
  });

  test('a segment that is sent twice counts once, and finalizing twice begins nothing anew', async () => {
    const { harness, who } = await signedIn();
    const { bytes } = MEDIA_FIXTURES.reel;
    const { id } = (await initialize(harness, who, FILM)).body.data;
    for (const at of [0, 0, 1, 1, 0])
      expect(
        (await append(harness, who, id, at, at === 0 ? bytes.subarray(0, CHUNK_BYTES) : bytes.subarray(CHUNK_BYTES)))
          .status,
      ).toBe(200);
    await finalize(harness, who, id);
    await harness.clock.advance(PROCESSED_MS);
    expect((await finalize(harness, who, id)).body.data.processing_info.state).toBe('succeeded');
    expect((await append(harness, who, id, 2, bytes)).status).toBe(400);
    await post(harness, who, 'One film', [id]);
    expect((await live(harness))[0].media).toEqual(shown('reel'));
  });

  test.each([
    ['a segment whose predecessors are missing', 1, 5],
    ['the segment 1000', 1_000, 5],
    ['a segment without a number', 'first', 5],
    ['an empty segment', 0, 0],
    ['a segment over 5 MB', 0, 5 * MEGABYTE + 1],
    ['more than was announced', 0, FILM.total_bytes + 1],
  ])('%s is refused', async (_what, index, size) => {
    const { harness, who } = await signedIn();
    const { id } = (
      await initialize(harness, who, { ...FILM, total_bytes: size > MEGABYTE ? 6 * MEGABYTE : FILM.total_bytes })
    ).body.data;
    expect((await append(harness, who, id, index, new Uint8Array(size))).status).toBe(400);
    expect((await finalize(harness, who, id)).body.errors[0].message).toContain('do not add up');
  });

  test('a segment of another size than before is refused: those after it would no longer fit', async () => {
    const { harness, who } = await signedIn();
    const { id } = (await initialize(harness, who, FILM)).body.data;
    await append(harness, who, id, 0, new Uint8Array(10));
    expect((await append(harness, who, id, 0, new Uint8Array(9))).status).toBe(400);
  });

  test.each([
    ['an unknown category', { ...FILM, media_category: 'amplify_film' }],
    ['no category', { media_type: 'video/mp4', total_bytes: 5 }],
    ['a type of another category', { ...FILM, media_type: 'image/jpeg' }],
    ['no bytes', { ...FILM, total_bytes: 0 }],
    ['bytes as text', { ...FILM, total_bytes: '47181' }],
    ['more than 8 GB', { ...FILM, total_bytes: 8 * 1_024 * MEGABYTE + 1 }],
    ['a field of no schema', { ...FILM, name: 'film.mp4' }],
    ['a GIF over 15 MB', { media_category: 'tweet_gif', media_type: 'image/gif', total_bytes: 15 * MEGABYTE + 1 }],
    ['an image over 5 MB', { media_category: 'tweet_image', media_type: 'image/png', total_bytes: 5 * MEGABYTE + 1 }],
  ])('an upload that announces %s is refused', async (_what, announced) => {
    const { harness, who } = await signedIn();
    const { status: code, body } = await initialize(harness, who, announced);
    expect([code, body.title, body.errors.length]).toEqual([400, 'Invalid Request', 1]);
  });

  test.each([
    ['no file', undefined, {}],
    ['a film', MEDIA_FIXTURES.reel.bytes, {}],
    ['what is no picture', new TextEncoder().encode('no picture'), {}],
    ['a picture as a film', MEDIA_FIXTURES.photo.bytes, { media_category: 'tweet_video' }],
    ['a field that the schema lacks', MEDIA_FIXTURES.photo.bytes, { media_type: 'image/jpeg' }],
    ['an image over 5 MB', Buffer.concat([MEDIA_FIXTURES.photo.bytes, Buffer.alloc(5 * MEGABYTE)]), {}],
  ])('%s in one piece is refused', async (_what, bytes, fields) => {
    const { harness, who } = await signedIn();
    const parts = form({ media_category: 'tweet_image', ...fields }, bytes);
    expect((await harness.ask('POST', '/sim/x/2/media/upload', { token: who.token, parts })).status).toBe(400);
  });

  test('a finalized file that is no video fails in the end, as its status says', async () => {
    const { harness, who } = await signedIn();
    const { id } = (await uploadFilm(harness, who, MEDIA_FIXTURES.photo.bytes)).body.data;
    await harness.clock.advance(PROCESSED_MS);
    expect((await status(harness, who, id)).body.data.processing_info).toEqual({
      state: 'failed',
      error: { code: 1, name: 'InvalidMedia', message: 'Unsupported video format' },
    });
    expect(refusalOf(await post(harness, who, 'Broken', [id]))).toEqual(INVALID_MEDIA);
  });

  test('a medium lives a day and belongs to its account', async () => {
    const { harness, who } = await signedIn();
    const other = await signInX(harness);
    const id = await readyMedium(harness, who, 'photo');
    expect(refusalOf(await post(harness, other, 'Mine', [id]))).toEqual(INVALID_MEDIA);
    expect([
      (await status(harness, other, id)).status,
      (await describeMedium(harness, other, id, 'a')).status,
      (await finalize(harness, other, id)).status,
    ]).toEqual([404, 400, 400]);
    await harness.clock.advance(DAY_MS);
    const again = await signInX(harness, { account: who.accountId });
    expect((await status(harness, again, id)).status).toBe(404);
    expect(refusalOf(await post(harness, again, 'Late', [id]))).toEqual(INVALID_MEDIA);
  });

  test('an upload survives a restart in the middle', async () => {
    const { bytes } = MEDIA_FIXTURES.reel;
    const kept = { store: createMemoryStore(), bytes: createMemoryBytes() };
    const before = createHarness(kept);
    const who = await signInX(before);
    const { id } = (await initialize(before, who, FILM)).body.data;
    await append(before, who, id, 0, bytes.subarray(0, CHUNK_BYTES));
    const after = createHarness(kept);
    await append(after, who, id, 1, bytes.subarray(CHUNK_BYTES));
    expect((await finalize(after, who, id)).status).toBe(200);
  });

  test('without media.write nothing is uploaded; windows count each call and state their end', async () => {
    const harness = createHarness();
    const bare = await signInX(harness, { scope: 'tweet.read tweet.write users.read' });
    expect((await uploadImage(harness, bare, MEDIA_FIXTURES.photo.bytes)).body.type).toMatch(
      /unsupported-authentication$/,
    );
    const who = await signInX(harness);
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: { mediaPartsPerUser: 1 } } });
    const { body, headers } = await initialize(harness, who, FILM);
    expect([headers['x-rate-limit-remaining'], headers['x-app-limit-24hour-limit']]).toEqual(['0', '180000']);
    expect((await append(harness, who, body.data.id, 0, new Uint8Array(5))).status).toBe(200);
    expect((await initialize(harness, who, FILM)).status).toBe(429);
  });
});

describe('files that x accepts', () => {
  const file = (about: Partial<SandboxFile>): SandboxFile => ({
    sha256: '',
    bytes: 1_000,
    contentType: 'video/mp4',
    width: 1_280,
    height: 720,
    durationMs: 4_000,
    hasAudio: true,
    ...about,
  });
  const rows: readonly (readonly [string, Category, Partial<SandboxFile>, boolean, boolean])[] = [
    ['a film', 'tweet_video', {}, true, true],
    ['a film, upright', 'tweet_video', { width: 720, height: 1_280 }, true, true],
    ['a MOV', 'tweet_video', { contentType: 'video/quicktime' }, true, true],
    ['1080p', 'tweet_video', { width: 1_920, height: 1_080 }, false, true],
    ['1080p, upright', 'tweet_video', { width: 1_080, height: 1_920 }, false, true],
    ['larger than 1080p', 'tweet_video', { width: 2_000, height: 1_080 }, false, false],
    ['31 pixels', 'tweet_video', { width: 31, height: 31 }, false, false],
    ['3:1', 'tweet_video', { width: 1_200, height: 400 }, true, true],
    ['wider than 3:1', 'tweet_video', { width: 1_201, height: 400 }, false, false],
    ['narrower than 1:3', 'tweet_video', { width: 400, height: 1_201 }, false, false],
    ['half a second', 'tweet_video', { durationMs: 500 }, true, true],
    ['less', 'tweet_video', { durationMs: 499 }, false, false],
    ['8 GB', 'tweet_video', { bytes: 8 * 1_024 * MEGABYTE }, true, true],
    ['more than 8 GB', 'tweet_video', { bytes: 8 * 1_024 * MEGABYTE + 1 }, false, true],
    ['more than 16 GB', 'tweet_video', { bytes: 16 * 1_024 * MEGABYTE + 1 }, false, false],
    ['a picture', 'tweet_video', { contentType: 'image/png' }, false, false],
    ['5 MB', 'tweet_image', { contentType: 'image/webp', bytes: 5 * MEGABYTE }, true, true],
    ['more than 5 MB', 'tweet_image', { contentType: 'image/jpeg', bytes: 5 * MEGABYTE + 1 }, false, false],
    ['a GIF', 'tweet_image', { contentType: 'image/gif' }, true, true],
    ['a GIF', 'tweet_gif', { contentType: 'image/gif', bytes: 15 * MEGABYTE }, true, true],
    ['too large a GIF', 'tweet_gif', { contentType: 'image/gif', width: 1_300, height: 300 }, false, false],
    ['a PNG', 'tweet_gif', { contentType: 'image/png' }, false, false],
  ];
  test.each(rows)('%s as %s', (_what, category, about, anyone, subscriber) => {
    const taken = (kind: string) => judgeFile(file(about), category, { kind }) === null;
    expect([taken('None'), taken('Premium')]).toEqual([anyone, subscriber]);
  });
});

describe('posting media to x', () => {
  test('four images keep their order and their alt texts, without a text; the list names their keys', async () => {
    const { harness, who } = await signedIn();
    const names = ['photo', 'square', 'wideshot', 'picture'] as const;
    const ids: string[] = [];
    for (const name of names) ids.push(await readyMedium(harness, who, name));
    expect((await describeMedium(harness, who, ids[1]!, 'A "square" <of> light')).body).toEqual({
      data: { id: ids[1], associated_metadata: { alt_text: { text: 'A "square" <of> light' } } },
    });
    const made = await post(harness, who, undefined, ids);
    expect([made.status, made.body.data.text]).toEqual([201, expect.stringMatching(/^https:\/\/t\.co\/\w{10}$/)]);
    expect(await live(harness)).toEqual([
      expect.objectContaining({
        text: '',
        media: shown(...names),
        altTexts: [null, 'A "square" <of> light', null, null],
      }),
    ]);
    await harness.clock.advance(30);
    const [tweet] = (await timeline(harness, who)).body.data;
    expect(tweet.attachments).toEqual({ media_keys: ids.map((id) => `3_${id}`) });
    expect(tweet.text).toBe(made.body.data.text);
  });

  test('after a text the address of its media is the last of its entities', async () => {
    const { harness, who } = await signedIn();
    const made = await post(harness, who, 'See https://example.com', [await readyMedium(harness, who, 'photo')]);
    await harness.clock.advance(30);
    const [tweet] = (await timeline(harness, who)).body.data;
    expect(
      tweet.entities.urls.map(({ start, end, url }: any) => [...tweet.text].slice(start, end).join('') === url),
    ).toEqual([true, true]);
    expect(tweet.entities.urls.at(-1)).toMatchObject({
      expanded_url: expect.stringContaining(`/status/${made.body.data.id}/`),
      end: tweet.text.length,
    });
  });

  test('more than four, one twice, kinds mixed, several videos, and none are refused', async () => {
    const { harness, who } = await signedIn();
    const images: string[] = [];
    for (const name of ['photo', 'square', 'wideshot', 'picture', 'story'] as const)
      images.push(await readyMedium(harness, who, name));
    const one = images[0]!;
    const films = [await readyMedium(harness, who, 'reel'), await readyMedium(harness, who, 'film')];
    const gif = (await uploadInSegments(harness, who, gifOf(100, 100), 'tweet_gif', 'image/gif')).body.data.id;
    await harness.clock.advance(PROCESSED_MS);
    for (const ids of [images, [one, one], [one, films[0]!], films, [gif, one], ['1'], []]) {
      expect(refusalOf(await post(harness, who, 'Several', ids))).toEqual(INVALID_MEDIA);
    }
    expect((await post(harness, who, 'A film', [films[0]!])).status).toBe(201);
    expect((await post(harness, who, 'A GIF', [gif])).status).toBe(201);
    expect((await live(harness)).map(({ text }) => text)).toEqual(['A film', 'A GIF']);
  });

  test("a video lasts 20 minutes at most, a subscriber's 125", async () => {
    const { harness, who } = await signedIn();
    const subscriber = await signInX(harness, { account_kind: 'premium' });
    const minuteMs = 60_000;
    for (const [account, durationMs, answer, most] of [
      [who, 20 * minuteMs + 1_000, 403, 20],
      [who, 20 * minuteMs, 201, 20],
      [subscriber, 125 * minuteMs + 1_000, 403, 125],
      [subscriber, 125 * minuteMs, 201, 125],
    ] as const) {
      const { id } = (await uploadFilm(harness, account, filmLasting(durationMs))).body.data;
      await harness.clock.advance(PROCESSED_MS);
      const made = await post(harness, account, `${durationMs} ms`, [id]);
      expect(made.status).toBe(answer);
      if (answer === 403)
        expect(made.body.detail).toBe(`This user is not allowed to post a video longer than ${most} minutes`);
    }
  });

  test('the same text with as many media is a duplicate, with more of them not; posts without words never are', async () => {
    const { harness, who } = await signedIn();
    const [one, two] = [await readyMedium(harness, who, 'photo'), await readyMedium(harness, who, 'square')];
    expect((await post(harness, who, 'Same', [one])).status).toBe(201);
    expect((await post(harness, who, ' Same ', [two])).body.detail).toContain('duplicate content');
    expect((await post(harness, who, 'Same', [one, two])).status).toBe(201);
    expect([(await post(harness, who, undefined, [one])).status, (await post(harness, who, '', [two])).status]).toEqual(
      [201, 201],
    );
  });

  test('alt texts of a picture have at most 1,000 characters; for a video they are dropped', async () => {
    const { harness, who } = await signedIn();
    const [photo, film] = [await readyMedium(harness, who, 'photo'), await readyMedium(harness, who, 'reel')];
    expect((await describeMedium(harness, who, photo, '🌞'.repeat(1_000))).status).toBe(200);
    for (const text of ['', 'a'.repeat(1_001)])
      expect((await describeMedium(harness, who, photo, text)).status).toBe(400);
    expect((await describeMedium(harness, who, film, 'A film')).status).toBe(200);
    await post(harness, who, 'Film', [film]);
    expect((await live(harness))[0].altTexts).toEqual([null]);
  });
});

describe('faults of x around media', () => {
  test.each([undefined, 'Invalid video duration'])(
    'processing_failed (%s) fails in the end; another upload succeeds',
    async (reason) => {
      const { harness, who } = await signedIn();
      await setFault(harness, {
        network: 'x',
        fault: 'processing_failed',
        ...(reason === undefined ? {} : { reason }),
      });
      const { id } = (await uploadFilm(harness, who, MEDIA_FIXTURES.reel.bytes)).body.data;
      expect((await status(harness, who, id)).body.data.processing_info.state).toBe('in_progress');
      await harness.clock.advance(PROCESSED_MS);
      expect((await status(harness, who, id)).body.data.processing_info).toEqual({
        state: 'failed',
        error: { code: 1, name: 'InvalidMedia', message: reason ?? 'Unsupported video format' },
      });
      expect((await post(harness, who, 'Well', [await readyMedium(harness, who, 'reel')])).status).toBe(201);
    },
  );

  test('processing_stuck never ends', async () => {
    const { harness, who } = await signedIn();
    await setFault(harness, { network: 'x', fault: 'processing_stuck' });
    const { id } = (await uploadFilm(harness, who, MEDIA_FIXTURES.reel.bytes)).body.data;
    await harness.clock.advance(3_600_000);
    expect((await status(harness, who, id)).body.data.processing_info.state).toBe('in_progress');
  });

  test('each call fails once without effect, and then succeeds', async () => {
    const { harness, who } = await signedIn();
    const { bytes } = MEDIA_FIXTURES.reel;
    const id = (await initialize(harness, who, FILM)).body.data.id;
    const calls: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
      'media.upload': () => uploadImage(harness, who, MEDIA_FIXTURES.photo.bytes),
      'media.initialize': () => initialize(harness, who, FILM),
      'media.append': () => append(harness, who, id, 0, bytes),
      'media.finalize': () => finalize(harness, who, id),
      'media.status': () => status(harness, who, id),
      'media.metadata': () => describeMedium(harness, who, id, 'a'),
    };
    for (const [call, play] of Object.entries(calls)) {
      await setFault(harness, { network: 'x', fault: '5xx_before_commit', call });
      expect([call, (await play()).status, (await play()).status]).toEqual([call, 503, 200]);
    }
  });
});
