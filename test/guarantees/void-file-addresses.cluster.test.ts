import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { fileOf, upload, type MediaPostJson } from './media-files.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)(
  'addresses of files on Kafka and Cassandra',
  { timeout: 300_000 },
  () => {
    const name = `addresses_${randomBytes(6).toString('hex')}`;
    const dataDir = mkdtempSync(join(tmpdir(), 'crier-test-files-'));
    const running: CrierUnderTest[] = [];

    beforeAll(async () => {
      const env = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      running.push(await CrierUnderTest.start({ name: `${name}-all`, engine: 'cluster', env, dataDir }));
      const roles = ['ingress'];
      running.push(await CrierUnderTest.start({ name: `${name}-more`, engine: 'cluster', env, dataDir, roles }));
    }, 300_000);
    afterAll(async () => {
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()));
      await dropKeyspace(cassandra.address!, name);
      rmSync(dataDir, { recursive: true, force: true });
    });

    test('one that a Member makes void at one process is void at all within seconds, of a Post that waits and of one that is live', async () => {
      const [all, more] = running as [CrierUnderTest, CrierUnderTest];
      const ours = await foundWorkspace(all, 'ours');
      const api = all.api(ours.apiKey);
      const photo = fileOf('image/jpeg', Buffer.from(MEDIA_FIXTURES.square.bytes));
      const media = [{ assetId: await upload(api, photo) }];
      const content = { text: 'A picture', channelIds: [ours.channels.threads], media };
      const read = async (id: string) => (await api.getPost(id)) as MediaPostJson;
      const atBoth = (address: string) =>
        Promise.all(
          running.map(async ({ ports }) => {
            const { pathname } = new URL(address);
            return (await fetch(`http://127.0.0.1:${ports.api}${pathname}`)).status;
          }),
        );
      const voided = (id: string) => more.api(ours.apiKey).send('POST', `/api/posts/${id}/void-file-addresses`);
      const isVoid = (address: string) =>
        until(async () => (await atBoth(address)).every((status) => status === 404), {
          what: 'the address is void at both',
          withinMs: 20_000,
        });
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      const { id } = await api.createPost({ ...content, scheduledAt });
      const leaked = (await read(id)).media[0]!.url!;
      expect(await atBoth(leaked)).toEqual([200, 200]);
      const answer = await voided(id);
      expect([answer.status, answer.body.data.media[0].url === leaked]).toEqual([200, false]);
      await isVoid(leaked);
      expect(await atBoth((await read(id)).media[0]!.url!)).toEqual([200, 200]);

      const moved = { ...content, media: [{ assetId: await upload(api, photo) }], text: 'At once' };
      const now = await api.createPost(moved);
      const ended = await until(
        async () => {
          const post = await read(now.id);
          return post.variants.every(({ status }) => status === 'published') ? post : null;
        },
        { what: 'the Post is live', withinMs: 60_000 },
      );
      const live = ended.media[0]!.url!;
      expect((await voided(now.id)).body.data.media[0].url).toBe(null);
      await isVoid(live);
    });
  },
);
