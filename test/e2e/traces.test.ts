import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { readConfig } from '#config/config.ts';
import { createCrierProcess } from '#services/crier/compose/crier-process.ts';
import { LogLevel } from '#services/crier/compose/log-level.ts';
import { withPorts } from '#services/crier/cli/free-ports.ts';
import { AdminClient, ApiClient } from '#testing/crier-clients.ts';
import { keepSpans, type KeptSpan, type KeptSpans } from '#testing/kept-spans.ts';
import { until } from '#testing/until.ts';
import { memoryEngine, PLANTED } from './live-installation.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${CLIENT_SPAN}-01`;
const HOUR_MS = 3_600_000;
const TEXT = 'a text that only its tenant may read';
const INBOX = 'https://inbox.sandbox/a-path-that-only-its-owner-knows';

let kept: KeptSpans;
let reporter: MemoryReporter;
let sandboxUrl: string;
let api: ApiClient;
let admin: AdminClient;
let channelIds: readonly string[];
let apiKey: string;
const cleanups: (() => unknown)[] = [];

/** All of Crier in this process, with its real tracer: what a collector would get is kept here. */
beforeAll(async () => {
  kept = keepSpans();
  reporter = createMemoryReporter();
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const ports = { CRIER_PORT: '0', CRIER_ADMIN_PORT: '0', CRIER_SANDBOX_PORT: '0' };
  const config = await withPorts(readConfig({ ...ports, CRIER_DATA_DIR: folder, CRIER_DEMO: 'false' }));
  const engine = await memoryEngine([]);
  const metrics = createMetrics({ build: { version: '0', engine: 'embedded' } });
  const { tracer } = kept;
  const running = await createCrierProcess({
    ...{ config, engine, reporter, metrics, tracer, version: '0' },
    logLevel: new LogLevel({ usual: 'debug', set: () => {}, clock: engine.clock, reporter }),
    onMustEnd: (error) => {
      throw error;
    },
  });
  cleanups.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => engine.close(),
    () => running.supervisor.stop(),
    () => running.supervisor.drain(),
  );
  await running.supervisor.start();
  sandboxUrl = running.sandbox!.address()!;
  admin = new AdminClient(running.ops.address().url, PLANTED.adminToken);
  const owner = { name: 'Acme', ownerEmail: 'ada@example.test', plan: 'agency' as const };
  const { workspaceId, memberId } = await admin.call('workspaces.create', owner);
  const permissions = ['posts:publish' as const, 'webhooks:manage' as const];
  ({ apiKey } = await admin.call('keys.create', { workspaceId, memberId, name: 'a key', permissions }));
  const connect = (network: 'threads' | 'facebook') =>
    admin.call('channels.connectSandbox', { workspaceId, network, name: 'Ada' });
  channelIds = [(await connect('threads')).channelId, (await connect('facebook')).channelId];
  api = new ApiClient(running.ingress!.address().url, apiKey);
  const endpoint = await api.send('POST', '/api/webhooks', { url: INBOX, events: ['variant.published'] });
  expect(endpoint.status).toBe(201);
});

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

interface Letters {
  readonly letters: readonly { readonly headers: Readonly<Record<string, string>>; readonly body: string }[];
}
const letters = async (): Promise<Letters['letters']> =>
  ((await (await fetch(`${sandboxUrl}/sandbox/inbox/${INBOX.split('/').at(-1)}`)).json()) as Letters).letters;

const deliveries = async (): Promise<readonly KeptSpan[]> =>
  (await kept.read()).filter(({ attributes }) => 'crier.delivery.id' in attributes);

/** Publishes a Post, traced by its client, to its end. Returns all spans so far. */
async function lead(scheduledAt: string | null, traceparent: string): Promise<readonly KeptSpan[]> {
  const before = (await deliveries()).length;
  const body = { text: `${TEXT} ${traceparent}`, channelIds, ...(scheduledAt !== null && { scheduledAt }) };
  const created = await api.send('POST', '/api/posts', body, { headers: { traceparent } });
  expect([created.status, created.body]).toEqual([201, expect.anything()]);
  if (scheduledAt !== null) await admin.call('clock.advance', { milliseconds: HOUR_MS + 1_000 });
  const isTold = async () => (await deliveries()).length === before + channelIds.length;
  await until(isTold, { what: 'both Variants are told to the endpoint', withinMs: 90_000, everyMs: 50 });
  return kept.read();
}

const named = (spans: readonly KeptSpan[], name: string): readonly KeptSpan[] =>
  spans.filter((span) => span.name === name);

