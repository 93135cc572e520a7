import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, afterAll, expect, test } from 'vitest';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import { textChannels, CrierUnderTest } from '#testing/crier-process.ts';
import { startSpanCollector, type SpanCollector } from '#testing/span-collector.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { commandsOf, type PageCommand } from '../tidy/runbook.ts';
import { troubleWith, type Fillings } from './runbook-commands.ts';

/** What operators measure, of which none may be lost. Others set publishing_held. */
const MEASURED = [
  'crier_variant_start_lateness_seconds',
  'crier_timer_lateness_seconds',
  'crier_timers_overdue',
  'crier_timers_oldest_overdue_seconds',
  'crier_timers_due_next',
  'crier_publish_duration_seconds',
  'crier_publish_in_flight',
  'crier_network_request_duration_seconds',
  'crier_network_wait_seconds',
  'crier_network_circuit_open',
  'crier_log_behind_records',
  'crier_log_behind_seconds',
  'crier_store_request_duration_seconds',
  'crier_store_requests_in_flight',
  'crier_turn_duration_seconds',
  'crier_command_wait_seconds',
  'crier_http_requests_in_flight',
  'crier_answers_found_by_looking_total',
  'crier_channel_reconnect_changes_total',
  'crier_channels_needing_reconnect',
  'crier_admin_calls_total',
  'crier_log_lines_total',
  'crier_schema_version',
  'crier_data_bytes',
  'crier_data_free_bytes',
  'crier_conversions',
  'crier_failures_total',
  'crier_ready',
  'crier_roles',
  'crier_trace_spans_total',
  'crier_build_info',
];

type Line = Readonly<Record<string, unknown>> & { readonly event: string };

let trusted: TrustedReceiver;
let collector: SpanCollector;
let crier: CrierUnderTest;
let postId: string;

const HOUR_MS = 3_600_000;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const REQUEST = 'a.client-names_its-request.1';

const lines = (): readonly Line[] =>
  crier
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const about = (id: string): readonly Line[] => lines().filter((line) => JSON.stringify(line).includes(id));
const metrics = async (): Promise<readonly string[]> => String((await crier.admin().get('/metrics')).body).split('\n');
const valueOf = (series: string): Promise<number> => crier.admin().metric(series);

