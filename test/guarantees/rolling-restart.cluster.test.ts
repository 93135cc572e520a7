import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { CrierCluster, installationSettings, runCrier } from '#testing/crier-cluster.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';
import { startReadyProxy } from './ready-proxy.ts';
import { allPublished, RolloutLoad } from './rollout-load.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

/** How often the load balancer looks, and how long a process that is leaving goes on serving: several looks. */
const LOOK_MS = 500;
const DRAIN_DELAY_SECONDS = 4;
const PACE = { pauseMs: 150, dueInMs: 4_000 };
/** The promise is a p99 of 60 s; every single Variant keeps it here. */
const LATE_MS = 60_000;
const READY_WITHIN_MS = 120_000;

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('on Kafka and Cassandra', () => {
  const name = `rolling_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'every role is restarted under load: no request is refused, no Post is published twice, none is late',
    { timeout: 1_200_000 },
    async ({ annotate }) => {
      const settings = {
        ...installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name }),
        CRIER_DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS),
      };
      expect(await runCrier(['migrate', '--engine=cluster'], settings)).toMatchObject({ code: 0, stderr: '' });
      await using cluster = await CrierCluster.start(settings);
      await cluster.sandbox.sandbox().limits('x', {
        tweetsCreatePerUser: 100_000,
        tweetsCreatePerApp: 1_000_000,
        usersTweetsPerUser: 100_000,
        usersTweetsPerApp: 1_000_000,
      });
      await using proxy = await startReadyProxy(cluster.ingresses, LOOK_MS);
      const tenants = await Promise.all(['one', 'two', 'three', 'four'].map((one) => cluster.found(one)));

      const load = new RolloutLoad(proxy.url, tenants, PACE);
      const running = load.run();
      await until(() => load.dueAt.size >= 20, { what: 'Posts on their way', withinMs: 60_000 });
      // As a rollout does it: one process of every role at a time, the next when the first takes part again.
      for (const half of [0, 1]) await restart(rolling(cluster, half), cluster, annotate);
      load.over = true;
      await running;

      expect(proxy.refused).toEqual([]);
      expect(load.unexpected).toEqual([]);
      await allPublished(proxy.url, tenants, LATE_MS);
      const live = await cluster.sandbox.sandbox().items();
      const lateMs = live.map(({ text, publishedAt }) => Date.parse(publishedAt) - load.dueAt.get(text)!);
      const at = (share: number): number => quantile(lateMs, share);
      await annotate(
        `${load.answers} requests, ${live.length} Variants live, after they were due: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`,
      );
      expect(at(0), 'none before it was due').toBeGreaterThanOrEqual(0);
      expect(at(1)).toBeLessThan(LATE_MS);
      const names = live.map(({ network, text }) => `${network} ${text}`);
      expect(names.toSorted()).toEqual(
        [...load.dueAt.keys()].flatMap((text) => [`threads ${text}`, `x ${text}`]).toSorted(),
      );
    },
  );
});

function rolling(cluster: CrierCluster, half: number): readonly CrierUnderTest[] {
  return [cluster.ingresses, cluster.workspaces, cluster.schedulers, cluster.publishers].map((pair) => pair[half]!);
}

async function restart(
  half: readonly CrierUnderTest[],
  cluster: CrierCluster,
  annotate: (text: string) => Promise<unknown>,
): Promise<void> {
  const others = cluster.all.filter((process) => !half.includes(process));
  const before = await rebalances(others);
  const tookMs = await Promise.all(
    half.map(async (process) => {
      const from = performance.now();
      const end = await process.stop();
      expect(end, `${process.name}\n${process.stderr().slice(-6_000)}`).toEqual({ code: 0, signal: null });
      const stoppedMs = performance.now() - from;
      await process.start(READY_WITHIN_MS);
      return `${process.name} left in ${Math.round(stoppedMs)} ms, was back after ${Math.round(process.readyAfterMs)} ms`;
    }),
  );
  await cluster.ready(READY_WITHIN_MS);
  await cluster.sharedOut();
  await annotate(`${tookMs.join('; ')}; rebalances that the others saw: ${(await rebalances(others)) - before}`);
}

async function rebalances(processes: readonly CrierUnderTest[]): Promise<number> {
  const counts = await Promise.all(
    processes.map(async (process) => {
      const { body } = await process.admin().get('/metrics');
      const lines = (body as string).split('\n').filter((line) => line.startsWith('crier_rebalances_total'));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
