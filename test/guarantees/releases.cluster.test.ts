import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { readsUpTo, RELEASE } from '#tables/release.ts';
import { readStoredFormat, writeStoredFormat } from '#tables/repositories/written-formats.ts';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';
import { plantRelease } from './planted-release.ts';
import { DuePosts, expectAllInTime, writesOf } from './releases.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();
/** Beside a sandbox that is no process of the installation. */
const ROLES = ['ingress', 'workspace', 'scheduler', 'publisher', 'media', 'webhooks', 'admin'];

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('on Kafka and Cassandra', () => {
  const name = `releases_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'the next release beside this one, alone, and back, before and after its format is written: Posts in time, once',
    { timeout: 900_000 },
    async ({ annotate }) => {
      using planted = plantRelease({ adds: true });
      await using networks = await CrierUnderTest.start({ name: 'networks', env: { CRIER_LOG_LEVEL: 'warn' } });
      for (const network of ['x', 'threads'] as const) await networks.sandbox().limits(network, NO_LIMITS[network]);
      const env = {
        ...installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name }),
        CRIER_SANDBOX_URL: networks.ready.sandboxUrl!,
        CRIER_REQUESTS_PER_MINUTE: '0',
        CRIER_LOG_LEVEL: 'warn',
        CRIER_DRAIN_DELAY_SECONDS: '0',
      };
      expect(await runCrier(['migrate'], env)).toMatchObject({ code: 0, stderr: '' });
      const make = (of: string, program?: readonly string[]) =>
        CrierUnderTest.make({ name: of, engine: 'cluster', roles: ROLES, env, ...(program && { program }) });
      await using ours = await make('ours');
      await using theirs = await make('theirs', [planted.crier, 'start']);
      await ours.start(120_000);
      const workspace = await foundWorkspace(ours, name, { credits: 100_000 });
      const posts = new DuePosts(() => [ours, theirs], workspace);
      posts.begin();
      await posts.more(3);

      // Beside each other: nothing of the new format is written.
      const migrated = await runCrier(['migrate'], env, { crier: planted.crier });
      expect(migrated).toMatchObject({ code: 0, stderr: '' });
      expect(migrated.stdout).toMatch(/CREATE TABLE [^\n]*planted[^\n]*\nALTER TABLE \S+posts ADD "?planted"? text\n/);
      await theirs.start(120_000);
      await posts.more(3);
      const both = async () => {
        const status = await theirs.admin().call('cluster.status');
        return status.processes.length === 2 ? status : null;
      };
      const beside = await until(both, { what: 'both processes seen', withinMs: 60_000 });
      expect(beside).toMatchObject({ writes: RELEASE.format, canRaiseTo: null });
      expect(beside.processes.map(({ knows }: { knows: number }) => knows).toSorted()).toEqual([
        RELEASE.format,
        planted.format,
      ]);
      // Back to this release, which needs nothing.
      await theirs.kill();
      await posts.more(3);

      // On to the next one alone, until its format is written.
      await theirs.start(120_000);
      await ours.stop();
      await until(async () => (await writesOf(theirs)) === planted.format, {
        what: 'the new format written',
        withinMs: 180_000,
        everyMs: 1_000,
      });
      await posts.more(3);
      // Back all the same, since it only added: also what the next release left behind when it was killed.
      await ours.start(120_000);
      await until(async () => (await writesOf(ours)) === RELEASE.format, { what: 'lowered', withinMs: 60_000 });
      await theirs.kill();
      await posts.more(3);
      await posts.end();
      const { posts: count, unconfirmed, latestMs } = await expectAllInTime(posts, { crier: ours, networks, kills: 2 });
      await annotate(
        `${count} Posts over four changes of release, none twice, ${unconfirmed} unconfirmed, the latest ${latestMs} ms late`,
      );

      // What this release can not read ends it in one sentence, while it runs and when it is started.
      const store = createCassandraTableStore({ ...cassandra.address!, keyspace: name });
      const next = { format: readsUpTo() + 1, release: '99.0.0', token: 'of a later generation' };
      expect(await writeStoredFormat(store, await readStoredFormat(store), next)).toBe(true);
      await store.close();
      const end = new RegExp(
        `^crier: the data is written in format ${next.format} by release 99\\.0\\.0, and this release reads up to `,
      );
      expect(await ours.ended).toEqual({ code: 1, signal: null });
      ours.launch();
      expect(await ours.ended).toEqual({ code: 1, signal: null });
      expect(ours.errorLines()).toEqual([expect.stringMatching(end), expect.stringMatching(end)]);
    },
  );
});
