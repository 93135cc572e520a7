import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childGroupsWith } from '#adapters/child-process/process-group.fixture.ts';
import { CRIER, CrierUnderTest } from '#testing/crier-process.ts';
import { inheritedEnvironment } from '#testing/engines/environment.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { createPost, fileOf, phoneFilm, published, readPost, upload } from './media-files.ts';

const DEATHS = 3;

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ name: 'media-poison', env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
});
afterAll(() => crier?.[Symbol.asyncDispose]());

const isConverting = async (): Promise<boolean> => (await childGroupsWith('ffmpeg', crier.pid!)).length > 0;

test(
  `a video that ends the process ${DEATHS} times while it is converted is skipped by the next one: others are served, its Post fails at the end of its window`,
  { timeout: 300_000 },
  async () => {
    const channelIds = [crier.ready.demo!.channels['threads']!];
    const film = await upload(crier.api(), await phoneFilm());
    const { id } = await createPost(crier, { text: 'A film', channelIds, media: [{ assetId: film }] });
    for (let death = 1; death <= DEATHS; death++) {
      await until(isConverting, { what: `conversion ${death}`, everyMs: 5, withinMs: 60_000 });
      await crier.kill();
      await crier.start();
    }
    const { parked } = await until(
      async () => {
        const list: any = await crier.admin().call('parked.list');
        return list.parked.length > 0 ? list : null;
      },
      { what: 'its job is parked' },
    );
    expect(parked).toMatchObject([
      { topic: 'media.jobs.v1', key: id, error: expect.stringContaining('last three processes') },
    ]);
    const { photo } = MEDIA_FIXTURES;
    const picture = await upload(crier.api(), fileOf(photo.contentType, Buffer.from(photo.bytes)));
    await published(
      crier,
      (await createPost(crier, { text: 'A photo', channelIds, media: [{ assetId: picture }] })).id,
    );
    expect(await isConverting()).toBe(false);
    await promisify(execFile)(CRIER, ['dev', 'advance', '2h', `--data-dir=${crier.dataDir}`], {
      env: inheritedEnvironment(),
    });
    const post = await until(
      async () => {
        const read = await readPost(crier, id);
        return read.variants[0]!.status === 'failed' ? read : null;
      },
      { what: 'its Variant failed' },
    );
    expect(post.variants[0]).toMatchObject({
      failureReason: 'media_problem',
      failureDetail: expect.stringContaining('still being prepared'),
    });
  },
);
