import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ApiClient, type PostJson } from '#testing/crier-clients.ts';
import { foundTenant, type Tenant } from '#testing/crier-cluster.ts';
import { until } from '#testing/until.ts';
import { RELEASE } from '#tables/release.ts';
import { plantRelease } from '../guarantees/planted-release.ts';
import { allPublished, RolloutLoad } from '../guarantees/rollout-load.ts';
import { CHART } from './helm.ts';
import { inventory } from './inventory.ts';
import {
  adminOf,
  inventoryOnceSettled,
  NAMESPACE,
  prepareNamespace,
  pushImages,
  sandboxOf,
  serviceUrl,
  uploadPicture,
} from './installation.ts';
import { chartOfRelease, chartVersion, chartWithFault } from './release-chart.ts';
import { expectEachOnce, inWords, rolloutFigures } from './rollout-figures.ts';
import { startTestCluster, type TestCluster } from './test-cluster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RESTORE = join(ROOT, 'helm/examples/small/restore.yaml');
const ROLLOUT = '10m';
const PACE = { pauseMs: 1_000, dueInMs: 5_000 };
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const EVERY_MINUTE = '* * * * *';
const NIGHTLY = '17 3 * * *';

let cluster: TestCluster;
let tenant: Tenant;
/** What the namespace had before the release. */
let found: readonly string[];

const helm = (verb: string, ...args: readonly string[]): Promise<string> =>
  cluster.helm.run(verb, 'crier', ...args, '--namespace', NAMESPACE);
const waiting: readonly string[] = ['--wait', '--timeout', ROLLOUT];

/** A file of values with this schedule of backups, of which the last one is kept. */
function valuesWith(schedule: string): readonly string[] {
  const file = join(cluster.folder, 'single.json');
  const settings = { CRIER_EARLIEST_SCHEDULE_SECONDS: 0, CRIER_NETWORK_BUDGETS: 'off', CRIER_REQUESTS_PER_MINUTE: 0 };
  const backup = { enabled: true, existingClaim: 'crier-backups', withFiles: true, keep: 1, schedule };
  // Only a pod's own loopback has the sandbox otherwise, and this test asks it what is live.
  const extraEnv = [
    { name: 'CRIER_SANDBOX_HOST', value: '0.0.0.0' },
    { name: 'CRIER_SANDBOX_URL', value: 'http://localhost:8090' },
  ];
  const single = { backup, extraEnv, persistence: { size: '1Gi' } };
  writeFileSync(file, JSON.stringify({ settings, single, secrets: { existingSecret: 'crier' } }));
  return ['--values', file];
}

beforeAll(async () => {
  cluster = await startTestCluster('single');
  await pushImages(cluster, ROOT, chartVersion());
  await prepareNamespace(cluster, NAMESPACE);
  await claim('crier-backups');
  found = await inventoryOnceSettled(cluster);
}, 600_000);

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
}, 120_000);

