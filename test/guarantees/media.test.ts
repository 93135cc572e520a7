import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { answer, type Behaviour, type MisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import {
  createPost,
  failed,
  fileOf,
  itemsOf,
  largePicture,
  phoneFilm,
  published,
  readPost,
  sendFile,
  upload,
  type MadeFile,
  type MediaItemJson,
} from './media-files.ts';

const HOUR_MS = 3_600_000;

let crier: CrierUnderTest;
let channels: Readonly<Record<string, string>>;
let internet: MisbehavingReceiver;
let trusted: TrustedReceiver;
let film: MadeFile;

beforeAll(async () => {
  film = await phoneFilm();
  trusted = await startTrustedReceiver({ name: 'pictures.test' });
  internet = trusted.receiver;
  const env = { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };
  crier = await CrierUnderTest.start({ name: 'media', env });
  channels = crier.ready.demo!.channels;
});
afterAll(async () => {
  await crier?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

const on = (networks: readonly Network[]) => networks.map((network) => channels[network]!);
const inAnHour = async () =>
  new Date(Date.parse((await crier.admin().call('clock.advance', { milliseconds: 1 })).now) + HOUR_MS).toISOString();
const advance = () => crier.admin().advance(HOUR_MS);

/** Networks by the hash of the one file that each got. */
async function whoGotWhat(text: string): Promise<Record<string, readonly string[]>> {
  const items = await itemsOf(crier, text);
  for (const { network, media } of items) expect(media, network).toHaveLength(1);
  const byHash = Object.groupBy(items, ({ media }) => media[0]!.sha256);
  return Object.fromEntries(
    Object.entries(byHash).map(([sha256, of]) => [sha256, of!.map(({ network }) => network).toSorted()]),
  );
}

async function expectServed(url: string, { bytes, contentType, sha256 }: MadeFile): Promise<void> {
  const whole = await fetch(url);
  expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
    200,
    contentType,
    'bytes',
  ]);
  expect(fileOf(contentType, Buffer.from(await whole.arrayBuffer())).sha256).toBe(sha256);
  const part = await fetch(url, { headers: { range: 'bytes=1000-1999' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${bytes.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
}

describe('an uploaded file, as a new user of Crier would send it', () => {
  test(
    'a video of a phone is ready long before it is due, then live on all six Networks: one rendition for five, the original for youtube',
    { timeout: 300_000 },
    async () => {
      const text = 'A film of a phone';
      const networks = ['facebook', 'instagram', 'threads', 'tiktok', 'x', 'youtube'] as const;
      const post = await createPost(crier, {
        text,
        channelIds: on(networks),
        media: [{ assetId: await upload(crier.api(), film) }],
        scheduledAt: await inAnHour(),
      });
      expect(post.variants.map(({ mediaReady }) => mediaReady)).toEqual(networks.map(() => false));
      const ready = await until(
        async () => {
          const now = await readPost(crier, post.id);
          return now.variants.every(({ mediaReady }) => mediaReady) ? now : null;
        },
        { what: 'its files ready', withinMs: 90_000 },
      );
      expect(ready.variants.map(({ status }) => status)).toEqual(networks.map(() => 'scheduled'));
      expect(await itemsOf(crier, text)).toEqual([]);
      await advance();
      const { media } = await published(crier, post.id);
      expect(media).toMatchObject([{ kind: 'video' }]);
      await expectServed(media[0]!.url!, film);
      const { [film.sha256]: kept, ...made } = await whoGotWhat(text);
      expect([kept, Object.values(made)]).toEqual([['youtube'], [['facebook', 'instagram', 'threads', 'tiktok', 'x']]]);
      const types = (await itemsOf(crier, text)).map((item) => [item.network, item.media[0]!.contentType]);
      expect(Object.fromEntries(types)).toEqual(
        Object.fromEntries(
          networks.map((network) => [network, network === 'youtube' ? 'video/quicktime' : 'video/mp4']),
        ),
      );
    },
  );

  test(
    'a transparent picture of 4000 pixels is live on the five Networks that accept pictures, in the form that each accepts',
    { timeout: 300_000 },
    async () => {
      const picture = await largePicture();
      const text = 'A picture to see through';
      const networks = ['facebook', 'instagram', 'threads', 'tiktok', 'x'] as const;
      const post = await createPost(crier, {
        text,
        channelIds: on(networks),
        media: [{ assetId: await upload(crier.api(), picture), altText: 'Half of it is red' }],
      });
      const { media } = await published(crier, post.id);
      await expectServed(media[0]!.url!, picture);
      const { [picture.sha256]: kept, ...made } = await whoGotWhat(text);
      expect([kept, Object.values(made).toSorted()]).toEqual([
        ['x'],
        [['facebook'], ['instagram', 'threads', 'tiktok']],
      ]);
      const types = (await itemsOf(crier, text)).map((item) => [item.network, item.media[0]!.contentType]);
      expect(Object.fromEntries(types)).toEqual(
        Object.fromEntries(networks.map((network) => [network, network === 'x' ? 'image/png' : 'image/jpeg'])),
      );
    },
  );

  test('a picture for youtube is refused before anything is converted, and stays free for another Post', async () => {
    const { picture } = MEDIA_FIXTURES;
    const assetId = await upload(crier.api(), fileOf(picture.contentType, Buffer.from(picture.bytes)));
    const refused = await crier
      .api()
      .send('POST', '/api/posts', { text: 'A picture as a film', channelIds: on(['youtube']), media: [{ assetId }] });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'post_refused']);
    expect(refused.body.error.blockers).toMatchObject([{ channelId: channels['youtube'], code: 'problem' }]);
    await published(
      crier,
      (await createPost(crier, { text: 'A picture on x', channelIds: on(['x']), media: [{ assetId }] })).id,
    );
  });

  test('a video that was not copied whole is refused when it is completed', async () => {
    const { bytes, contentType } = film;
    const assetId = await sendFile(crier.api(), fileOf(contentType, bytes.subarray(0, bytes.length / 2)));
    const { status, body } = await crier.api().send('POST', `/api/media/${assetId}/complete`);
    expect([status, body.error.code]).toEqual([422, 'media_unacceptable']);
  });

  test(
    'a video whose damage only decoding shows fails as soon as that is found, with a reason, long before it is due',
    { timeout: 300_000 },
    async () => {
      const { bytes, contentType } = film;
      const spoilt = fileOf(
        contentType,
        Buffer.concat([bytes.subarray(0, bytes.length / 3), Buffer.alloc(bytes.length - Math.floor(bytes.length / 3))]),
      );
      const post = await createPost(crier, {
        text: 'A third of a film',
        channelIds: on(['x', 'threads']),
        media: [{ assetId: await upload(crier.api(), spoilt) }],
        scheduledAt: await inAnHour(),
      });
      for (const { failureReason, failureDetail, mediaReady } of (await failed(crier, post.id)).variants) {
        expect([failureReason, mediaReady]).toEqual(['media_problem', false]);
        expect(failureDetail).toMatch(/^The video (breaks off after|is damaged)/);
      }
      expect(await itemsOf(crier, 'A third of a film')).toEqual([]);
    },
  );
});

describe('covers of a film', () => {
  const { photo, square } = MEDIA_FIXTURES;

  interface Shown {
    readonly cover?: { readonly sha256?: string; readonly atSeconds?: number };
  }

  /** By Network: how its simulator says what the film shows before it is played. */
  async function coversOf(text: string) {
    const items = (await crier.sandbox().items()) as readonly (MediaItemJson & { readonly options?: Shown })[];
    return new Map(items.filter((item) => item.text === text).map(({ network, options }) => [network, options?.cover]));
  }
  async function sizeOf(sha256: string | undefined): Promise<string> {
    const answer = await fetch(`${crier.ready.sandboxUrl}/sandbox/files/${sha256}`);
    const { format, width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    return `${format} ${width}x${height}`;
  }

  test(
    'an upload, an address and instants are shown by each Network as it takes them, and count as files of the Post',
    { timeout: 300_000 },
    async () => {
      const text = 'A film with covers';
      const used = async () => (await crier.api().send('GET', '/api/usage')).body.data.used.storageBytes;
      const before = await used();
      const [video, picture] = [
        await upload(crier.api(), film),
        await upload(crier.api(), fileOf(photo.contentType, Buffer.from(photo.bytes))),
      ];
      const { bytes, contentType } = square;
      const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
      internet.behave(answer(200, { headers, body: bytes }));
      const [page, gram, tube, tok] = on(['facebook', 'instagram', 'youtube', 'tiktok']);
      const { id } = await createPost(crier, {
        text,
        channelIds: [page, gram, tube, tok],
        media: [{ assetId: video }],
        channelOptions: {
          [page!]: { cover: { assetId: picture } },
          [gram!]: { cover: { url: `${internet.url}cover` } },
          [tube!]: { cover: { atSeconds: 1.5 } },
          [tok!]: { cover: { atSeconds: 1.5 } },
        },
      });
      const { media } = await published(crier, id);
      expect(media).toHaveLength(1);
      const covers = await coversOf(text);
      const sizes = await Promise.all(
        (['facebook', 'instagram', 'youtube'] as const).map((network) => sizeOf(covers.get(network)?.sha256)),
      );
      expect(sizes).toEqual(['jpeg 1080x1920', 'jpeg 1080x1920', 'jpeg 1280x720']);
      expect(covers.get('tiktok')).toEqual({ atSeconds: 1.5 });
      expect((await used()) - before).toBe(film.bytes.length + photo.bytes.length + bytes.length);
    },
  );
});

describe('a file at an address', () => {
  const { photo, picture, square } = MEDIA_FIXTURES;
  const has = ({ contentType, bytes }: { readonly contentType: string; readonly bytes: Uint8Array }): Behaviour =>
    answer(200, { headers: { 'content-type': contentType, 'content-length': String(bytes.length) }, body: bytes });
  let posts = 0;
  const byAddress = async (behaviours: readonly Behaviour[], more: object = {}) => {
    internet.behave(...behaviours);
    const url = `${internet.url}picture-${posts++}`;
    return createPost(crier, {
      text: `From ${url}`,
      channelIds: on(['facebook', 'threads']),
      media: [{ url }],
      ...more,
    });
  };

  test('is fetched once and published', async () => {
    const before = internet.requests.length;
    const { id, text } = await byAddress([has(photo)]);
    const { media } = await published(crier, id);
    expect(internet.requests.slice(before).map(({ method }) => method)).toEqual(['HEAD', 'GET']);
    await expectServed(media[0]!.url!, fileOf(photo.contentType, Buffer.from(photo.bytes)));
    expect((await itemsOf(crier, text)).map(({ network }) => network).toSorted()).toEqual(['facebook', 'threads']);
  });

  test.each<[string, Behaviour, RegExp]>([
    ['has another type', has(picture), /has image\/png now; it had image\/jpeg when the Post was made/],
    ['has grown', has({ ...square, bytes: Buffer.concat([square.bytes, photo.bytes]) }), /has grown/],
    ['is gone', answer(404), /404/],
    [
      'has words under the name of a picture',
      has({ contentType: 'image/jpeg', bytes: Buffer.from('no picture at all') }),
      /none that can be posted/,
    ],
  ])(
    'that %s once it is fetched fails its Variants at once, with a reason, long before they are due',
    async (_what, then, words) => {
      const { id, text } = await byAddress([has(square), then], { scheduledAt: await inAnHour() });
      for (const { failureReason, failureDetail } of (await failed(crier, id)).variants) {
        expect(failureReason).toBe('media_problem');
        expect(failureDetail).toMatch(words);
      }
      expect(await itemsOf(crier, text)).toEqual([]);
    },
  );
});
