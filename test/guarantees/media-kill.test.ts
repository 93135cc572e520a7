import { afterAll, beforeAll, expect, test } from 'vitest';
import { childGroupsWith, isLiving, membersOf } from '#adapters/child-process/process-group.fixture.ts';
import type { Network } from '#domain/network.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import {
  createPost,
  fileOf,
  itemsOf,
  phoneFilm,
  published,
  readPost,
  unfinished,
  upload,
  type MadeFile,
} from './media-files.ts';

/**
 * Networks that share the converted file of one video that is stored on its side: one conversion, so that no Variant of
 * it is on its way to a Network meanwhile.
 */
const NETWORKS = ['facebook', 'instagram', 'threads', 'tiktok', 'x'] as const satisfies readonly Network[];
/**
 * A picture does not wait for a video, so it is on its way when the process is killed: these Networks can be asked for
 * the outcome.
 */
const ASKED = ['instagram', 'threads'] as const satisfies readonly Network[];
const { photo } = MEDIA_FIXTURES;
const DECODERS = ['ffmpeg', 'picture-worker'] as const;

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({
    name: 'media-kill',
    env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' },
  });
});
afterAll(() => crier?.[Symbol.asyncDispose]());

/** Process groups of this process that work on files. */
async function decoders(): Promise<readonly number[]> {
  const groups = await Promise.all(DECODERS.map((mark) => childGroupsWith(mark, crier.pid!)));
  return groups.flat();
}

/** Resolves once ffmpeg is stopped in a conversion that has progressed so far: it never ends by itself then. */
async function heldUp(hasCome: () => boolean): Promise<void> {
  await until(
    async () => {
      const [group] = await childGroupsWith('ffmpeg', crier.pid!);
      if (group === undefined || !hasCome()) return false;
      const pids = await membersOf(group, 'ffmpeg');
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      return pids.length > 0;
    },
    { what: 'ffmpeg is working', everyMs: 5, withinMs: 60_000 },
  );
}

const isWritten = () => unfinished(crier).some((path) => path.includes('/under-way/'));

async function noneLeft(groups: readonly number[]): Promise<void> {
  await until(async () => (await Promise.all(groups.map(isLiving))).every((living) => !living), {
    what: 'no decoder left',
  });
}

test(
  'killed with -9 twice, and ended with SIGTERM once, while a video is converted: its Post and another are live once on every Network, and no unfinished file is left',
  { timeout: 300_000 },
  async () => {
    const [film, picture] = [
      await phoneFilm({ size: '1280x720', seconds: 6 }),
      fileOf(photo.contentType, Buffer.from(photo.bytes)),
    ];
    const { channels } = crier.ready.demo!;
    const post = async (text: string, file: MadeFile, networks: readonly Network[]) => {
      const channelIds = networks.map((network) => channels[network]!);
      // Of the video at an instant, which ffmpeg takes too.
      const channelOptions = file === film ? { [channels['facebook']!]: { cover: { atSeconds: 3 } } } : {};
      const media = [{ assetId: await upload(crier.api(), file) }];
      return { networks, ...(await createPost(crier, { text, channelIds, media, channelOptions })) };
    };
    const posts = [await post('A film', film, NETWORKS), await post('A photo', picture, ASKED)];
    for (const [how, hasCome] of [
      ['kill', () => true],
      ['kill', isWritten],
      ['stop', isWritten],
    ] as const) {
      await heldUp(hasCome);
      const groups = await decoders();
      const ended = await crier[how]();
      await noneLeft(groups);
      expect(ended).toEqual(how === 'kill' ? { code: null, signal: 'SIGKILL' } : { code: 0, signal: null });
      if (how === 'stop') expect(unfinished(crier), 'ended by SIGTERM, it removes its files').toEqual([]);
      await crier.start();
      expect((await readPost(crier, posts[0]!.id)).variants.map(({ mediaReady }) => mediaReady)).toEqual(
        NETWORKS.map(() => false),
      );
    }
    for (const { id, text, networks } of posts) {
      await published(crier, id, 120_000);
      const items = await itemsOf(crier, text);
      expect(items.map(({ network, media }) => [network, media.length]).toSorted()).toEqual(
        networks.map((network) => [network, 1]),
      );
      expect(new Set(items.map(({ media }) => media[0]!.sha256)).size, 'made once for all of them').toBe(1);
    }
    const [onPage] = (await itemsOf(crier, posts[0]!.text)).filter(({ network }) => network === 'facebook');
    expect(onPage).toMatchObject({ options: { cover: { sha256: expect.any(String) } } });
    await until(() => unfinished(crier).length === 0, { what: 'no unfinished files' });
    const { body } = await crier.api().send('GET', '/api/usage');
    expect(body.data.used.storageBytes).toBe(film.bytes.length + picture.bytes.length);
  },
);
