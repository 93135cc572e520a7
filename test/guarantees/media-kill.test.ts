import { afterAll, beforeAll, expect, test } from 'vitest';
import { childGroupsWith, isLiving } from '#adapters/child-process/process-group.fixture.ts';
import type { Network } from '#domain/network.ts';
import { CrierProcess } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { createPost, fileOf, itemsOf, phoneFilm, published, readPost, unfinished, upload } from './media-files.ts';

/** Those that share what is made of a lying film: one conversion, so that nothing is on its way to a Network while it lasts. */
const NETWORKS = ['facebook', 'instagram', 'threads', 'tiktok', 'x'] as const satisfies readonly Network[];
const { photo } = MEDIA_FIXTURES;
const DECODERS = ['ffmpeg', 'adapters/sharp/worker'] as const;

let crier: CrierProcess;
beforeAll(async () => {
  crier = await CrierProcess.start({ name: 'media-kill', env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' } });
});
afterAll(() => crier?.[Symbol.asyncDispose]());

/** Process groups of this process's that work on files. */
async function decoders(): Promise<readonly number[]> {
  const groups = await Promise.all(DECODERS.map((mark) => childGroupsWith(mark, crier.pid!)));
  return groups.flat();
}

/** A part of it is on disk: the conversion is well under way. */
async function writing(): Promise<boolean> {
  const groups = await childGroupsWith('ffmpeg', crier.pid!);
  return groups.length > 0 && unfinished(crier).some((path) => path.includes('/under-way/'));
}

async function noneLeft(groups: readonly number[]): Promise<void> {
  await until(async () => (await Promise.all(groups.map(isLiving))).every((living) => !living), { what: 'no decoder left' });
}

test('killed with -9 twice, and told to end once, while a film and a picture are made: both are live once on every Network, and nothing is left of what was under way', { timeout: 240_000 }, async () => {
  const [film, picture] = [await phoneFilm({ size: '1280x720', seconds: 8 }), fileOf(photo.contentType, Buffer.from(photo.bytes))];
  const channelIds = NETWORKS.map((network) => crier.ready.demo!.channels[network]!);
  const texts = ['A long film', 'A photo'];
  const [filmed, pictured] = [await upload(crier, film), await upload(crier, picture)];
  const posts = [
    await createPost(crier, { text: texts[0], channelIds, media: [{ assetId: filmed }] }),
    await createPost(crier, { text: texts[1], channelIds: channelIds.slice(0, 3), media: [{ assetId: pictured }] }),
  ];
  await until(async () => (await childGroupsWith('ffmpeg', crier.pid!)).length > 0, { what: 'ffmpeg at work', everyMs: 5, withinMs: 60_000 });
  for (const how of ['kill', 'kill', 'stop'] as const) {
    const groups = await decoders();
    expect(groups.length).toBeGreaterThan(0);
    const ended = await crier[how]();
    await noneLeft(groups);
    expect(ended).toEqual(how === 'kill' ? { code: null, signal: 'SIGKILL' } : { code: 0, signal: null });
    if (how === 'stop') expect(unfinished(crier), 'one that is told to end takes its files with it').toEqual([]);
    await crier.start();
    expect((await readPost(crier, posts[0]!.id)).variants.map(({ mediaReady }) => mediaReady), 'cut off in time').toEqual(NETWORKS.map(() => false));
    if (how !== 'stop') await until(writing, { what: 'the conversion begun anew', everyMs: 5, withinMs: 60_000 });
  }
  for (const { id } of posts) await published(crier, id, 120_000);
  for (const [index, text] of texts.entries()) {
    const items = await itemsOf(crier, text);
    expect(items.map(({ network }) => network).toSorted(), text).toEqual([...NETWORKS].slice(0, index === 0 ? 5 : 3).toSorted());
    for (const { media } of items) expect(media).toHaveLength(1);
  }
  expect(new Set((await itemsOf(crier, texts[0]!)).map(({ media }) => media[0]!.sha256)).size).toBe(1);
  await until(() => unfinished(crier).length === 0, { what: 'nothing under way' });
  const { body } = await crier.api().send('GET', '/api/usage');
  expect(body.data.used.storageBytes).toBe(film.bytes.length + picture.bytes.length);
});