test('an immediate Post is one trace, from the request of its client to the requests to its endpoint', async () => {
  const all = await lead(null, TRACEPARENT);
  const spans = all.filter(({ traceId }) => traceId === TRACE_ID);
  const [request] = named(spans, 'POST /api/posts');
  expect(request).toMatchObject({ parentId: CLIENT_SPAN, attributes: { 'http.response.status_code': 201 } });
  const turn = spans.find(
    ({ name, parentId }) => name === 'process workspace.commands.v1' && parentId === request!.spanId,
  );
  expect(turn).toBeDefined();
  for (const network of ['threads', 'facebook']) {
    const [attempt] = named(spans, `process publish.${network}.v1`);
    expect(attempt, network).toMatchObject({ parentId: request!.spanId, attributes: { 'crier.network': network } });
    // A container that is not ready when it is first looked at is published by another job, a little later.
    const jobs = new Set(named(all, `process publish.${network}.v1`).map(({ spanId }) => spanId));
    const calls = all.filter(({ parentId }) => parentId !== null && jobs.has(parentId));
    const publish = calls.find(({ attributes }) => attributes['crier.operation'] === 'publish');
    expect(publish, network).toMatchObject({ name: 'POST', attributes: { 'http.response.status_code': 200 } });
    const delivery = calls.find(({ attributes }) => 'crier.delivery.id' in attributes);
    expect(delivery, network).toMatchObject({ attributes: { 'server.address': 'inbox.sandbox' } });
    const told = (await letters()).find(({ headers }) => headers['traceparent']?.includes(delivery!.spanId));
    expect(told?.headers['traceparent'], network).toBe(`00-${delivery!.traceId}-${delivery!.spanId}-01`);
    expect(tracesAfter(all, TRACE_ID), network).toContain(delivery!.traceId);
  }
});

/** The traces that are linked to this one, by whatever many links, and it itself. */
function tracesAfter(spans: readonly KeptSpan[], traceId: string): ReadonlySet<string> {
  const found = new Set([traceId]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const span of spans) if (span.links.some((link) => found.has(link.traceId))) found.add(span.traceId);
  }
  return found;
}

test('a scheduled Post begins a trace when it is due, which is linked to that of its request', async () => {
  const traceparent = TRACEPARENT.replace(TRACE_ID, '1af7651916cd43dd8448eb211c80319c');
  const spans = await lead(new Date(Date.now() + HOUR_MS).toISOString(), traceparent);
  const request = named(spans, 'POST /api/posts').find(({ traceId }) => traceId === traceparent.slice(3, 35))!;
  const fired = named(spans, 'fire workspace.commands.v1');
  expect(fired.map(({ links, parentId }) => ({ links, parentId }))).toEqual([
    { links: [{ traceId: request.traceId, spanId: request.spanId }], parentId: null },
  ]);
  const { traceId, spanId } = fired[0]!;
  expect(traceId).not.toBe(request.traceId);
  for (const network of ['threads', 'facebook']) {
    const first = named(spans, `process publish.${network}.v1`).find((span) => span.traceId === traceId);
    expect(first, network).toMatchObject({ parentId: spanId });
  }
  // An attempt that its Network keeps waiting goes on by a timer, too: in a further trace.
  const later = tracesAfter(spans, traceId);
  const told = spans.filter((span) => later.has(span.traceId) && 'crier.delivery.id' in span.attributes);
  const cause = (span: KeptSpan) => spans.find(({ spanId: id }) => id === span.parentId)?.name;
  expect(told.map(cause).toSorted()).toEqual(['process publish.facebook.v1', 'process publish.threads.v1']);
});

test('lines of the log name the trace that they belong to', async () => {
  await lead(null, TRACEPARENT.replace(TRACE_ID, '2af7651916cd43dd8448eb211c80319c'));
  const events = reporter.events.filter(({ facts }) =>
    [facts['traceId'], facts['traceIds']].flat().includes('2af7651916cd43dd8448eb211c80319c'),
  );
  expect(new Set(events.map(({ event }) => event))).toEqual(
    new Set([
      ...['request-served', 'turn-committed', 'attempt-begun', 'attempt-ended'],
      ...['webhook-attempt-ended', 'webhook-delivery-ended'],
    ]),
  );
});

test('every name of a span stands on the page of traces, or one like it does', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/traces.md'), 'utf8');
  const told = new Set([...page.matchAll(/(?<=^\| .*)`([^`]+)`/gm)].map(([, name]) => likeness(name!)));
  const names = new Set((await kept.read()).map(({ name }) => name));
  expect(names.size).toBeGreaterThan(6);
  expect([...names].filter((name) => !told.has(likeness(name)))).toEqual([]);
});

/** Names that differ in their topic, route or procedure only are alike. */
function likeness(name: string): string {
  return name
    .replace(/^fire .*/, 'fire TOPIC')
    .replace(/publish\.\w+\.v1$/, 'publish.NETWORK.v1')
    .replace(/^[A-Z]+ \/api\/.*/, 'METHOD ROUTE');
}

test('no span has a text, an address, a key or a token of a tenant in it', async () => {
  const spans = JSON.stringify(await kept.read());
  expect(spans).toContain('crier.post.id');
  for (const secret of [TEXT, apiKey, PLANTED.adminToken, 'ada@example.test', 'only-its-owner-knows', 'access_token'])
    expect(spans).not.toContain(secret);
});
