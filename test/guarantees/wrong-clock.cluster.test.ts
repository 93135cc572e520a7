import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { foundTenant, installationSettings, partitionOfTenant, runCrier, type Tenant } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { soak } from '#testing/engines/environment.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { freePorts } from '#testing/engines/process.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { SteeredClock } from '#testing/steered-clock.ts';
import { TIMERS } from '#tables/declarations/topics.ts';
import { until } from '#testing/until.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();
const MINUTE_MS = 60_000;
const PRELOADED = new URL('../../libs/testing/shifted-clock.ts', import.meta.url);
const PATIENCE_MS = 90_000;

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)('a process of a cluster', () => {
  const name = `clock_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropKeyspace(cassandra.address!, name));

  test(
    'whose clock is an hour ahead takes no work and says so in a sentence; nothing is published early, and nothing lost',
    { timeout: 600_000 },
    async () => {
      const settings = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], settings)).toMatchObject({ code: 0, stderr: '' });
      const env: Record<string, string> = { ...settings };
      const beginsWith = (from: 'right' | 'off'): void => {
        env['NODE_OPTIONS'] = `--import=${PRELOADED}?offMs=${60 * MINUTE_MS}&from=${from}`;
      };
      beginsWith('right');
      await using crier = await CrierUnderTest.start({ name, engine: 'cluster', env });
      const { apiKey, channels } = await foundWorkspace(crier, 'a client');
      const scheduledAt = new Date(Date.now() + 50 * MINUTE_MS).toISOString();
      const text = 'in fifty minutes';
      const { id } = await crier.api(apiKey).createPost({ text, channelIds: Object.values(channels), scheduledAt });

      // Its clock leaps: it ends, by itself.
      crier.signal('SIGUSR2');
      expect(await crier.ended).toEqual({ code: 1, signal: null });
      const sentence = expect.stringMatching(
        // The time that the question took is taken off.
        /^crier: the clock of this machine is 3[56]\d\d s ahead of that of Cassandra at 127\.0\.0\.1:\d+: set it right/,
      );
      // A library may warn of timeouts that a leap made negative.
      const said = () => crier.errorLines().filter((line) => line.startsWith('crier: '));
      expect(said()).toEqual([sentence]);

      // Started by that clock, it lives and waits.
      beginsWith('off');
      crier.launch();
      const asked = async (path: 'live' | 'ready') => {
        const answer = await fetch(`http://127.0.0.1:${crier.ports.admin}/health/${path}`).catch(() => null);
        return answer === null ? null : { status: answer.status, body: await answer.text() };
      };
      let last: string | undefined;
      const says = async (): Promise<boolean> => {
        const answer = await asked('ready');
        last = answer?.body;
        return answer?.status === 503 && answer.body.includes('the clock of this machine is');
      };
      await until(says, { what: 'readiness names the clock', withinMs: PATIENCE_MS }).catch((error: Error) => {
        throw new Error(`${error.message}: ${last}`);
      });
      expect((await asked('live'))?.status).toBe(200);
      expect(await accepts(crier.ports.api), 'it takes requests').toBe(false);

      // Put right, it goes on by itself, where it had stopped.
      crier.signal('SIGUSR2');
      await crier.whenReady(PATIENCE_MS);
      const { variants } = await crier.api(apiKey).getPost(id);
      expect(variants.map(({ status }) => status)).toEqual(variants.map(() => 'scheduled'));
      expect(await crier.sandbox().items()).toEqual([]);
      expect(said()).toEqual([sentence]);
    },
  );
});

const LEAD_SECONDS = 7_200;
const LEADS_FOR_MS = 20_000;
const STARTS_FOR_MS = 8_000;
const MAX_LATE_MS = 60_000;
const FAR_MS = 60 * MINUTE_MS;
/**
 * Posts of minutes that the leading clock may read too early, and that are so far ahead that nothing but their rows
 * tells of them. Waiting for these takes longer than all the rest: the short form counts rows that are still to fire.
 */
