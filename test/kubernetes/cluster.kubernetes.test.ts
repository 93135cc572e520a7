import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from '#testing/crier-clients.ts';
import { foundTenant, type Tenant } from '#testing/crier-cluster.ts';
import { until } from '#testing/until.ts';
import { RELEASE } from '#tables/release.ts';
import { plantRelease } from '../guarantees/planted-release.ts';
import { allPublished, RolloutLoad } from '../guarantees/rollout-load.ts';
import { CHART } from './helm.ts';
import { inventory } from './inventory.ts';
import {
  adminOf,
  NAMESPACE,
  prepareNamespace,
  pushImages,
  sandboxOf,
  serviceUrl,
  startEngines,
  type ReachableEngines,
} from './installation.ts';
import { chartOfRelease, chartVersion } from './release-chart.ts';
import { startTestCluster, type TestCluster } from './test-cluster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'helm/examples/trial-cluster/values.yaml');
/** Patience for machines of two cores that do other things too. */
const ROLLOUT = '20m';
const ROLLOUT_MS = 1_300_000;
const PACE = { pauseMs: 1_000, dueInMs: 15_000 };
/** Two of those whose pods are replaced one by one, so that one serves while the other leaves. */
const PAIR = { replicas: 2 };

let cluster: TestCluster;
let engines: ReachableEngines;
let values: string;
let tenants: readonly Tenant[];
/** What the namespace had before the release. */
let found: readonly string[];

beforeAll(async () => {
  cluster = await startTestCluster();
  engines = await startEngines();
  await pushImages(cluster, ROOT, chartVersion());
  await prepareNamespace(cluster, engines);
  found = await inventoryOnceSettled();
  values = join(cluster.folder, 'values.json');
  const settings = { CRIER_EARLIEST_SCHEDULE_SECONDS: 0, CRIER_NETWORK_BUDGETS: 'off', CRIER_REQUESTS_PER_MINUTE: 0 };
  const roles = { ingress: PAIR, workspace: PAIR };
  writeFileSync(values, JSON.stringify({ ...engines.values, settings, roles }));
}, 1_800_000);

afterAll(async () => {
  await engines?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
}, 120_000);

/** The default account and the certificate of the cluster come by themselves, soon after the namespace. */
function inventoryOnceSettled(): Promise<readonly string[]> {
  const own = ['serviceaccounts default', 'endpoints crier-ingress'];
  return until(
    async () => {
      const seen = await inventory(cluster.api, NAMESPACE);
      return own.every((line) => seen.includes(line)) && seen.some((line) => /^endpointslices/.test(line))
        ? seen
        : null;
    },
    { what: 'the namespace with what it has by itself', withinMs: 60_000, everyMs: 500 },
  );
}

const helm = (verb: string, ...args: readonly string[]): Promise<string> =>
  cluster.helm.run(verb, 'crier', ...args, '--namespace', NAMESPACE);
const withValues = (): readonly string[] => ['--values', EXAMPLE, '--values', values, '--wait', '--timeout', ROLLOUT];

/** Pods that ended otherwise than they were asked to, or were killed. A Job may try again. */
const mishaps = (): readonly string[] =>
  cluster.agent.lines.filter(
    (line) => /killed|probe of .* failed|ended by itself|error|waits:/.test(line) && !line.includes('-migrate-'),
  );

describe('the chart on a real API server', () => {
  test(
    'is installed: schema and topics are made, every pod gets ready, its own test passes',
    { timeout: ROLLOUT_MS },
    async ({ annotate }) => {
      const from = Date.now();
      await helm('install', CHART, ...withValues());
      await annotate(`installed in ${Math.round((Date.now() - from) / 1_000)} s`);
      expect(await helm('test', '--timeout', '10m')).toMatch(/Phase:\s+Succeeded/);
      expect(mishaps()).toEqual([]);
      await expect(helm('install', CHART, ...withValues())).rejects.toThrow('cannot reuse a name');
    },
  );

  test('publishes a Post that was written through its Service', { timeout: 600_000 }, async () => {
    tenants = await Promise.all(['one', 'two'].map(async (name) => foundTenant(await adminOf(cluster), name)));
    const [tenant] = tenants as [Tenant, ...Tenant[]];
    const api = new ApiClient(await serviceUrl(cluster, 'crier'), tenant.apiKey);
    const text = 'Through the chart';
    const { id } = await api.createPost({ text, channelIds: Object.values(tenant.channels) });
    await until(async () => (await api.getPost(id)).variants.every(({ status }) => status === 'published'), {
      what: 'the Post published',
      withinMs: 300_000,
      everyMs: 500,
    });
    const items = await (await sandboxOf(cluster)).items();
    expect(items.map((item) => `${item.network} ${item.text}`).toSorted()).toEqual([`threads ${text}`, `x ${text}`]);
  });

  test(
    'is upgraded to the next release and rolled back while Posts are due: none is lost, doubled or refused',
    { timeout: 3 * ROLLOUT_MS },
    async ({ annotate }) => {
      using next = plantRelease({ adds: true });
      await pushImages(cluster, next.folder, next.version);
      const chart = chartOfRelease(next.version, cluster.folder);
      const before = cluster.agent.lines.length;
      const url = await serviceUrl(cluster, 'crier');
      const load = new RolloutLoad(url, tenants, PACE);
      const running = load.run();
      await until(() => load.dueAt.size >= 10, { what: 'Posts on their way', withinMs: 120_000 });
      await helm('upgrade', chart, ...withValues());
      // The pod is another one after each rollout.
      const writes = async (): Promise<number> => (await (await adminOf(cluster)).call('cluster.status')).writes;
      await until(async () => (await writes()) === next.format, {
        what: 'the new release, which alone is left, writing its format',
        withinMs: 300_000,
        everyMs: 1_000,
      });
      const upgraded = load.dueAt.size;
      await until(() => load.dueAt.size >= upgraded + 5, { what: 'Posts after the upgrade', withinMs: 120_000 });
      await helm('rollback', '1', '--wait', '--timeout', ROLLOUT);
      const rolledBack = load.dueAt.size;
      await until(() => load.dueAt.size >= rolledBack + 5, { what: 'Posts after the rollback', withinMs: 120_000 });
      expect(await writes()).toBe(RELEASE.format);
      load.over = true;
      await running;

      expect(load.unexpected).toEqual([]);
      await allPublished(url, tenants, 300_000);
      const live = (await (await sandboxOf(cluster)).items()).filter(({ text }) => load.dueAt.has(text));
      const names = live.map(({ network, text }) => `${network} ${text}`);
      expect(names.toSorted()).toEqual(
        [...load.dueAt.keys()].flatMap((text) => [`threads ${text}`, `x ${text}`]).toSorted(),
      );
      const lateMs = live.map(({ text, publishedAt }) => Date.parse(publishedAt) - load.dueAt.get(text)!);
      expect(Math.min(...lateMs), 'none before it was due').toBeGreaterThanOrEqual(0);
      const ends = cluster.agent.lines.slice(before).filter((line) => line.includes('ended with'));
      await annotate(
        `${load.answers} requests; ${live.length} Variants live, at most ${Math.max(...lateMs)} ms late; ${ends.length} pods ended`,
      );
      expect(mishaps()).toEqual([]);
    },
  );

  test('leaves nothing when it is uninstalled', { timeout: 600_000 }, async () => {
    await helm('uninstall', '--wait', '--timeout', '5m');
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
