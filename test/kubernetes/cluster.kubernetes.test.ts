import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from '#testing/crier-clients.ts';
import { foundTenant, type Tenant } from '#testing/crier-cluster.ts';
import { until } from '#testing/until.ts';
import { RELEASE } from '#tables/release.ts';
import { plantRelease, type PlantedRelease } from '../guarantees/planted-release.ts';
import { allPublished, RolloutLoad } from '../guarantees/rollout-load.ts';
import { NO_LIMITS } from '../guarantees/sandbox-limits.ts';
import { drainNode, uncordon } from './drain-node.ts';
import { startFileServer, type FileServer } from './file-server.ts';
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
  startEngines,
  uploadPicture,
  type ReachableEngines,
} from './installation.ts';
import { chartOfRelease, chartVersion } from './release-chart.ts';
import { expectEachOnce, inWords, rolloutFigures } from './rollout-figures.ts';
import { startTestCluster, type TestCluster } from './test-cluster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'helm/examples/trial-cluster/values.yaml');
/** Patience for machines of two cores that do other things too. */
const ROLLOUT = '20m';
const ROLLOUT_MS = 1_300_000;
const PACE = { pauseMs: 1_000, dueInMs: 15_000 };
/** Two of those whose pods are replaced one by one, so that one serves while the other leaves. */
const PAIR = { replicas: 2 };

/**
 * The sandbox has one pod. It serves on until the proxy has closed the port of its Service, from which publishers then
 * have refusals; a connection that the proxy here has accepted could only be reset, after which nobody knows what was
 * carried out.
 */
const SANDBOX_DELAY_SECONDS = 3;

let cluster: TestCluster;
let engines: ReachableEngines;
let files: FileServer;
let values: string;
let tenants: readonly Tenant[];
/** What the namespace had before the release. */
let found: readonly string[];

beforeAll(async () => {
  cluster = await startTestCluster('cluster');
  engines = await startEngines();
  files = await startFileServer();
  await pushImages(cluster, ROOT, chartVersion());
  const { accessKeyId, secretAccessKey } = engines.storage;
  await prepareNamespace(cluster, NAMESPACE, {
    'crier-s3': { 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey },
    'files-ca': { 'ca.crt': files.ca },
  });
  found = await inventoryOnceSettled(cluster);
  values = join(cluster.folder, 'values.json');
  const settings = { CRIER_EARLIEST_SCHEDULE_SECONDS: 0, CRIER_NETWORK_BUDGETS: 'off', CRIER_REQUESTS_PER_MINUTE: 0 };
  const defaults = {
    extraEnv: [
      { name: 'CRIER_EGRESS_OVERRIDES', value: files.override },
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/files-ca/ca.crt' },
    ],
    extraVolumes: [{ name: 'files-ca', secret: { secretName: 'files-ca', defaultMode: 0o440 } }],
    extraVolumeMounts: [{ name: 'files-ca', mountPath: '/etc/files-ca', readOnly: true }],
  };
  const roles = { ingress: PAIR, workspace: PAIR, sandbox: { drainDelaySeconds: SANDBOX_DELAY_SECONDS } };
  writeFileSync(values, JSON.stringify({ ...engines.values, settings, defaults, roles }));
}, 1_800_000);

afterAll(async () => {
  await files?.[Symbol.asyncDispose]();
  await engines?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
}, 120_000);

const helm = (verb: string, ...args: readonly string[]): Promise<string> =>
  cluster.helm.run(verb, 'crier', ...args, '--namespace', NAMESPACE);
const withValues = (): readonly string[] => ['--values', EXAMPLE, '--values', values, '--wait', '--timeout', ROLLOUT];
/** The release's own pods: those of the planted faults are to fail. */
const mishaps = (): readonly string[] => cluster.agent.mishaps(NAMESPACE);

const published = async (api: ApiClient, id: string): Promise<void> => {
  await until(
    async () => {
      const { variants } = await api.getPost(id);
      const failed = variants.filter(({ status }) => status === 'failed');
      expect(failed.map(({ failureReason, failureDetail }) => [failureReason, failureDetail])).toEqual([]);
      if (variants.every(({ status }) => status === 'published')) return true;
      throw new Error(JSON.stringify(variants));
    },
    { what: 'the Post published', withinMs: 300_000, everyMs: 500 },
  );
};