describe('the chart on a real API server, in mode single', () => {
  test('is installed, and its own test passes', { timeout: 700_000 }, async () => {
    const from = Date.now();
    await helm('install', CHART, ...valuesWith(EVERY_MINUTE), ...waiting);
    cluster.tell(`mode single: installed in ${seconds(from)}`);
    expect(await helm('test', '--timeout', '10m')).toMatch(/Phase:\s+Succeeded/);
    expect(cluster.agent.mishaps(NAMESPACE)).toEqual([]);
  });

  let post: PostJson;
  test('publishes a Post with a picture that was written through its Service', { timeout: 300_000 }, async () => {
    tenant = await foundTenant(await adminOf(cluster, 'single'), 'one');
    const url = await serviceUrl(cluster, 'crier');
    const api = new ApiClient(url, tenant.apiKey);
    const media = [{ assetId: await uploadPicture(api, url) }];
    post = await api.createPost({ text: 'On one disk', channelIds: Object.values(tenant.channels), media });
    await allPublished(url, [tenant], 120_000);
    const items = await (await sandboxOf(cluster, 'single')).items();
    expect(items.map(({ network, media: { length } }) => [network, length]).toSorted()).toEqual([
      ['threads', 1],
      ['x', 1],
    ]);
  });

  test('is backed up by its CronJob, each backup is verified, and one is kept', { timeout: 600_000 }, async () => {
    const done = await until(
      async () => {
        const jobs = (await cluster.api.list(JOBS)).filter(({ metadata }) => /^crier-backup-/.test(metadata.name));
        expect(jobs.filter(({ status }) => status.failed > 0)).toEqual([]);
        const complete = jobs.filter(({ status }) => status.succeeded === 1);
        if (complete.length >= 2) return complete;
        throw new Error(
          `jobs: ${JSON.stringify(jobs.map(({ status }) => status))}\n${cluster.output(NAMESPACE, 'crier-backup')}`,
        );
      },
      { what: 'two backups', withinMs: 500_000, everyMs: 1_000 },
    );
    // What runs already is waited for, so that the archive of below is not replaced meanwhile.
    await helm('upgrade', CHART, ...valuesWith(NIGHTLY), ...waiting);
    await until(async () => (await cluster.api.list(JOBS)).every(({ status }) => status.succeeded === 1), {
      what: 'no backup under way',
      withinMs: 120_000,
      everyMs: 1_000,
    });
    cluster.tell(`mode single: ${done.length} backups by the CronJob, each verified`);
    expect(backups()).toHaveLength(1);
    expect(cluster.output(NAMESPACE, 'crier-backup')).toMatch(/removed crier-backup-\S+\.crier-backup/);
  });

  test(
    'is restored into a new disk by the Job of the examples, held until it is released',
    { timeout: 600_000 },
    async () => {
      const from = Date.now();
      await cluster.api.patch(`/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/crier/scale`, {
        spec: { replicas: 0 },
      });
      await until(async () => (await podsOf('single')).length === 0, { what: 'the process ended', everyMs: 500 });
      const [name] = backups() as [string];
      const objects = parseAllDocuments(readFileSync(RESTORE, 'utf8').replace('NAME.crier-backup', name)).map(
        (document) => document.toJS(),
      );
      for (const object of objects)
        await cluster.api.create(
          object.kind === 'Job' ? JOBS : `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`,
          object,
        );
      await until(async () => (await cluster.api.get(`${JOBS}/crier-restore`)).status.succeeded === 1, {
        what: `the restore, which said ${cluster.output(NAMESPACE, 'crier-restore')}`,
        withinMs: 300_000,
        everyMs: 500,
      });
      expect(cluster.output(NAMESPACE, 'crier-restore')).toContain('and all are here.\nPublishing is held.');
      await helm(
        'upgrade',
        CHART,
        '--reuse-values',
        '--set',
        'single.persistence.existingClaim=crier-data-restored',
        ...waiting,
      );
      const admin = await adminOf(cluster, 'single');
      expect((await admin.call('publishing.status')).held).toMatchObject([{ network: null, workspaceId: null }]);
      const restored = new ApiClient(await serviceUrl(cluster, 'crier'), tenant.apiKey);
      expect((await restored.getPost(post.id)).variants).toMatchObject([
        { status: 'published' },
        { status: 'published' },
      ]);
      await admin.call('publishing.release', { restored: { overdue: 'ask' } });
      expect((await admin.call('publishing.status')).held).toEqual([]);
      cluster.tell(`mode single: restored into a new disk in ${seconds(from)}`);
    },
  );

  test(
    'is upgraded to the next release and rolled back while Posts are due: none is lost or doubled',
    { timeout: 1_800_000 },
    async () => {
      using next = plantRelease({ adds: true });
      const admin = (): ReturnType<typeof adminOf> => adminOf(cluster, 'single');
      const url = await serviceUrl(cluster, 'crier');
      // The simulated accounts are of the Networks, and so in no backup.
      const later = await foundTenant(await admin(), 'two');
      const load = new RolloutLoad(url, [later], PACE);
      const running = load.run();
      const moreOf = async (count: number): Promise<void> => {
        const before = load.dueAt.size;
        await until(() => load.dueAt.size >= before + count || null, { what: `${count} Posts more` });
      };
      await moreOf(5);
      await pushImages(cluster, next.folder, next.version);
      const from = Date.now();
      await helm('upgrade', chartOfRelease(next.version, cluster.folder), '--reuse-values', ...waiting);
      cluster.tell(`mode single: upgraded in ${seconds(from)}`);
      const writes = async (): Promise<number> => (await (await admin()).call('cluster.status')).writes;
      await until(async () => (await writes()) === next.format, { what: 'the next format', everyMs: 500 });
      await moreOf(5);
      const backFrom = Date.now();
      await helm('rollback', '--wait', '--timeout', ROLLOUT);
      cluster.tell(`mode single: rolled back in ${seconds(backFrom)}`);
      await until(async () => (await writes()) === RELEASE.format, { what: 'the former format', everyMs: 500 });
      await moreOf(5);
      load.over = true;
      await running;
      await allPublished(url, [later], 120_000).catch((error: Error) => cluster.tell(error.message));
      const figures = rolloutFigures(load, await (await sandboxOf(cluster, 'single')).items());
      cluster.tell(`mode single: ${inWords(figures)}`);
      expectEachOnce(figures);
      expect(cluster.agent.mishaps(NAMESPACE)).toEqual([]);
    },
  );

  test('leaves its disk, and what is not its own, when it is uninstalled', { timeout: 300_000 }, async () => {
    await helm('uninstall', '--wait', '--timeout', '5m');
    await cluster.api.delete(`${JOBS}/crier-restore`, { propagationPolicy: 'Foreground' });
    const more = async (): Promise<readonly string[]> =>
      (await inventory(cluster.api, NAMESPACE)).filter((line) => !found.includes(line));
    const disks = ['persistentvolumeclaims crier-data', 'persistentvolumeclaims crier-data-restored'];
    await until(async () => (await more()).length === disks.length, { what: 'the rest gone', everyMs: 1_000 }).catch(
      () => undefined,
    );
    expect(await more()).toEqual(disks);
  });
});