/** One scheduled Post on two Networks, published and told to an endpoint. */
beforeAll(async () => {
  trusted = await startTrustedReceiver();
  collector = await startSpanCollector();
  const foreign = { OTEL_SERVICE_NAME: 'crier-under-test', OTEL_METRICS_EXPORTER: 'none', OTEL_OF_OTHERS: 'x' };
  const env = { ...trusted.settings, ...collector.settings, ...foreign, CRIER_LOG_LEVEL: 'debug' };
  crier = await CrierUnderTest.start({ env });
  const api = crier.api();
  const { url } = trusted.receiver;
  expect((await api.send('POST', '/api/webhooks', { url, events: [...OUTCOME_TYPES] })).status).toBe(201);
  const scheduledAt = new Date(Date.now() + HOUR_MS).toISOString();
  const body = { text: 'Watched all the way', channelIds: textChannels(crier.ready.demo!), scheduledAt };
  const headers = { 'X-Request-Id': REQUEST, traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
  const created = await api.send('POST', '/api/posts', body, { headers });
  expect([created.status, created.headers.get('x-request-id')]).toEqual([201, REQUEST]);
  postId = created.body.data.id;
  await crier.admin().advance(HOUR_MS + 1_000);
  const isTold = (): boolean => about(postId).filter(({ event }) => event === 'webhook-delivery-ended').length === 2;
  await until(isTold, { what: 'the log tells of both deliveries', withinMs: 60_000, everyMs: 100 });
}, 300_000);

afterAll(async () => {
  await crier?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

test("one search for a Post's id shows its whole way", async () => {
  const way = [
    'request-served',
    'turn-committed',
    'timers-fired',
    'attempt-begun',
    'attempt-ended',
    'webhook-attempt-ended',
    'webhook-delivery-ended',
  ];
  const events = new Set(about(postId).map(({ event }) => event));
  expect(way.filter((event) => !events.has(event))).toEqual([]);
  const { workspaceId } = crier.ready.demo!;
  for (const line of about(postId).filter(({ event }) => event !== 'timers-fired'))
    expect(line, line.event).toMatchObject({ workspaceId });
  for (const event of ['attempt-begun', 'attempt-ended'])
    expect(about(postId).find((line) => line.event === event)).toMatchObject({
      postId,
      variantId: expect.any(String),
      attempt: 1,
    });
  expect(about(postId).find(({ event }) => event === 'webhook-attempt-ended')).toMatchObject({
    postId,
    eventId: expect.any(String),
    deliveryId: expect.any(String),
  });
});

test('a request has the name that its client gave it, and leads to its turn', async () => {
  const [served] = about(REQUEST).filter(({ event }) => event === 'request-served');
  expect(served).toMatchObject({ requestId: REQUEST, operation: 'create-post', postId });
  expect(about(String(served!['commandId'])).map(({ event }) => event)).toContain('turn-committed');
  const odd = await crier.api().send('GET', '/api/channels', undefined, { headers: { 'X-Request-Id': 'not ours!' } });
  const own = odd.headers.get('x-request-id')!;
  expect(own).toMatch(/^[0-9a-f-]{36}$/);
  await until(() => about(own).length > 0, { what: 'the request is logged' });
  expect(about(own)[0]).toMatchObject({ requestId: own, clientRequestId: 'not ours!' });
});

test('a collector gets the whole trace of the Post over OTLP, from its request to its delivery', async () => {
  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const [request] = await until(() => (named('POST /api/posts').length > 0 ? named('POST /api/posts') : null), {
    what: 'the request is collected',
    withinMs: 60_000,
  });
  expect(request).toMatchObject({
    ...{ traceId: TRACE_ID, parentId: 'b7ad6b7169203331' },
    resource: { 'service.name': 'crier-under-test', 'crier.roles': expect.stringContaining('publisher') },
  });
  const isDelivered = () => collector.spans.some(({ attributes }) => 'crier.delivery.id' in attributes);
  await until(isDelivered, { what: 'a delivery is collected', withinMs: 60_000 });
  const [fired] = named('fire workspace.commands.v1');
  expect(fired!.links).toEqual([{ traceId: TRACE_ID, spanId: request!.spanId }]);
  const caused = collector.spans.filter(({ traceId }) => traceId === fired!.traceId).map(({ name }) => name);
  expect(caused).toEqual(expect.arrayContaining(['process publish.x.v1', 'process publish.threads.v1']));
  const dropped = await valueOf('crier_trace_spans_total{outcome="dropped"}');
  expect([dropped, await valueOf('crier_trace_spans_total{outcome="exported"}')]).toEqual([0, expect.any(Number)]);
});

test('the level of the log is changed while it runs, by who may, and is kept in the audit', async () => {
  const admin = crier.admin();
  expect(await admin.call('log.status')).toEqual({ level: 'debug', usual: 'debug', until: null });
  const until30 = await admin.call('log.level', { level: 'warn', minutes: 30 });
  expect(until30).toMatchObject({ level: 'warn', usual: 'debug', until: expect.stringMatching(/Z$/) });
  const served = 'crier_http_request_duration_seconds_count{operation="list-channels",status_class="2xx"}';
  const [before, lines] = [await valueOf(served), about('list-channels').length];
  await crier.api().send('GET', '/api/channels');
  await until(async () => (await valueOf(served)) === before + 1, { what: 'it is counted', withinMs: 90_000 });
  await admin.call('log.level', { level: 'debug' });
  expect(about('list-channels').length).toBe(lines);
  const { items } = await admin.call('audit.list', {});
  expect(items.filter(({ procedure }: { procedure: string }) => procedure === 'log.level')).toHaveLength(2);
  await expect(admin.call('log.level', { level: 'all' })).rejects.toThrow(/level/);
});

test('every line says which process wrote it', () => {
  expect(lines().length).toBeGreaterThan(10);
  for (const line of lines())
    expect(line).toMatchObject({
      service: 'crier',
      version: expect.stringMatching(/^\d/),
      roles: expect.stringContaining('publisher'),
      instance: expect.stringMatching(/./),
      pid: expect.any(Number),
    });
});

test('all that operators measure is there', async () => {
  const shown = await metrics();
  expect(MEASURED.filter((name) => !shown.some((line) => line.startsWith(`# TYPE ${name} `)))).toEqual([]);
});

/** The linter of Prometheus: that of the machine, or what `make tools` unpacked; null: there is none. */
const PROMTOOL =
  ['promtool', resolve(import.meta.dirname, '../../.cache/tools/promtool')].find(
    (command) => spawnSync(command, ['--version']).error === undefined,
  ) ?? null;

test.skipIf(PROMTOOL === null)('promtool has nothing to say of the metrics of a process that has worked', async () => {
  const lint = (text: string) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL!, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };
  const text = (await metrics()).join('\n');
  expect(lint(text)).toEqual({ status: 0, said: '' });
  const misnamed = '# HELP crier_late_milliseconds How late\n# TYPE crier_late_milliseconds counter\n';
  expect(lint(`${text}${misnamed}crier_late_milliseconds 1\n`).said).toMatch(/crier_late_milliseconds .*_total/);
});

test('what happened to the Post is measured', async () => {
  for (const network of ['x', 'threads']) {
    expect(await valueOf(`crier_variant_start_lateness_seconds_count{network="${network}"}`)).toBe(1);
    expect(
      await valueOf(`crier_publish_duration_seconds_count{network="${network}",placement="feed",outcome="published"}`),
    ).toBe(1);
    expect(
      await valueOf(
        `crier_network_request_duration_seconds_count{network="${network}",operation="publish",status_class="2xx"}`,
      ),
    ).toBeGreaterThan(0);
    expect(await valueOf(`crier_network_circuit_open{network="${network}"}`)).toBe(0);
    expect(await valueOf(`crier_publish_in_flight{network="${network}"}`)).toBe(0);
  }
  expect(await valueOf('crier_turn_duration_seconds_count')).toBeGreaterThan(2);
  expect(await valueOf('crier_command_wait_seconds_count')).toBeGreaterThan(1);
  expect(
    await valueOf('crier_store_request_duration_seconds_count{operation="compare-and-set",outcome="ok"}'),
  ).toBeGreaterThan(2);
  expect(await valueOf('crier_admin_calls_total{procedure="clock.advance",outcome="ok"}')).toBe(1);
  expect(await valueOf('crier_timers_overdue')).toBe(0);
  // How many there are depends on how long the tests before took.
  expect(await valueOf('crier_timers_due_next{window="30s"}')).toBeGreaterThanOrEqual(0);
  expect(await valueOf('crier_log_behind_records{consumer="workspace"}')).toBe(0);
  // Answers come by hints; who waits for more than a second on a busy machine may find the row before the hint.
  expect(await valueOf('crier_answers_found_by_looking_total')).toBeLessThan(
    (await valueOf('crier_turn_duration_seconds_count')) / 2,
  );
  expect(await valueOf('crier_data_bytes{part="database"}')).toBeGreaterThan(4_096);
  expect(await valueOf('crier_schema_version')).toBeGreaterThan(0);
  expect(await valueOf('crier_log_lines_total{level="debug"}')).toBeGreaterThan(5);
  expect(await valueOf('crier_ready')).toBe(1);
  // There at 0, before anything of the kind happened.
  expect(
    await valueOf('crier_http_request_duration_seconds_count{operation="remove-media-upload",status_class="5xx"}'),
  ).toBe(0);
  expect(await valueOf('crier_mcp_tool_calls_total{tool="list_posts",outcome="ok"}')).toBe(0);
  expect(await valueOf('crier_admin_calls_total{procedure="secrets.reseal",outcome="ok"}')).toBe(0);
  expect(await valueOf('crier_owners_vanished_total{group="publisher-x"}')).toBe(0);
});

test('a wrong call of an operator is counted by its error', async () => {
  const before = await valueOf('crier_admin_calls_total{procedure="clock.advance",outcome="BAD_REQUEST"}');
  await expect(crier.admin().call('clock.advance', { milliseconds: -1 })).rejects.toThrow();
  const after = await valueOf('crier_admin_calls_total{procedure="clock.advance",outcome="BAD_REQUEST"}');
  expect([before, after]).toEqual([Number.NaN, 1]);
});

/** What stands for the words in CAPITALS of the runbook. */
async function fillings(): Promise<Fillings> {
  const { workspaceId, email } = crier.ready.demo!;
  const endpoints = (await crier.api().send('GET', '/api/webhooks')).body.data;
  return {
    WORKSPACE_ID: workspaceId,
    EMAIL: email,
    POST_ID: postId,
    VARIANT_ID: `${postId.slice(0, -2)}01`,
    APPROVAL_ID: '0193c1f0-0000-4000-8000-000000000000',
    DELIVERY_ID: endpoints[0].deliveries[0].id,
    TOPIC: 'publish.x.v1',
    KEY: 'no-such-key',
    BACKUP: join(crier.dataDir, '..', 'backup.tar'),
    BUNDLE: join(crier.dataDir, '..', 'bundle.tar'),
    NEW_FOLDER: join(crier.dataDir, '..', 'restored'),
  };
}

test('every command of the runbook does what the page says', { timeout: 300_000 }, async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
  const commands = [...new Map(commandsOf(page).map((each) => [each.command, each])).values()];
  expect(commands.length).toBeGreaterThan(40);
  const filled = await fillings();
  const troubles: string[] = [];
  for (const command of commands) {
    const trouble = await troubleWith(crier, command, filled);
    if (trouble !== null) troubles.push(`${command.heading}: ${trouble}`);
  }
  expect(troubles).toEqual([]);
  // Who follows the page to its end leaves nothing held.
  expect((await crier.admin().call('publishing.status')).held).toEqual([]);
});

test('a command that fails, or that names what is not there, is noticed', async () => {
  const planted: readonly Partial<PageCommand>[] = [
    { command: 'crier admin parked.lst' },
    { command: `crier admin posts.get '{"post":"POST_ID"}'` },
    { command: `crier admin posts.get '{"postId":"FORGOTTEN"}'` },
    { command: `crier admin parked.retry '{"topic":"TOPIC","key":"KEY"}'` },
    { command: `crier admin parked.retry '{"topic":"no.topic","key":"KEY"}'`, note: 'exits 1 where it is not parked' },
    { command: 'curl -s http://127.0.0.1:8081/metrics | grep crier_no_such_metric' },
    { command: 'crier doctr' },
  ];
  const filled = await fillings();
  for (const plant of planted)
    expect(
      await troubleWith(crier, { heading: 'h', command: '', note: '', ...plant }, filled),
      plant.command!,
    ).not.toBe(null);
});

test('a collector that hangs holds up neither what is served nor the end of the process', async () => {
  collector.hang();
  expect((await crier.api().send('GET', '/api/channels')).status).toBe(200);
  expect(await crier.stop()).toEqual({ code: 0, signal: null });
  const dropped = lines().filter(({ event }) => event === 'spans-dropped');
  expect(dropped.at(-1)).toMatchObject({ why: 'end', count: expect.any(Number) });
});
