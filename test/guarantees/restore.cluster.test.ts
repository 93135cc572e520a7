import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createCassandraRowWriter } from '#adapters/cassandra/row-writer.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { readConfig } from '#config/config.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import { unpack } from '#services/crier/backup/unpack.ts';
import { openUnpackedBackup, type OpenedBackup } from '#services/crier/cluster-backup/embedded-backup.ts';
import { readMark } from '#services/crier/cluster-backup/mark.ts';
import { restoreFromMark, verifyMark } from '#services/crier/cluster-backup/restore-from-mark.ts';
import { MOVED_TABLES } from '#services/crier/cluster-backup/tables-to-move.ts';
import { cassandraOf, kafkaOf } from '#services/crier/engines/cluster.ts';
import { DUE, PARKED, POSTS } from '#tables/declarations/tables.ts';
import { PUBLISH, TOPICS } from '#tables/declarations/topics.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { beginRestoring } from '#tables/repositories/restoring.ts';
import { installationSettings, runCrier, type CommandEnd } from '#testing/crier-cluster.ts';
import type { ApiClient, PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { startTrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { UNLIMITED } from './held.ts';
import { fileOf, upload } from './media-files.ts';
import { stopWhole } from './quiet-cluster.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();
/** Due after the backup, which gives way to all else on a busy machine, and before the cluster is released. */
const MEANWHILE_MS = 30_000;
const LATER_MS = 45_000;
const RELEASE = { restored: { overdue: 'ask' } };

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('an embedded installation on a cluster', () => {
  const name = `restore_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'crier-restore-'));
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await dropKeyspace(cassandra.address!, name);
  });

  test(
    'is there whole after a restore, is told why it can not be, and publishes what was due meanwhile once',
    { timeout: 900_000 },
    async () => {
      await using trusted = await startTrustedReceiver();
      await using networks = await CrierUnderTest.start({
        name: 'networks',
        env: { CRIER_DEMO: 'false', CRIER_LOG_LEVEL: 'warn' },
      });
      for (const network of ['x', 'threads'] as const) await networks.sandbox().limits(network, NO_LIMITS[network]);
      const shared = { ...UNLIMITED, ...trusted.settings, CRIER_SANDBOX_URL: networks.ready.sandboxUrl! };
      await using embedded = await CrierUnderTest.start({
        env: { ...shared, CRIER_EARLIEST_SCHEDULE_SECONDS: '0', CRIER_DEMO: 'false' },
      });
      const workspace = await foundWorkspace(embedded, 'outgrown');
      const { apiKey, workspaceId } = workspace;
      const posts = await write(embedded.api(apiKey), workspace.channels, `${trusted.receiver.url}${workspaceId}`);
      const backup = join(folder, 'backup.tar');
      const made = await runCrier(['backup', `--to=${backup}`, '--with-files'], { CRIER_DATA_DIR: embedded.dataDir });
      expect(made).toMatchObject({ code: 0, stderr: '' });
      const secrets = JSON.parse(readFileSync(join(embedded.dataDir, 'secrets.json'), 'utf8')) as { secret: string };
      await embedded.kill();

      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      const env = { ...settings, ...shared, CRIER_SECRET: secrets.secret, CRIER_DATA_DIR: join(folder, 'cluster') };
      const restore = (more: Record<string, string> = {}): Promise<CommandEnd> =>
        runCrier(['restore', '--engine=cluster', `--from=${backup}`], { ...env, ...more });
      expectRefused(await restore(), /run crier migrate/);
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      expectRefused(await restore({ CRIER_SECRET: settings['CRIER_SECRET']! }), /is not the secret of the backup/);

      const unpacked = join(folder, 'unpacked');
      const { manifest } = await unpack(backup, unpacked, () => false);
      const about = { schemaVersion: manifest.schemaVersion, backupAt: Date.parse(manifest.snapshotAt) };
      using opened = await openUnpackedBackup(unpacked, about);
      await leaveHalf(opened, name);
      const start = await runCrier(['start', '--engine=cluster', '--port=0', '--admin-port=0'], env);
      expect(start.code).toBe(1);
      expect(start.stderr).toMatch(/a restore was interrupted here/);
      const restored = await restore();
      expect(restored.code, restored.stderr).toBe(0);
      // What takes long says how far it is.
      expect(restored.stderr).toMatch(/^(crier: [\w.]+: \d+ (of \d+ rows|records)\n)*$/);
      expect(restored.stdout).toMatch(/all are in .*\nPublishing is held/);
      await everyRowIsThere(opened, name);
      expectRefused(await restore(), /is not empty: table workspaces has rows/);

      const { CRIER_DATA_DIR, ...ofProcess } = env;
      await using cluster = await CrierUnderTest.start({
        ...{ name, engine: 'cluster' as const, dataDir: CRIER_DATA_DIR! },
        env: ofProcess,
      });
      const api = cluster.api(apiKey);
      const before = await api.listPosts({ limit: '100' });
      expect(before.map(({ id, text }) => [id, text]).toSorted()).toEqual(
        posts.map(({ id, text }) => [id, text]).toSorted(),
      );
      await until(() => Date.now() > Date.parse(posts[1]!.variants[0]!.scheduledAt!) + 1_000, {
        what: 'a Post came due',
        withinMs: 60_000,
      });
      expect((await api.getPost(posts[1]!.id)).variants.map(({ status }) => status)).toEqual([
        'scheduled',
        'scheduled',
      ]);
      await cluster.admin().call('publishing.release', RELEASE);
      await until(async () => (await api.listPosts({ limit: '100' })).every(isOver), {
        what: 'every Variant is over',
        withinMs: 120_000,
        everyMs: 200,
      });
      const after = await api.listPosts({ limit: '100' });
      for (const { variants, text } of after)
        expect([text, ...variants.map(({ status, failureDetail }) => failureDetail ?? status)]).toEqual([
          text,
          ...variants.map(() => 'published'),
        ]);
      const items = await networks.sandbox().items();
      const live = after.flatMap(({ text, variants }) => variants.map(({ network }) => `${network} ${text}`));
      expect(items.map(({ network, text }) => `${network} ${text}`).toSorted()).toEqual(live.toSorted());
      const variants = after.flatMap((post) => post.variants.map(({ id }) => id));
      const told = (): ReadonlySet<string> =>
        new Set(
          trusted.receiver.requests
            .filter(({ method, path }) => method === 'POST' && path === `/${workspaceId}`)
            .map(({ body }) => JSON.parse(body.toString('utf8')).data.variant.id),
        );
      await until(() => variants.every((id) => told().has(id)), { what: 'the endpoint is told', withinMs: 60_000 });
      await markedAndVerified(cluster, env, join(folder, 'mark.json'));
    },
  );
});

/** The installation is backed up as docs/backup.md says, and compared with its mark: as it is, and after a record more. */
async function markedAndVerified(
  cluster: CrierUnderTest,
  env: Readonly<Record<string, string>>,
  mark: string,
): Promise<void> {
  const backup = (...args: readonly string[]): Promise<CommandEnd> =>
    runCrier(['backup', '--engine=cluster', ...args], env);
  const running = await backup();
  expect(running).toMatchObject({ code: 1, stderr: '' });
  expect(running.stdout).toMatch(/^hold +NO +publishing goes on/m);
  expect(running.stdout).toMatch(/^processes +NO .* 1 in consumer group workspace/m);
  expect(running.stdout).toMatch(/nodetool snapshot --tag crier-\w+ restore_/);
  expectRefused(await backup(`--to=${mark}`), /no mark is written: .*stop all processes/);
  await cluster.admin().call('publishing.hold', { reason: 'backup' });
  const config = readConfig({ ...env, CRIER_ENGINE: 'cluster' });
  const { CRIER_DATA_DIR: _, ...ofProcess } = env;
  await stopWhole({ cluster, env: ofProcess, config });
  expect(await backup(`--to=${mark}`)).toMatchObject({ code: 0, stderr: '' });
  expectRefused(await backup(`--to=${mark}`), /can't write .*EEXIST/);
  expect(await backup('--verify', `--from=${mark}`)).toMatchObject({ code: 0, stderr: '' });

  const written = readMark(readFileSync(mark, 'utf8'));
  const clock = createSystemClock();
  await restoreFromMark(config, written, clock);
  const store = createCassandraTableStore(cassandraOf(config));
  const { restoration } = await readHolds(store);
  expect(restoration?.backupAt).toBe(Date.parse(written.madeAt));
  await store.close();
  const log = createKafkaLog({ ...kafkaOf(config), topics: TOPICS, prefix: config.kafkaTopicPrefix, clock });
  await log.append(PUBLISH.x.name, [{ key: 'c', value: Buffer.from('a job of after the mark') }]);
  await log.close();
  const unfit = (await verifyMark(config, written)).filter(({ ok }) => !ok);
  expect(unfit.map(({ check }) => check)).toEqual(['log']);
  expect(unfit[0]!.detail).toMatch(/publish\.x\.v1: records were appended after the mark/);
}

/** One that is published, one that comes due while the copy is on its way, one with a file that comes due later. */
async function write(
  api: ApiClient,
  { x, threads }: { readonly x: string; readonly threads: string },
  url: string,
): Promise<readonly PostJson[]> {
  const endpoint = await api.send('POST', '/api/webhooks', { url, events: [...OUTCOME_TYPES] });
  expect(endpoint.status, JSON.stringify(endpoint.body)).toBe(201);
  const published = await api.createPost({ text: 'of before', channelIds: [x, threads] });
  await until(async () => isOver(await api.getPost(published.id)), { what: 'published', withinMs: 60_000 });
  const in_ = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const { contentType, bytes } = MEDIA_FIXTURES.photo;
  const assetId = await upload(api, fileOf(contentType, Buffer.from(bytes)));
  return [
    published,
    await api.createPost({ text: 'due meanwhile', channelIds: [x, threads], scheduledAt: in_(MEANWHILE_MS) }),
    await api.createPost({ text: 'due later', channelIds: [x], media: [{ assetId }], scheduledAt: in_(LATER_MS) }),
  ];
}

function isOver({ variants }: PostJson): boolean {
  return variants.every(({ status }) => status === 'published' || status === 'failed');
}

function expectRefused({ code, stdout, stderr }: CommandEnd, words: RegExp): void {
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
}

/** What a restore leaves that is killed amid the rows. */
async function leaveHalf({ backup }: OpenedBackup, keyspace: string): Promise<void> {
  const store = createCassandraTableStore({ ...cassandra.address!, keyspace });
  const writer = createCassandraRowWriter({ ...cassandra.address!, keyspace });
  await beginRestoring(store, { backup: backup.identity, since: Date.now() }, 'killed');
  await writer.write(POSTS, [...backup.reader.rows(POSTS, Date.now())].slice(0, 3), Date.now());
  await Promise.all([store.close(), writer.close()]);
}

async function everyRowIsThere({ backup }: OpenedBackup, keyspace: string): Promise<void> {
  const store = createCassandraTableStore({ ...cassandra.address!, keyspace });
  const soon = Date.now() + 60_000;
  for (const table of MOVED_TABLES) {
    const rows = [...backup.reader.rows(table, soon)];
    await parallelMap(16, rows, async ({ partition, clustering, body, format, version, token }) => {
      // The hold of the restore itself is written over what the backup had.
      if (table.name === 'publishing_holds' || table === PARKED) return;
      const there = await store.read(table, partition, clustering, { serial: true });
      const is = there && { ...there, body: Buffer.from(there.body) };
      expect(is, table.name).toEqual({ partition, clustering, body: Buffer.from(body), format, version, token });
    });
    if (table === DUE || table === POSTS) expect(rows.length, table.name).toBeGreaterThan(0);
  }
  await store.close();
}