describe('the chart on a real API server, in mode cluster', () => {
  test(
    'is installed: schema and topics are made, every pod gets ready, its own test passes',
    { timeout: ROLLOUT_MS },
    async () => {
      const from = Date.now();
      await helm('install', CHART, ...withValues());
      cluster.tell(`mode cluster: installed in ${seconds(from)}`);
      expect(await helm('test', '--timeout', '10m')).toMatch(/Phase:\s+Succeeded/);
      expect(mishaps()).toEqual([]);
      await expect(helm('install', CHART, ...withValues())).rejects.toThrow('cannot reuse a name');
    },
  );

  test(
    'publishes what is written through its Service: text, an upload, and a picture from an address',
    { timeout: 1_000_000 },
    async () => {
      tenants = await Promise.all(['one', 'two'].map(async (name) => foundTenant(await adminOf(cluster), name)));
      const [tenant] = tenants as [Tenant, ...Tenant[]];
      const sandbox = await sandboxOf(cluster);
      // X takes 100 Posts of an account in 15 minutes: what comes after these has its turn, but later.
      for (const network of ['x', 'threads'] as const) await sandbox.limits(network, NO_LIMITS[network]);
      const url = await serviceUrl(cluster, 'crier');
      const api = new ApiClient(url, tenant.apiKey);
      const channelIds = Object.values(tenant.channels);
      const assetId = await uploadPicture(api, url);
      const bodies = [
        { text: 'Through the chart', channelIds },
        { text: 'An upload', channelIds, media: [{ assetId }] },
        { text: 'From an address', channelIds, media: [{ url: files.pictureUrl }] },
      ];
      const from = Date.now();
      await Promise.all(bodies.map(async (body) => published(api, (await api.createPost(body)).id)));
      cluster.tell(`mode cluster: text, an upload and a picture from an address published in ${seconds(from)}`);
      const items = await sandbox.items();
      const seen = items.map(({ network, text, media }) => `${network} ${text}, files: ${media.length}`);
      expect(seen.toSorted()).toEqual(
        ['threads', 'x'].flatMap((network) => [
          `${network} An upload, files: 1`,
          `${network} From an address, files: 1`,
          `${network} Through the chart, files: 0`,
        ]),
      );
    },
  );

  test(
    'is upgraded to the next release, rolled back, and a node is drained, all while Posts are due: none is lost, doubled or refused',
    { timeout: 4 * ROLLOUT_MS },
    async () => {
      using next = plantRelease({ adds: true });
      const url = await serviceUrl(cluster, 'crier');
      const load = new RolloutLoad(url, tenants, PACE);
      const running = load.run();
      await moreOf(load, 10);
      const from = Date.now();
      const before = cluster.agent.lines.length;
      await upgradeTo(next);
      cluster.tell(`mode cluster: upgraded in ${seconds(from)}, with ${load.unexpected.length} refusals so far`);
      await moreOf(load, 5);
      const backFrom = Date.now();
      await helm('rollback', '1', '--wait', '--timeout', ROLLOUT);
      cluster.tell(`mode cluster: rolled back in ${seconds(backFrom)}, with ${load.unexpected.length} refusals so far`);
      await moreOf(load, 5);
      expect(await writes()).toBe(RELEASE.format);
      const drainFrom = Date.now();
      const { pods, refusals } = await drainNode(cluster.api, {
        ...{ node: 'node-1', namespace: NAMESPACE, withinMs: ROLLOUT_MS / 2 },
      });
      await uncordon(cluster.api, 'node-1');
      cluster.tell(
        `mode cluster: ${pods} pods evicted from a node in ${seconds(drainFrom)}; budgets refused ${refusals} times`,
      );
      await moreOf(load, 5);
      load.over = true;
      await running;

      await allPublished(url, tenants, 300_000).catch((error: Error) => cluster.tell(error.message));
      const figures = rolloutFigures(load, await (await sandboxOf(cluster)).items());
      const ends = cluster.agent.lines.slice(before).filter((line) => line.includes('ended with'));
      cluster.tell(`mode cluster: ${inWords(figures)}; ${ends.length} pods ended`);
      expect(load.unexpected).toEqual([]);
      expectEachOnce(figures);
      expect(figures.late).toBe(0);
      expect(mishaps()).toEqual([]);
    },
  );

  test('sees a budget that lets no pod go, where a node is never drained', { timeout: 300_000 }, async () => {
    const budget = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets/crier-ingress`;
    const { generation } = (await cluster.api.patch(budget, { spec: { maxUnavailable: 0 } })).metadata;
    await until(async () => (await cluster.api.get(budget)).status.observedGeneration === generation, {
      what: 'the budget counted anew',
    });
    const node = (await podsOf('ingress'))[0]!.spec.nodeName as string;
    const drained = drainNode(cluster.api, { node, namespace: NAMESPACE, withinMs: 30_000 });
    await expect(drained).rejects.toThrow(/left: .*crier-ingress-.*; [1-9]\d* refusals/);
    await uncordon(cluster.api, node);
  });

  test('leaves nothing when it is uninstalled', { timeout: 600_000 }, async () => {
    const from = Date.now();
    await helm('uninstall', '--wait', '--timeout', '5m');
    cluster.tell(`mode cluster: uninstalled in ${seconds(from)}`);
    const more = async (): Promise<readonly string[]> =>
      (await inventory(cluster.api, NAMESPACE)).filter((line) => !found.includes(line));
    await until(async () => (await more()).length === 0, {
      what: 'nothing of the release left',
      withinMs: 120_000,
      everyMs: 1_000,
    }).catch(() => undefined);
    expect(await more()).toEqual([]);
  });
});

async function upgradeTo(next: PlantedRelease): Promise<void> {
  await pushImages(cluster, next.folder, next.version);
  await helm('upgrade', chartOfRelease(next.version, cluster.folder), ...withValues());
  await until(async () => (await writes()) === next.format, {
    what: 'the new release, which alone is left, writing its format',
    withinMs: 300_000,
    everyMs: 1_000,
  });
}

const podsOf = (component: string): ReturnType<TestCluster['api']['list']> =>
  cluster.api.list(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/component=${component}`);

/** The pod is another one after each rollout. */
async function writes(): Promise<number> {
  return (await (await adminOf(cluster)).call('cluster.status')).writes;
}

function moreOf(load: RolloutLoad, count: number): Promise<true> {
  const before = load.dueAt.size;
  return until(() => load.dueAt.size >= before + count || null, { what: `${count} Posts more`, withinMs: 120_000 });
}

const seconds = (from: number): string => `${Math.round((Date.now() - from) / 1_000)} s`;
