import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { ApiClient, send } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { freePorts } from '#testing/engines/process.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { startSpanCollector, type SpanCollector } from '#testing/span-collector.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { approved, callTool, connected, invited, redeem, refresh, registered, type Doors } from './authorized-app.ts';
import { checkEndOfAccess, ENDS } from './end-of-access.ts';

const GRACE_MS = 60_000;
const kafka = sharedKafka();
const cassandra = sharedCassandra();

/** How many partitions of Workspaces the process owns. */
async function ownedBy(process: CrierUnderTest): Promise<number> {
  const { consumers } = await process.admin().call('system.status');
  const found = consumers.find(({ name }: { name: string }) => name === 'workspace');
  return Object.values(found?.partitions ?? {}).flat().length;
}

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)(
  'apps on two processes for each door, Kafka and Cassandra',
  { timeout: 300_000 },
  () => {
    const name = `apps_${randomBytes(6).toString('hex')}`;
    const running: CrierUnderTest[] = [];
    let trusted: TrustedReceiver;
    let collector: SpanCollector;
    /** Everything but the two doors. */
    let core: CrierUnderTest;
    let doors: readonly [Doors, Doors];
    let used: { readonly clientId: string; readonly token: string; readonly workspaceId: string; readonly at: number };

    beforeAll(async () => {
      trusted = await startTrustedReceiver();
      collector = await startSpanCollector();
      const [publicPort, sandboxPort] = (await freePorts(2)) as [number, number];
      const publicUrl = `http://127.0.0.1:${publicPort}`;
      const env = {
        ...installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name }),
        ...trusted.settings,
        ...collector.settings,
        CRIER_REQUESTS_PER_MINUTE: '60',
        CRIER_PUBLIC_URL: publicUrl,
        CRIER_TRUSTED_PROXIES: '127.0.0.1',
        CRIER_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
      };
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      const start = async (called: string, roles: readonly string[], sandbox?: number): Promise<CrierUnderTest> => {
        const [api, admin, other] = (await freePorts(3)) as [number, number, number];
        const ports = { api, admin, sandbox: sandbox ?? other };
        const made = await CrierUnderTest.make({ name: called, engine: 'cluster', roles, ports, env });
        running.push(made);
        await made.start(120_000);
        return made;
      };
      const rest = ['workspace', 'scheduler', 'publisher', 'media', 'webhooks', 'admin', 'sandbox'];
      core = await start('core', rest, sandboxPort);
      const [appOne, appTwo, ingressOne, ingressTwo] = (await Promise.all([
        start('app-1', ['app']),
        start('app-2', ['app']),
        start('ingress-1', ['ingress']),
        start('ingress-2', ['ingress']),
      ])) as [CrierUnderTest, CrierUnderTest, CrierUnderTest, CrierUnderTest];
      await until(async () => (await ownedBy(core)) === WORKSPACE_COMMANDS.partitions, {
        what: 'all Workspaces owned',
        withinMs: 120_000,
      });
      const at = (process: CrierUnderTest) => `http://127.0.0.1:${process.ports.api}`;
      const common = { publicUrl, sandbox: `http://127.0.0.1:${sandboxPort}` };
      doors = [
        { ...common, app: at(appOne), ingress: at(ingressOne) },
        { ...common, app: at(appTwo), ingress: at(ingressTwo) },
      ];
    }, 600_000);
    afterAll(async () => {
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()));
      await trusted?.[Symbol.asyncDispose]();
      await collector?.[Symbol.asyncDispose]();
      await dropKeyspace(cassandra.address!, name);
    });

    test('a trace leads from the process that took a Post, through Kafka, to the one that published it', async () => {
      const { apiKey, channels } = await foundWorkspace(core, 'traced');
      const api = new ApiClient(doors[0].ingress, apiKey);
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
      const created = await api.send(
        'POST',
        '/api/posts',
        { text: 'traced', channelIds: [channels.threads] },
        { headers },
      );
      expect([created.status, created.body]).toEqual([201, expect.anything()]);
      const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
      const named = (name: string) => ofTrace().find((span) => span.name === name);
      await until(() => named('process publish.threads.v1') && named('process workspace.commands.v1'), {
        what: 'the turn and the attempt are collected',
        withinMs: 90_000,
      });
      await until(() => named('POST /api/posts'), { what: 'the request is collected', withinMs: 90_000 });
      const request = named('POST /api/posts')!;
      expect(request).toMatchObject({ parentId: 'b7ad6b7169203331', resource: { 'crier.roles': 'ingress' } });
      for (const name of ['process workspace.commands.v1', 'process publish.threads.v1'])
        expect(named(name), name).toMatchObject({
          parentId: request.spanId,
          attributes: { 'messaging.system': 'kafka' },
          resource: { 'crier.roles': expect.stringContaining('publisher') },
        });
    });

    test('one code redeemed on both at once is good once at most, and then for nobody', async () => {
      const { workspaceId } = await foundWorkspace(core, 'codes');
      const { browser } = await invited(core, doors[0], { workspaceId, email: 'codes@example.com' });
      const clientId = await registered(doors[0].app);
      for (let round = 0; round < 3; round++) {
        const code = await approved(browser, doors[0], { clientId, workspaceId });
        const resource = `${doors[0].publicUrl}/mcp`;
        const all = [...doors, ...doors, ...doors].map(({ app }) => redeem(app, code, resource));
        const answers = await Promise.all(all);
        const good = answers.filter(({ status }) => status === 200);
        expect(good.length).toBeLessThanOrEqual(1);
        for (const { body } of good)
          expect((await refresh(doors[1].app, clientId, body.refresh_token, resource)).body.error).toBe(
            'invalid_grant',
          );
      }
      expect((await core.admin().call('apps.list', { workspaceId })).apps).toEqual([]);
    });

    test('one refresh token used on both at once is good for each, and so are the successors', async () => {
      const { workspaceId } = await foundWorkspace(core, 'refreshes');
      const { browser } = await invited(core, doors[0], { workspaceId, email: 'refreshes@example.com' });
      const grant = await connected(browser, doors[1], { workspaceId });
      const resource = `${doors[0].publicUrl}/mcp`;
      const use = ({ app }: Doors, token: string) => refresh(app, grant.clientId, token, resource);
      const [one, other] = doors;
      const first = await Promise.all([use(one, grant.refresh), use(other, grant.refresh), use(one, grant.refresh)]);
      expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
      used = { clientId: grant.clientId, token: grant.refresh, workspaceId, at: Date.now() };
      const next = await Promise.all(first.map(({ body }) => use(other, body.refresh_token)));
      expect(next.map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const { body } of [...first, ...next])
        for (const each of doors) expect((await callTool(each, body.access_token, 'list_channels')).status).toBe(200);
    });

    test('an app has one budget over both of its doors and all replicas', async () => {
      const { workspaceId } = await foundWorkspace(core, 'budgets');
      const { browser } = await invited(core, doors[0], { workspaceId, email: 'budgets@example.com' });
      const grant = await connected(browser, doors[0], { workspaceId });
      const calls = Array.from({ length: 20 }, () =>
        doors.flatMap((each) => [
          callTool(each, grant.mcp, 'list_channels'),
          send('GET', `${each.ingress}/api/channels`, undefined, {
            headers: { authorization: `Bearer ${grant.api}` },
          }),
        ]),
      );
      const answers = await Promise.all(calls.flat());
      const refused = answers.filter(({ status }) => status === 429);
      expect(answers.filter(({ status }) => status === 200).length).toBe(answers.length - refused.length);
      // 60 a minute, of 80 that were sent within less than one.
      expect(refused.length).toBeGreaterThanOrEqual(20);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      const other = await connected(browser, doors[1], { workspaceId });
      expect((await callTool(doors[1], other.mcp, 'list_channels')).status).toBe(200);
    });

    test.each(ENDS)('when %s, access ends on all of them', (end) =>
      checkEndOfAccess({ admin: core, doors, receiver: trusted.receiver }, end),
    );

    // The clock of a cluster can not be moved: the tests before took most of the minute.
    test('the same refresh token used after a minute ends the approval', async () => {
      await sleep(Math.max(0, used.at + GRACE_MS + 1_000 - Date.now()));
      const resource = `${doors[0].publicUrl}/mcp`;
      const late = await refresh(doors[1].app, used.clientId, used.token, resource);
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
      const { apps } = await core.admin().call('apps.list', { workspaceId: used.workspaceId });
      expect(apps).toEqual([]);
    });
  },
);
