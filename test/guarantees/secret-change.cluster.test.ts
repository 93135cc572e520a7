import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { CANARY_STAGES } from '#domain/canary.ts';
import type { PostJson } from '#testing/crier-clients.ts';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';
import { expectLookUps } from './operator-look-ups.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();
/** Due from two seconds on, one a second, throughout the change. */
const POSTS = 45;
const CANARY_ON = { CRIER_CANARY: 'on', CRIER_CANARY_EVERY_SECONDS: '15' };
/**
 * Beyond what the restarts took, as anywhere: of each Network's one publisher nothing is sent while it starts, and then
 * what came due meanwhile is, one after the other.
 */
const LATEST_MS = 60_000;

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('two processes of a cluster', () => {
  const name = `change_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'share the Networks by setting, and change the secret of the installation while Posts are due',
    { timeout: 900_000 },
    async () => {
      const [former, next] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      const common = { ...settings, CRIER_SECRET: former, CRIER_REQUESTS_PER_MINUTE: '0', CRIER_LOG_LEVEL: 'warn' };
      expect(await runCrier(['migrate', '--engine=cluster'], common)).toMatchObject({ code: 0, stderr: '' });
      const env: Record<string, string> = { ...common, CRIER_PUBLISH_NETWORKS: 'x', ...CANARY_ON };
      await using crier = await CrierUnderTest.start({ name, engine: 'cluster', env });
      for (const network of ['x', 'threads'] as const) await crier.sandbox().limits(network, NO_LIMITS[network]);
      const { apiKey, channels, workspaceId } = await foundWorkspace(crier, 'a client');
      const channelIds = [channels.x, channels.threads];
      const api = () => crier.api(apiKey);
      const statuses = ({ variants }: PostJson) => Object.fromEntries(variants.map((one) => [one.network, one.status]));

      const { id } = await api().createPost({ text: 'of two processes', channelIds });
      const first = async () => statuses(await api().getPost(id));
      await until(async () => (await first())['x'] === 'published', { what: 'x is published', withinMs: 60_000 });
      expect(await first()).toEqual({ x: 'published', threads: 'scheduled' });

      const besideEnv: Record<string, string> = {
        ...common,
        ...{ CRIER_ROLES: 'workspace,publisher', CRIER_PUBLISH_NETWORKS: 'threads,facebook', CRIER_DEMO: 'false' },
        CRIER_SANDBOX_URL: crier.ready.sandboxUrl!,
      };
      await using beside = await CrierUnderTest.start({ name: `${name}_beside`, engine: 'cluster', env: besideEnv });
      await until(async () => (await first())['threads'] === 'published', { what: 'threads too', withinMs: 60_000 });
      await expectLookUps({ crier, env, workspaceId, post: await api().getPost(id) });

      const from = Date.now() + 2_000;
      for (let n = 0; n < POSTS; n++)
        await api().createPost({
          text: `due ${n}`,
          channelIds,
          scheduledAt: new Date(from + n * 1_000).toISOString(),
        });
      let restartsMs = 0;
      const restartWith = async (process: CrierUnderTest, secret: string, previous: string): Promise<void> => {
        const stoppedAt = Date.now();
        Object.assign(process === crier ? env : besideEnv, { CRIER_SECRET: secret, CRIER_PREVIOUS_SECRETS: previous });
        await process.restart('stop');
        restartsMs += Date.now() - stoppedAt;
      };
      for (const process of [beside, crier]) await restartWith(process, former, next);
      await restartWith(crier, next, former);
      const refused = await crier.admin().send('secrets.reseal', {});
      expect(refused.body.error.message).toContain(`(http://127.0.0.1:${beside.ports.admin})`);
      await restartWith(beside, next, former);
      const resealed = await crier.admin().call('secrets.reseal');
      expect(resealed).toMatchObject({ finished: true, unopenable: 0 });
      expect(resealed.resealed).toBeGreaterThanOrEqual(3);
      const { keys } = await crier.admin().call('secrets.status');
      expect(keys).toMatchObject([{ secret: 'current' }, { secret: 'previous', total: 0 }]);
      for (const process of [beside, crier]) await restartWith(process, next, '');

      // Made by the process with ingress, and published by the other.
      const canary = async (series: string): Promise<number> => crier.admin().metric(`crier_canary_${series}`);
      await until(async () => (await canary('stage_seconds_count{stage="told"}')) > 0, {
        what: 'a Post of the canary came through all stages',
        withinMs: 120_000,
      });
      for (const stage of CANARY_STAGES) expect(await canary(`failures_total{stage="${stage}"}`), stage).toBe(0);

      const all = async (): Promise<readonly PostJson[]> => api().listPosts({ limit: '100' });
      const open = async () =>
        (await all()).flatMap(({ variants }) => variants).filter(({ status }) => status !== 'published');
      await until(async () => (await open()).length === 0, { what: 'all are published', withinMs: 240_000 });
      const live = (await crier.sandbox().items()).filter(({ text }) => text.startsWith('due '));
      expect(live.map(({ network, text }) => `${network} ${text}`).toSorted()).toEqual(
        ['threads', 'x']
          .flatMap((network) => Array.from({ length: POSTS }, (_, n) => `${network} due ${n}`))
          .toSorted(),
      );
      const late = live.map(({ text, publishedAt }) => Date.parse(publishedAt) - from - 1_000 * Number(text.slice(4)));
      expect(Math.max(...late)).toBeLessThan(restartsMs + LATEST_MS);
      expect(Math.max(...live.map(({ publishedAt }) => Date.parse(publishedAt)))).toBeGreaterThan(from);
      expect((await crier.admin().call('workspaces.get', { workspaceId })).channels).toMatchObject([
        { state: 'connected' },
        { state: 'connected' },
      ]);
    },
  );
});
