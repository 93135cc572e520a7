import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { fileOf, upload, type MediaPostJson } from './media-files.ts';

const HOUR = 3_600_000;
/** These fetch pictures by the addresses that they are handed. */
const FETCHING = ['instagram', 'threads', 'tiktok'] as const;
const PHOTO = fileOf('image/jpeg', Buffer.from(MEDIA_FIXTURES.square.bytes));

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
});
afterAll(() => crier[Symbol.asyncDispose]());

const channelsOf = (networks: readonly string[]) => networks.map((network) => crier.ready.demo!.channels[network]!);

async function postOf(fields: object): Promise<MediaPostJson> {
  const media = [{ assetId: await upload(crier.api(), PHOTO) }];
  return (await crier.api().createPost({ text: 'A picture', media, ...fields })) as MediaPostJson;
}

const read = async (id: string) => (await crier.api().getPost(id)) as MediaPostJson;
const urlOf = async (id: string) => (await read(id)).media[0]!.url;
const statusOf = async (url: string) => (await fetch(url)).status;
const isVoid = (url: string) => until(async () => (await statusOf(url)) === 404, { what: `${url} is void` });

async function makeVoid(id: string): Promise<string | null> {
  const { status, body } = await crier.api().send('POST', `/api/posts/${id}/void-file-addresses`);
  expect(status).toBe(200);
  return body.data.media[0].url;
}

const ended = (id: string) =>
  until(
    async () => {
      const post = await read(id);
      return post.variants.every(({ status }) => status === 'published' || status === 'failed') ? post : null;
    },
    { what: 'the Post has ended' },
  );

test('the address of a waiting Post is void, and Networks that fetch by address publish its file all the same', async () => {
  const scheduledAt = new Date(Date.now() + HOUR).toISOString();
  const { id } = await postOf({ channelIds: channelsOf(FETCHING), scheduledAt });
  const leaked = (await urlOf(id))!;
  expect(await statusOf(leaked)).toBe(200);
  const next = (await makeVoid(id))!;
  await isVoid(leaked);
  expect([next === leaked, await statusOf(next)]).toEqual([false, 200]);
  await until(async () => (await read(id)).variants.every(({ mediaReady }) => mediaReady), {
    what: 'the files are ready',
  });
  await crier.admin().advance(HOUR);
  const { variants, media } = await ended(id);
  expect(variants.map(({ status, failureDetail }) => [status, failureDetail])).toEqual(
    FETCHING.map(() => ['published', null]),
  );
  expect(media[0]!.url).toBe(null);
  await isVoid(next);
});

test('a file that a Network was about to fetch when its address was made void is published once, by the next address', async () => {
  await crier.sandbox().fault({ network: 'instagram', fault: 'delay', call: 'media.create', delayMs: 8_000 });
  const { id } = await postOf({ channelIds: channelsOf(['instagram']), text: 'Under way' });
  await until(async () => (await crier.sandbox().send('GET', '/sandbox/faults')).body.faults.length === 0, {
    what: 'Instagram has been handed the address',
  });
  await makeVoid(id);
  const created = async () => (await crier.sandbox().calls('instagram')).filter(({ call }) => call === 'media.create');
  await until(async () => (await created()).at(-1)?.status === 400, { what: 'Instagram could not fetch the file' });
  await crier.admin().advance(HOUR / 2);
  const { variants } = await ended(id);
  expect(variants.map(({ status, failureDetail }) => [status, failureDetail])).toEqual([['published', null]]);
  const items = await crier.sandbox().items({ network: 'instagram' });
  expect(items.filter(({ text }) => text === 'Under way')).toHaveLength(1);
  expect((await created()).slice(-2).map(({ status }) => status)).toEqual([400, 200]);
});

test('the address of a Post that is live is void for good, over a restart too', async () => {
  const { id } = await postOf({ channelIds: channelsOf(['x']), text: 'It is live' });
  await ended(id);
  const leaked = (await urlOf(id))!;
  expect(await statusOf(leaked)).toBe(200);
  expect(await makeVoid(id)).toBe(null);
  await isVoid(leaked);
  await crier.restart('kill');
  expect([await statusOf(leaked), await urlOf(id)]).toEqual([404, null]);
});
