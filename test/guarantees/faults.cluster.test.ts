import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { childGroupsWith, isLiving } from '#adapters/child-process/process-group.fixture.ts';
import { KAFKA_SETTINGS } from '#adapters/kafka/settings.ts';
import {
  CrierCluster,
  installationSettings,
  partitionOfTenant,
  runCrier,
  type Consumer,
  type Tenant,
} from '#testing/crier-cluster.ts';
import { send, type ClientAnswer, type PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { startCassandra, startKafka, type CassandraEngine, type KafkaEngine } from '#testing/engines.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { until } from '#testing/until.ts';
import { answersAsOnThePage, keptFile, type Asked } from './engines-away.ts';
import { itemsOf, largePicture, upload } from './media-files.ts';
import { randomFaults } from './random-faults.ts';
import { hammer, type Hammering } from './rolling-minute.ts';
import { startEventReceivers, type EventReceivers } from './received-events.ts';
import { Traffic, type TrafficRequest, type SentRequest } from './traffic.ts';
import { judge } from './verdict.ts';

const TENANTS = 8;
const MAX_TENANTS = 24;
const CREDITS = 100_000;
const SESSION_MS = KAFKA_SETTINGS.sessionTimeoutMs;
/** The bound after the group session holds on a dedicated machine; other suites may occupy both cores for a while. */
const RESUME_MS = 10_000 * (soak() ? 3 : 8);
/** Patience for processes that share two cores and a disk with starting engines: each wait ends when it may. */
const MENDED_MS = 150_000;
const NOTICED_MS = 180_000;
const HOUR_MS = 3_600_000;
const ANSWER_MS = 10_000;
const STARTED_WITHIN_MS = 600_000;

/** In an order in which the work that each fault needs does not pass through those hit before. */
const ROLES = ['scheduler', 'publisher', 'workspace'] as const;
type Role = (typeof ROLES)[number];

interface Fault {
  readonly victim: CrierUnderTest;
  readonly pid: number | null;
  /**
   * The tenant whose work passed through the victim's partition; on threads, a publisher's victim may have had
   * another's.
   */
  readonly tenant: Tenant;
  readonly onThreads: Tenant;
  /** When it was hit. */
  readonly from: number;
}

const missing = sharedKafka().missing ?? sharedCassandra().missing;

describe.skipIf(missing !== null)(
  'roles in separate processes, on a Kafka and a Cassandra that are killed too',
  { timeout: 600_000 },
  () => {
    let kafka: KafkaEngine;
    let cassandra: CassandraEngine;
    let cluster: CrierCluster;
    let traffic: Traffic;
    let tenants: readonly Tenant[];
    let receivers: EventReceivers;
    let limited: readonly CrierUnderTest[];
    let hammering: Promise<Hammering>;

    beforeAll(async () => {
      // Its session bears seconds in which the controller gets neither a core nor the disk.
      kafka = await startKafka({ brokerSessionMs: 6_000 });
      cassandra = await startCassandra({ commitLogSync: 'batch' });
      receivers = await startEventReceivers();
      const installation = { ...installationSettings({ kafka, cassandra }), ...receivers.settings };
      expect(await runCrier(['migrate', '--engine=cluster'], installation)).toMatchObject({ code: 0, stderr: '' });
      cluster = await CrierCluster.start(installation);
      traffic = new Traffic(cluster);
      // Other tests check that quotas are respected; here everything must end in good time.
      await cluster.sandbox.sandbox().limits('x', {
        tweetsCreatePerUser: 100_000,
        tweetsCreatePerApp: 1_000_000,
        usersTweetsPerUser: 100_000,
        usersTweetsPerApp: 1_000_000,
      });
      await cluster.sandbox.sandbox().limits('threads', { postsPerDay: 100_000 });
      tenants = await Promise.all(Array.from({ length: TENANTS }, (_, index) => cluster.found(`tenant-${index}`)));
      await Promise.all(tenants.map((tenant) => receivers.register(cluster.api(tenant), tenant)));
      const env = { ...cluster.settings, CRIER_REQUESTS_PER_MINUTE: '60' };
      limited = await Promise.all(
        [1, 2].map((index) =>
          CrierUnderTest.start({
            name: `limited-${index}`,
            engine: 'cluster',
            roles: ['ingress'],
            env,
          }),
        ),
      );
      // It runs while processes are killed, because it takes a minute.
      hammering = hammer(limited, tenants[0]!.apiKey, 75_000);
    }, STARTED_WITHIN_MS);

    afterAll(async () => {
      await hammering?.catch(() => undefined);
      await Promise.all((limited ?? []).map((process) => process[Symbol.asyncDispose]()));
      await cluster?.[Symbol.asyncDispose]();
      await Promise.all([kafka?.stop(), cassandra?.stop(), receivers?.[Symbol.asyncDispose]()]);
    });

    // A fault that failed leaves the next ones what they begin with.
    afterEach(async () => {
      for (const one of cluster.all) {
        if (one.pid === null) await one.start();
        else one.signal('SIGCONT');
      }
    });

    test('each role is a process of its own, and the partitions are assigned', async () => {
      const pids = cluster.all.map(({ pid }) => pid);
      expect(new Set([...pids, process.pid]).size).toBe(pids.length + 1);
      expect(pids).not.toContain(null);
      await cluster.ready();
    });

    test('immediate and scheduled Posts are published on both Networks, with permalinks that open', async () => {
      const sent = await Promise.all(
        tenants.flatMap((tenant, index) => [
          traffic.post(tenant, { ingress: index % 2 }),
          traffic.post(tenant, { ingress: index % 2, dueInMs: 3_000 }),
        ]),
      );
      for (const one of sent) {
        const { variants } = await published(one.tenant, idOf(one), 90_000);
        expect(variants).toHaveLength(2);
        for (const { permalink } of variants) expect((await fetch(permalink!)).status, `${permalink}`).toBe(200);
      }
    });

    /** Workspace owner or ingress: requests of this tenant are in flight, and the victim has some of them. */
    const flooded = async (victim: CrierUnderTest, tenant: Tenant, ingress: number, act: () => void): Promise<void> => {
      await using _ = traffic.load([tenant], 12, () => ({ networks: ['threads'], dueInMs: HOUR_MS, ingress }));
      const gauge = victim.name.startsWith('ingress')
        ? 'crier_answers_awaited'
        : 'crier_records_waiting{consumer="workspace"}';
      await until(async () => (await victim.admin().metric(gauge)) > 0 && traffic.unanswered > 0, {
        what: `${victim.name}: work in flight, and requests out`,
        everyMs: 1,
        withinMs: 90_000,
      });
      act();
    };

    /** Scheduler: timers of this tenant are due around now. */
    const armed = async (victim: CrierUnderTest, tenant: Tenant, act: () => void): Promise<void> => {
      await until(
        async () => {
          const sent = await Promise.all(
            Array.from({ length: 20 }, (_, index) => traffic.post(tenant, { dueInMs: 2_000 + 150 * index })),
          );
          await published(tenant, idOf(sent[0]!), 60_000);
          // On a busy machine all may have fired before one is seen to be published.
          return (await victim.admin().metric('crier_timers_queued')) > 0;
        },
        { what: 'some timers have fired, and others are held', withinMs: 120_000 },
      );
      act();
    };

    /** Publisher: the Networks are slow to answer calls on these Channels. */
    const calling = async (
      victim: CrierUnderTest,
      [onX, onThreads]: readonly [Tenant, Tenant],
      act: () => void,
    ): Promise<void> => {
      const sandbox = cluster.sandbox.sandbox();
      const count = 4;
      const inProgress = async (): Promise<boolean> => {
        const { faults } = (await sandbox.send('GET', '/sandbox/faults')).body;
        const works = await Promise.all([
          cluster.workOf(victim, 'publisher-x'),
          cluster.workOf(victim, 'publisher-threads'),
        ]);
        return (
          faults.length === 2 &&
          faults.every(({ left }: { left: number }) => left < count) &&
          works.every(({ waiting }) => waiting > 0)
        );
      };
      const what = `${victim.name}: calls in progress on both Networks`;
      const begun = async (): Promise<boolean> => {
        await sandbox.clearFaults();
        for (const network of ['x', 'threads'] as const)
          await sandbox.fault({ network, fault: 'delay', count, delayMs: 6_000 });
        await Promise.all([traffic.post(onX, { networks: ['x'] }), traffic.post(onThreads, { networks: ['threads'] })]);
        return until(inProgress, { what, everyMs: 5, withinMs: 20_000 });
      };
      // On a busy machine the calls on one Network may be over before those on the other begin.
      await until(begun, { what, withinMs: 180_000 });
      act();
      await sandbox.clearFaults();
    };

    /** Acts on the owner of the partition, at a moment when it certainly has work of it. */
    const faultOf = async (consumer: Role, act: (victim: CrierUnderTest) => void): Promise<Fault> => {
      const tenant = tenants[1]!;
      const victim = await cluster.ownerOf(consumer === 'publisher' ? 'publisher-x' : consumer, tenant);
      const pid = victim.pid;
      let from = 0;
      const perform = (): void => {
        from = performance.now();
        act(victim);
      };
      if (consumer === 'workspace') await flooded(victim, tenant, 0, perform);
      if (consumer === 'scheduler') await armed(victim, tenant, perform);
      const onThreads = consumer === 'publisher' ? await ownedBy(victim, 'publisher-threads') : tenant;
      if (consumer === 'publisher') await calling(victim, [tenant, onThreads], perform);
      return { victim, pid, tenant, onThreads, from };
    };

    /** Sends Posts until one is acknowledged. */
    const acknowledged = (of: Tenant, order: TrafficRequest, withinMs = SESSION_MS + RESUME_MS): Promise<SentRequest> =>
      until(
        async () => {
          const sent = await traffic.post(of, order);
          return sent.postId === null ? null : sent;
        },
        { what: `a Post of ${of.workspaceId} acknowledged`, withinMs },
      );

    /**
     * The time from `hitAt`, when all were hit, until new work through the victim's partition is done again: that work
     * passes through the others' too. Throws when it takes too long.
     */
    const resumedMs = async (role: Role, { tenant, onThreads }: Fault, hitAt: number): Promise<number> => {
      const withinMs = SESSION_MS + RESUME_MS;
      const probes: Record<Role, () => Promise<SentRequest[]>> = {
        workspace: async () => [await acknowledged(tenant, { networks: ['threads'] })],
        scheduler: async () => [await acknowledged(tenant, { dueInMs: 1_000 })],
        publisher: () =>
          Promise.all([acknowledged(tenant, { networks: ['x'] }), acknowledged(onThreads, { networks: ['threads'] })]),
      };
      const sent = await probes[role]();
      // An owner's work ends with the acknowledgement; the other roles do the rest.
      if (role !== 'workspace') for (const probe of sent) await published(probe.tenant, idOf(probe), withinMs);
      return performance.now() - hitAt;
    };

    /** Hits one process of each role, each in the middle of its work. */
    const faultsOf = async (act: (victim: CrierUnderTest) => void): Promise<readonly (readonly [Role, Fault])[]> => {
      await cluster.sharedOut();
      const faults: (readonly [Role, Fault])[] = [];
      for (const role of ROLES) faults.push([role, await faultOf(role, act)]);
      return faults;
    };

    test('kill -9 of one of each role that owns the partition, with work in flight: others take over', async ({
      annotate,
    }) => {
      const faults = await faultsOf((one) => one.signal('SIGKILL'));
      const hitAt = lastHitOf(faults);
      await Promise.all(faults.map(([, { victim }]) => victim.ended));
      const tookMs = await Promise.all(faults.map(([role, fault]) => resumedMs(role, fault, hitAt)));
      for (const [index, [role, { victim, pid }]] of faults.entries()) {
        await annotate(
          `${victim.name} (${pid}) killed; its partition resumed after ${Math.round(tookMs[index]!)} ms, the session being ${SESSION_MS} ms`,
        );
        expect(tookMs[index], role).toBeLessThan(SESSION_MS + RESUME_MS);
      }
      await Promise.all(faults.map(([, { victim }]) => victim.start()));
      for (const [, { victim, pid }] of faults) expect(victim.pid).not.toBe(pid);
    });

    test('kill -9 of the process that converts a picture: another converts it, and it is live once on both Networks', async ({
      annotate,
    }) => {
      await cluster.sharedOut();
      const [tenant, api] = [tenants[6]!, cluster.api(tenants[6]!)];
      const text = 'A picture that its maker did not live to see';
      const assetId = await upload(api, await largePicture());
      // From before the Post, in every process that converts: it may be over before one is known to own the partition.
      const working = until(
        async () => {
          for (const victim of cluster.readersOf('media')) {
            const groups = await childGroupsWith('picture-worker', victim.pid!);
            // Delayed, so that it can not finish before the kill.
            for (const group of groups) process.kill(-group, 'SIGSTOP');
            if (groups.length > 0) return { victim, groups };
          }
          return null;
        },
        { what: 'it is working', everyMs: 5 },
      );
      const [{ id }, { victim, groups }] = await Promise.all([
        api.createPost({ text, channelIds: Object.values(tenant.channels), media: [{ assetId }] }),
        working,
      ]);
      victim.signal('SIGKILL');
      const from = performance.now();
      await victim.ended;
      for (const group of groups) process.kill(-group, 'SIGCONT');
      expect(
        (await api.getPost(id)).variants.some(({ status }) => status === 'scheduled'),
        'not all was ready',
      ).toBe(true);
      const { variants } = await published(tenant, id, SESSION_MS + RESUME_MS);
      await annotate(
        `${victim.name} killed; published ${Math.round(performance.now() - from)} ms after, the session being ${SESSION_MS} ms`,
      );
      await until(async () => (await Promise.all(groups.map(isLiving))).every((living) => !living), {
        what: 'its decoders gone with it',
      });
      const items = await itemsOf(cluster.sandbox, text);
      expect(items.map(({ network, permalink, media }) => [network, permalink, media.length]).toSorted()).toEqual(
        variants.map(({ network, permalink }) => [network, permalink, 1]).toSorted(),
      );
      await victim.start();
    });

    test('one of each role stopped for longer than its session, with work in flight: others take over, and nothing that it does after waking counts', async ({
      annotate,
    }) => {
      const faults = await faultsOf((one) => one.signal('SIGSTOP'));
      const hitAt = lastHitOf(faults);
      const tookMs = await Promise.all(faults.map(([role, fault]) => resumedMs(role, fault, hitAt)));
      await annotate(
        faults
          .map(
            ([, { victim }], index) =>
              `${victim.name} stopped; its partition resumed after ${Math.round(tookMs[index]!)} ms`,
          )
          .join('; '),
      );
      expect(Math.min(...tookMs), 'longer than its session').toBeGreaterThan(SESSION_MS / 2);
      expect(Math.max(...tookMs)).toBeLessThan(SESSION_MS + RESUME_MS);
      for (const [, { victim, pid }] of faults) {
        expect(victim.pid, 'the same process').toBe(pid);
        victim.signal('SIGCONT');
      }
      await cluster.sharedOut();
      await cluster.ready();
    });

    test('kill -9 and SIGSTOP of an ingress, with requests in flight: the other answers, and after waking the stopped one answers too', async () => {
      const [victim] = cluster.ingresses as [CrierUnderTest];
      await flooded(victim, tenants[2]!, 0, () => victim.signal('SIGKILL'));
      await victim.ended;
      await acknowledged(tenants[2]!, { ingress: 1 });
      await victim.start();
      await flooded(victim, tenants[2]!, 0, () => {
        victim.signal('SIGSTOP');
        setTimeout(() => victim.signal('SIGCONT'), 2_000);
      });
      await acknowledged(tenants[2]!, { ingress: 0 });
    });

    test('kill -9 of admin and of the sandbox, with calls to it in flight: they are reconciled and not repeated', async () => {
      const { sandbox, admin } = cluster;
      await sandbox.sandbox().fault({ network: 'threads', fault: 'delay', count: 4, delayMs: 3_000 });
      const sent = await acknowledged(tenants[3]!, { networks: ['threads'] });
      await until(
        async () =>
          (await sandbox.sandbox().send('GET', '/sandbox/faults')).body.faults.some(
            ({ left }: { left: number }) => left < 4,
          ),
        { what: 'the call in progress', everyMs: 5 },
      );
      await Promise.all([sandbox.kill(), admin.kill()]);
      await Promise.all([sandbox.start(), admin.start()]);
      await sandbox.sandbox().clearFaults();
      await published(tenants[3]!, idOf(sent), 60_000);
      expect((await admin.admin().call('system.status')).roles).toEqual(['admin']);
    });

    test('two ingresses never let one key through more often than 60 times in a rolling minute', async ({
      annotate,
    }) => {
      const { admitted, refused, mostInAMinute } = await hammering;
      await annotate(`admitted ${admitted.join(' and ')}, refused ${refused}, most in a minute ${mostInAMinute}`);
      expect(mostInAMinute).toBeLessThanOrEqual(60);
      expect(Math.min(...admitted)).toBeGreaterThan(0);
      expect(admitted[0]! + admitted[1]!, 'the next minute opens').toBeGreaterThan(60);
      expect(refused).toBeGreaterThan(0);
    });

    /** What the table of docs/guarantees.md speaks of. Its Workspace takes part in no outage. */
    const asked = async (): Promise<Asked> => {
      const { workspaceId, channels } = tenants[7]!;
      const [api, channelIds] = [cluster.api(tenants[7]!), [channels.threads]];
      fileUrl ??= await keptFile(api, channelIds);
      const [other, admin] = [cluster.workspaces[0]!, cluster.admin.admin()];
      return { ingress: cluster.ingresses[0]!, other, admin, api, channelIds, workspaceId, fileUrl };
    };
    let fileUrl: string | null = null;

    /** Returns, in words, how long after the engine everything was well, and how late what was due meanwhile was. */
    const outage = async (
      hit: () => Promise<void>,
      during: () => Promise<void>,
      mend: () => Promise<void>,
      staysReady: (process: CrierUnderTest) => boolean = () => false,
    ): Promise<string> => {
      const [one, other] = [tenants[4]!, tenants[5]!];
      const dueAt = Date.now() + 4_000;
      const pids = cluster.all.map(({ pid }) => pid);
      const due = await Promise.all([one, other].map((tenant) => traffic.post(tenant, { dueInMs: 4_000 })));
      let [from, servedAt] = [0, 0];
      const load = traffic.load([one, other], 6, (count) => ({
        networks: ['threads'],
        ingress: count % 2,
        ...(count % 3 === 0 ? {} : { dueInMs: HOUR_MS }),
      }));
      try {
        await until(() => traffic.unanswered > 0, { what: 'requests in flight', everyMs: 1 });
        from = performance.now();
        await hit();
        const refused = await Promise.all([0, 1].map((ingress) => traffic.post(one, { ingress })));
        for (const { answer, tookMs } of refused) {
          expectUnavailable(answer);
          expect(tookMs, 'within the deadline').toBeLessThan(ANSWER_MS * 2);
        }
        await Promise.all(
          cluster.all.map(async (process) => {
            if (!staysReady(process))
              await until(async () => (await process.admin().get('/health/ready')).status === 503, {
                what: `${process.name} says it is not ready`,
                withinMs: NOTICED_MS,
              });
            expect((await process.admin().get('/health/live')).status).toBe(200);
          }),
        );
        await during();
        await mend();
        servedAt = performance.now();
      } finally {
        await load[Symbol.asyncDispose]();
      }
      await until(async () => (await traffic.post(other, { ingress: 1 })).postId, {
        what: 'Posts taken again',
        withinMs: MENDED_MS,
      });
      for (const { tenant, postId } of due) if (postId !== null) await published(tenant, postId, MENDED_MS);
      await cluster.ready(MENDED_MS);
      expect(
        cluster.all.map(({ pid }) => pid),
        'nothing of ours restarted',
      ).toEqual(pids);
      const wellMs = performance.now() - servedAt;
      const texts = new Set(due.map(({ text }) => text));
      const live = (await cluster.sandbox.sandbox().items()).filter(({ text }) => texts.has(text));
      const lateMs = live.map(({ publishedAt }) => Date.parse(publishedAt) - dueAt);
      return `away for ${Math.round(servedAt - from)} ms; all well ${Math.round(wellMs)} ms after it served again; what was due meanwhile ${lateMs.join(', ')} ms late`;
    };

    test('Kafka killed and started again: writes are refused and reads go on meanwhile, then everything resumes by itself', async ({
      annotate,
    }) => {
      const about = await asked();
      const said = await outage(
        () => kafka.kill('SIGKILL'),
        async () => {
          await answersAsOnThePage(about, 'Kafka', NOTICED_MS);
          for (const [index, ingress] of cluster.ingresses.entries()) {
            expect((await ingress.admin().get('/health/ready')).status, `${ingress.name} is ready for reads`).toBe(200);
            const posts = await until(() => cluster.api(tenants[4]!, index).listPosts(), {
              what: `${ingress.name} lists Posts`,
            });
            expect(posts).not.toEqual([]);
          }
        },
        () => kafka.restart(),
        (process) => cluster.ingresses.includes(process),
      );
      await annotate(`Kafka ${said}`);
    });

    test('Cassandra stopped: 503 and not ready meanwhile, then everything resumes by itself', async ({ annotate }) => {
      const about = await asked();
      const said = await outage(
        () => cassandra.kill('SIGSTOP'),
        () => answersAsOnThePage(about, 'Cassandra', NOTICED_MS),
        () => cassandra.kill('SIGCONT'),
      );
      await annotate(`Cassandra ${said}`);
    });

    test('Cassandra killed and started again, then both down when one of our processes starts: it waits, and becomes ready by itself', async ({
      annotate,
    }) => {
      const early = await CrierUnderTest.make({
        name: 'early',
        engine: 'cluster',
        roles: ['ingress', 'workspace', 'admin'],
        env: cluster.settings,
      });
      const health = (path: 'live' | 'ready') =>
        send('GET', `http://127.0.0.1:${early.ports.admin}/health/${path}`).then(({ status }) => status);
      try {
        const about = await asked();
        const said = await outage(
          () => cassandra.kill('SIGKILL'),
          async () => {
            await kafka.kill('SIGKILL');
            await answersAsOnThePage(about, 'Both', NOTICED_MS);
            early.launch();
            await until(async () => (await health('live')) === 200, { what: 'it is alive', withinMs: NOTICED_MS });
            expect(await health('ready')).toBe(503);
            await until(() => early.stderr().includes('engine-unavailable'), {
              what: 'it says what it waits for',
              withinMs: NOTICED_MS,
            });
          },
          async () => {
            await Promise.all([cassandra.restart(), kafka.restart()]);
          },
        );
        await annotate(`Both ${said}`);
        await early.whenReady(MENDED_MS);
        await until(async () => (await health('ready')) === 200, { what: 'the early one ready', withinMs: NOTICED_MS });
        const ended = await early.stop();
        expect(ended, early.output().slice(-5_000)).toEqual({ code: 0, signal: null });
      } finally {
        await early[Symbol.asyncDispose]();
      }
    });

    if (soak()) {
      const { forMs, seed } = soakRun();
      test(
        `random faults for ${forMs / 1_000} s by seed ${seed}`,
        { timeout: forMs + 600_000 },
        async ({ annotate }) => {
          const done = await randomFaults({ cluster, kafka, cassandra, traffic, tenants }, seed, forMs);
          await annotate(done.join('\n'));
          await cluster.sharedOut();
          await cluster.ready();
        },
      );
    }

    test('after all faults nothing is lost, nothing is live twice, and nothing is unfinished', async ({ annotate }) => {
      const verdict = await judge(cluster, traffic, tenants, CREDITS);
      await annotate(JSON.stringify(verdict));
      expect(verdict.published).toBeGreaterThan(50);
      expect((await cluster.admin.admin().call('parked.list')).parked).toEqual([]);
      expect((await cluster.admin.admin().call('deadLetters.list')).deadLetters).toEqual([]);
    });

    test('and every Variant that was published or failed has its event delivered, under one id', async ({
      annotate,
    }) => {
      const counts = await Promise.all(
        tenants.map(async (tenant) => receivers.all(tenant, await cluster.api(tenant).listPosts({ limit: '100' }))),
      );
      await annotate(`${counts.reduce((sum, count) => sum + count, 0)} events delivered`);
      // Those that were founded later have Posts only where the victim of a fault had their partition.
      expect(Math.min(...counts.slice(0, TENANTS))).toBeGreaterThan(0);
    });

    function lastHitOf(faults: readonly (readonly [Role, Fault])[]): number {
      return Math.max(...faults.map(([, { from }]) => from));
    }

    function published(tenant: Tenant, postId: string, withinMs: number): Promise<PostJson> {
      const whole = async (): Promise<PostJson | null> => {
        const post = await cluster.api(tenant).getPost(postId);
        return post.variants.every(({ status, permalink }) => status === 'published' && permalink !== null)
          ? post
          : null;
      };
      return until(whole, { what: `${postId} published`, withinMs, everyMs: 50 });
    }

    async function ownedBy(victim: CrierUnderTest, consumer: Consumer): Promise<Tenant> {
      const { owned } = await cluster.workOf(victim, consumer);
      const isOwned = (one: Tenant): boolean => owned.has(partitionOfTenant(consumer, one).partition);
      // Where a Channel lies is chance: of the first few it may be none.
      while (!tenants.some(isOwned) && tenants.length < MAX_TENANTS) {
        const tenant = await cluster.found(`tenant-${tenants.length}`);
        await receivers.register(cluster.api(tenant), tenant);
        tenants = [...tenants, tenant];
      }
      const tenant = tenants.find(isOwned);
      if (tenant === undefined) throw new Error(`${victim.name} owns no partition of ${consumer} that a tenant uses`);
      return tenant;
    }

    /** Of a Post that must be acknowledged. */
    function idOf({ postId, text, answer }: SentRequest): string {
      expect(postId, `${text}: ${answer?.status} ${JSON.stringify(answer?.body)}`).not.toBeNull();
      return postId!;
    }

    function expectUnavailable(answer: ClientAnswer | null): void {
      expect(answer?.status).toBe(503);
      expect(['outcome_unknown', 'unavailable']).toContain(answer?.body.error.code);
      expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  },
);