const PASSED_MS: readonly number[] = soak() ? [6 * MINUTE_MS, 16 * MINUTE_MS] : [];
const TENANTS = 9;
const MAX_TENANTS = 40;
const steered = SteeredClock.make();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null || steered === null)(
  'one scheduler of three whose clock leads by two hours for 20 s',
  () => {
    const name = `lead_${randomBytes(6).toString('hex')}`;
    const running: CrierUnderTest[] = [];
    afterAll(async () => {
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()));
      steered?.[Symbol.dispose]();
      await dropKeyspace(cassandra.address!, name);
    });

    test(
      'owns no shard meanwhile: all fires, nothing before its time, and nothing more than a minute late',
      { timeout: 900_000 + Math.max(0, ...PASSED_MS) },
      async () => {
        const sandboxPort = (await freePorts(1))[0]!;
        const env = {
          ...installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name }),
          CRIER_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
        };
        expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
        const start = async (called: string, roles: readonly string[], own: Readonly<Record<string, string>> = {}) => {
          const [api, admin, other] = (await freePorts(3)) as [number, number, number];
          const ports = { api, admin, sandbox: roles.includes('sandbox') ? sandboxPort : other };
          const made = await CrierUnderTest.make({
            ...{ name: called, engine: 'cluster', roles, ports },
            env: { ...env, ...own },
          });
          running.push(made);
          await made.start(180_000);
          return made;
        };
        const front = await start('front', [
          'ingress',
          'app',
          'workspace',
          'publisher',
          'webhooks',
          'admin',
          'sandbox',
        ]);
        const schedulers = await Promise.all([
          start('leading', ['scheduler', 'admin'], steered!.env),
          start('second', ['scheduler', 'admin']),
          start('third', ['scheduler', 'admin']),
        ]);
        const [leading] = schedulers;
        const shardsOf = async (process: CrierUnderTest): Promise<readonly number[]> => {
          const { consumers } = await process.admin().call('system.status');
          const { partitions } = consumers.find((each: { name: string }) => each.name === 'scheduler');
          return Object.values<readonly number[]>(partitions).flat();
        };
        await until(
          async () => {
            const owned = await Promise.all(schedulers.map(shardsOf));
            const all = owned.flat().length;
            return (
              all === TIMERS.partitions && new Set(owned.flat()).size === all && owned.every((each) => each.length > 0)
            );
          },
          { what: 'the shards are shared out among three', withinMs: PATIENCE_MS },
        );
        const tenants: Tenant[] = [];
        const led = new Set(await shardsOf(leading));
        const isLed = (tenant: Tenant): boolean => led.has(partitionOfTenant('scheduler', tenant).partition);
        // Where a tenant lies is chance: of the first few the leading scheduler may have none.
        while (tenants.length < TENANTS || (!tenants.some(isLed) && tenants.length < MAX_TENANTS))
          tenants.push(await foundTenant(front.admin(), `tenant-${tenants.length}`));
        expect(tenants.some(isLed), 'the leading scheduler has work to do').toBe(true);

        // Some fall due while it leads, some right after; what is due in an hour is what that clock would fire early.
        const from = Date.now() + 40_000;
        const dueAt = new Map<string, number>();
        const schedule = async ({ apiKey, channels }: Tenant, index: number): Promise<void> => {
          for (const afterMs of [0, 20_000, 45_000, ...PASSED_MS, FAR_MS]) {
            const at = from + afterMs + index * 500;
            const text = `${index} after ${afterMs}`;
            const scheduledAt = new Date(at).toISOString();
            await front.api(apiKey).createPost({ text, channelIds: [channels.threads], scheduledAt });
            if (afterMs < FAR_MS) dueAt.set(text, at);
          }
        };
        await Promise.all(tenants.map(schedule));
        await until(() => Date.now() >= from - 3_000, { what: 'the first are nearly due', withinMs: 2 * MINUTE_MS });
        steered!.leadBy(LEAD_SECONDS);
        const ledAt = Date.now();
        expect(await leading.ended, leading.output().slice(-2_000)).toEqual({ code: 1, signal: null });
        const endedAt = Date.now();
        expect(endedAt - ledAt, 'it has ended').toBeLessThan(MAX_LATE_MS);
        leading.launch();
        // On a busy machine it takes its time to end: it leads until it has been started by that clock, too.
        const leadsUntil = Math.max(ledAt + LEADS_FOR_MS, endedAt + STARTS_FOR_MS);
        await until(() => Date.now() >= leadsUntil, { what: 'it has led for 20 s', withinMs: 2 * MINUTE_MS });
        expect(await shardsOf(leading).catch(() => [])).toEqual([]);
        steered!.leadBy(0);

        const live = () => front.sandbox().items();
        await until(async () => (await live()).length >= dueAt.size, {
          what: 'all that was due is live',
          withinMs: 3 * MINUTE_MS + Math.max(0, ...PASSED_MS),
        });
        await leading.whenReady(PATIENCE_MS);
        // Counted from each shard's watermark on: a minute that it had passed would never fire.
        const { minutes } = await front.admin().call('timers.count', { hours: 2 });
        const ahead = (minutes as readonly { minute: string; timers: number }[])
          .filter(({ minute }) => Date.parse(minute) + MINUTE_MS > from + FAR_MS)
          .reduce((sum, { timers }) => sum + timers, 0);
        expect(ahead, 'timers in an hour that are still to fire').toBeGreaterThanOrEqual(tenants.length);
        const lateness = (await live()).map(({ text, publishedAt }) => Date.parse(publishedAt) - dueAt.get(text)!);
        expect((await live()).map(({ text }) => text).toSorted()).toEqual([...dueAt.keys()].toSorted());
        expect(Math.min(...lateness), 'the earliest').toBeGreaterThanOrEqual(0);
        expect(Math.max(...lateness), 'the latest').toBeLessThan(MAX_LATE_MS);
      },
    );
  },
);

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