/** Each is what a change of the chart could bring, and must not pass here. */
describe('a fault of the chart is seen', () => {
  const install = async (namespace: string, chart: string): Promise<void> => {
    await prepareNamespace(cluster, namespace);
    await cluster.helm.run('install', 'crier', chart, ...valuesWith(NIGHTLY), '--namespace', namespace);
  };
  const statusOf = async (namespace: string): Promise<any> => {
    const [pod] = await cluster.api.list(`/api/v1/namespaces/${namespace}/pods`);
    return pod?.status.containerStatuses?.[0];
  };

  test('links of Services in the environment: no process starts', { timeout: 300_000 }, async () => {
    const links = ['_pod.tpl', 'enableServiceLinks: false', 'enableServiceLinks: true'] as const;
    await install('linked', chartWithFault(cluster.folder, links));
    await until(async () => (await statusOf('linked'))?.restartCount >= 1, {
      what: 'the pod started again',
      withinMs: 120_000,
      everyMs: 500,
    });
    expect((await statusOf('linked')).ready).toBe(false);
    expect(cluster.output('linked', 'crier-0')).toMatch(/CRIER_\w*PORT/);
    await cluster.helm.run('uninstall', 'crier', '--namespace', 'linked');
  });

  test('a probe that nothing answers: no pod gets ready', { timeout: 400_000 }, async () => {
    const chart = chartWithFault(cluster.folder, ['_pod.tpl', '/health/ready', '/health/prepared']);
    await install('unready', chart);
    await until(async () => (await statusOf('unready'))?.started === true, {
      what: 'the process, which is live',
      withinMs: 200_000,
      everyMs: 500,
    });
    const again = ['--reuse-values', '--namespace', 'unready', '--wait', '--timeout', '20s'];
    await expect(cluster.helm.run('upgrade', 'crier', chart, ...again)).rejects.toThrow(
      /not ready|deadline|timed out/i,
    );
    expect(await statusOf('unready')).toMatchObject({ ready: false, started: true });
    await cluster.helm.run('uninstall', 'crier', '--namespace', 'unready');
  });
});

function claim(name: string): Promise<unknown> {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const metadata = { name };
  return cluster.api.create(`/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec },
  });
}

const backups = (): readonly string[] => readdirSync(cluster.disk(NAMESPACE, 'crier-backups'));

const podsOf = (component: string): ReturnType<TestCluster['api']['list']> =>
  cluster.api.list(`${PODS}?labelSelector=app.kubernetes.io/component=${component}`);

const seconds = (from: number): string => `${Math.round((Date.now() - from) / 1_000)} s`;
