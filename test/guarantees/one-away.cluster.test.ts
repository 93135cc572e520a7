import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { startRing } from '#testing/engines/cassandra-ring.ts';
import { soak } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { startBrokers, type EngineMachines } from '#testing/engines/kafka-brokers.ts';
import { freePorts } from '#testing/engines/process.ts';
import { until } from '#testing/until.ts';
import { answersAsOnThePage, keptFile, type Asked } from './engines-away.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

const BACK = 'workspace,scheduler,publisher,media,webhooks,admin,sandbox';
const DUE_IN_MS = 5_000;
/** How long a machine is away at least: longer than it takes its engine to go on without it. */
const AWAY_MS = 20_000;
const PATIENCE_MS = 180_000;

interface Write {
  readonly text: string;
  readonly dueAt: number;
  readonly status: number | null;
  readonly tookMs: number;
}

// Three machines of each engine and two processes want more memory and time than `make test` has.
describe.skipIf(!soak() || (await jarsTrouble()) !== null)(
  'three brokers and three nodes',
  { timeout: 900_000 },
  () => {
    let kafka: Awaited<ReturnType<typeof startBrokers>>;
    let cassandra: Awaited<ReturnType<typeof startRing>>;
    let front: CrierUnderTest;
    let back: CrierUnderTest;
    let tenant: TestWorkspace;
    let asked: Asked;

    beforeAll(async () => {
      [kafka, cassandra] = await Promise.all([startBrokers(3), startRing(3)]);
      const [sandboxPort, ...ports] = (await freePorts(6)) as [number, ...number[]];
      const env = {
        ...installationSettings({ kafka, cassandra }),
        CRIER_KAFKA_REPLICATION: '3',
        CRIER_CASSANDRA_REPLICATION: '3',
        CRIER_REQUESTS_PER_MINUTE: '0',
        CRIER_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
        CRIER_MEDIA_URL: `http://127.0.0.1:${ports[2]!}`,
      };
      expect(await runCrier(['migrate', '--engine=cluster'], env, { withinMs: 300_000 })).toMatchObject({ code: 0 });
      back = await CrierUnderTest.make({
        ...{ name: 'back', engine: 'cluster', roles: BACK.split(','), env },
        ports: { api: ports[0]!, admin: ports[1]!, sandbox: sandboxPort },
      });
      front = await CrierUnderTest.make({
        ...{ name: 'front', engine: 'cluster', roles: ['ingress'], env, dataDir: back.dataDir },
        ports: { api: ports[2]!, admin: ports[3]!, sandbox: ports[4]! },
      });
      await Promise.all([back.start(PATIENCE_MS), front.start(PATIENCE_MS)]);
      for (const network of ['x', 'threads'] as const) await back.sandbox().limits(network, NO_LIMITS[network]);
      tenant = await foundWorkspace(back, 'a client');
      const api = front.api(tenant.apiKey);
      const channelIds = [tenant.channels.threads];
      asked = {
        ...{ ingress: front, other: back, admin: back.admin(), api, channelIds, workspaceId: tenant.workspaceId },
        fileUrl: await keptFile(api, channelIds),
      };
    }, 900_000);

    afterAll(async () => {
      await Promise.all([front?.[Symbol.asyncDispose](), back?.[Symbol.asyncDispose]()]);
      await Promise.all([kafka?.stop(), cassandra?.stop()]);
    }, 300_000);

    /** Posts that are due soon, one after the other, until it is disposed of. */
    function writing(what: string): AsyncDisposable & { readonly writes: readonly Write[] } {
      const writes: Write[] = [];
      let isOver = false;
      const write = async (): Promise<void> => {
        const text = `${what} ${writes.length}`;
        const dueAt = Date.now() + DUE_IN_MS;
        const from = performance.now();
        const body = { text, channelIds: asked.channelIds, scheduledAt: new Date(dueAt).toISOString() };
        const answer = await asked.api.send('POST', '/api/posts', body).catch(() => null);
        writes.push({ text, dueAt, status: answer?.status ?? null, tookMs: performance.now() - from });
      };
      const written = (async () => {
        while (!isOver) {
          await write();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
      return {
        writes,
        [Symbol.asyncDispose]: async () => {
          isOver = true;
          await written;
        },
      };
    }

    /** Kills the machine under load, and starts it again. Returns what it did to writes and to what was due. */
    async function without(away: string, { machines }: EngineMachines, index: number): Promise<string> {
      const victim = machines[index]!;
      const pids = [front.pid, back.pid];
      const load = writing(away);
      await until(() => load.writes.length > 10, { what: 'writes before', withinMs: PATIENCE_MS });
      await victim.kill('SIGKILL');
      const [killedAt, before] = [performance.now(), load.writes.length];
      await answersAsOnThePage(asked, away, PATIENCE_MS);
      await until(() => performance.now() - killedAt > AWAY_MS && load.writes.length > before + 20, {
        what: `writes without ${away}`,
        withinMs: PATIENCE_MS,
      });
      await victim.start();
      await answersAsOnThePage(asked, 'Nothing', PATIENCE_MS);
      await load[Symbol.asyncDispose]();
      const taken = load.writes.filter(({ status }) => status === 201);
      const live = async () => {
        const items = (await back.sandbox().items()).filter(({ text }) => text.startsWith(`${away} `));
        return taken.every(({ text }) => items.some((item) => item.text === text)) ? items : null;
      };
      const items = await until(live, { what: 'all that was taken is live', withinMs: PATIENCE_MS });
      expect(
        items.filter(({ text }, at) => items.findIndex((item) => item.text === text) !== at),
        'live twice',
      ).toEqual([]);
      expect([front.pid, back.pid], 'nothing of ours restarted').toEqual(pids);
      const dueAtOf = new Map(load.writes.map(({ text, dueAt }) => [text, dueAt]));
      const lateMs = items.map(({ text, publishedAt }) => Date.parse(publishedAt) - dueAtOf.get(text)!);
      const refused = load.writes.filter(({ status }) => status !== 201);
      return [
        `${away}: ${load.writes.length} writes, ${refused.length} refused (${[...new Set(refused.map(({ status }) => status))].join()})`,
        `slowest answer ${Math.round(Math.max(...load.writes.map(({ tookMs }) => tookMs)))} ms`,
        `latest ${Math.round(Math.max(...lateMs))} ms late, median ${Math.round(lateMs.toSorted((a, b) => a - b)[lateMs.length >> 1]!)} ms`,
      ].join('; ');
    }

    test('one broker of three is killed under load: everything answers, nothing is lost, and it comes back', async ({
      annotate,
    }) => {
      await annotate(await without('One broker of three', kafka, 0));
    });

    test('one node of three is killed under load: everything answers, nothing is lost, and it comes back', async ({
      annotate,
    }) => {
      await annotate(await without('One node of three', cassandra, 1));
    });
  },
);
