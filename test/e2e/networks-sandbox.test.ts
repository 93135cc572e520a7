import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { HttpClient } from '#ports/http-client.ts';
import { connectSandboxAccount } from '#connections/connect.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import type { NetworkAdapter, Publication, PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import { createSandbox, type Sandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';

const BASE = 'http://sandbox.test';
const NETWORKS = ['x', 'threads'] as const;
type NetworkCase = (typeof NETWORKS)[number];
const networks = createNetworks(sandboxEndpoints(BASE), { waitFactor: 0.01 });

const REDIRECT = 'https://crier.test/connect';

let clock: MemoryClock;
let sandbox: Sandbox;
let http: HttpClient;
let connections: Connections;

beforeEach(() => {
  clock = createMemoryClock();
  sandbox = createSandbox({
    clock,
    ids: createSeededIds(1),
    store: createMemoryStore(),
    baseUrl: () => BASE,
    redirectUris: () => [REDIRECT],
  });
  http = sandboxHttp(sandbox);
  connections = createConnections({
    store: createMemoryTableStore({ clock }),
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http,
    auths: networks.auths,
    clock,
    ids: createSeededIds(2),
    reporter: createMemoryReporter(),
  });
});

async function control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any> {
  const answer = await http.send({
    method,
    url: `${BASE}${path}`,
    headers: { 'content-type': 'application/json' },
    timeoutMs: 1,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, answer.body).toBeLessThan(300);
  return JSON.parse(answer.body || 'null');
}

const liveTexts = async (network: NetworkCase): Promise<readonly string[]> =>
  (await control('GET', `/sandbox/items?network=${network}`)).items.map((item: { text: string }) => item.text);
const fault = (network: NetworkCase, name: string, more: object = {}) =>
  control('POST', '/sandbox/faults', { network, fault: name, ...more });

async function connect(network: NetworkCase, more: { kind?: string; accountId?: string } = {}) {
  const auth = networks.auths[network]!;
  const connected = await connectSandboxAccount({
    http,
    auth,
    clock,
    ids: createSeededIds(3),
    redirectUri: REDIRECT,
    name: 'Ada',
    ...more,
  });
  if (!connected.ok) throw new Error(connected.detail);
  await connections.save({ id: `channel-${network}`, workspaceId: 'w', network }, connected.tokens, connected.profile);
  return connected;
}

async function publicationFor(network: NetworkCase, text: string): Promise<Publication> {
  const tokens = await connections.tokensFor(`channel-${network}`, network);
  if (tokens.kind !== 'ok') throw new Error(tokens.detail);
  return {
    http,
    accessToken: tokens.accessToken,
    accountId: tokens.accountId,
    username: tokens.username,
    accountFacts: tokens.facts,
    placement: 'feed',
    text,
    title: null,
    options: {},
    media: [],
    cover: null,
    now: clock.now(),
  };
}

/** Prepares, waiting as the adapter asks. */
async function prepared(adapter: NetworkAdapter, publication: Publication): Promise<string | null> {
  let handle: string | null = null;
  for (let i = 0; i < 20; i++) {
    const answer = await adapter.prepare(publication, handle);
    if (answer.kind === 'ready') return answer.handle;
    if (answer.kind === 'failed') throw new Error(answer.failure.detail);
    handle = answer.handle;
    await clock.advance(answer.delayMs);
  }
  throw new Error('never ready');
}

/** Reconciles until the outcome is known, or is certain to stay unknown. */
async function reconciled(
  adapter: NetworkAdapter,
  publication: Publication,
  handle: string | null,
  armedAt: number,
): Promise<ReconcileAnswer> {
  for (let asked = 0; asked < 20; asked++) {
    const answer = await adapter.reconcile({ ...publication, now: clock.now() }, { handle, armedAt, asked });
    if (answer.kind !== 'unknown' || answer.delayMs === null) return answer;
    await clock.advance(answer.delayMs);
  }
  throw new Error('never known');
}

async function publish(
  network: NetworkCase,
  text: string,
): Promise<{
  readonly answer: PublishAnswer;
  readonly settle: () => Promise<ReconcileAnswer>;
  readonly again: () => Promise<PublishAnswer>;
}> {
  const adapter = networks.adapters[network]!;
  const publication = await publicationFor(network, text);
  const handle = await prepared(adapter, publication);
  const armedAt = clock.now();
  return {
    answer: await adapter.publish(publication, handle),
    settle: () => reconciled(adapter, publication, handle, armedAt),
    again: () => adapter.publish(publication, handle),
  };
}

describe.each(NETWORKS)('%s', (network) => {
  test('connects and publishes', async () => {
    await connect(network);
    const { answer } = await publish(network, 'Grüße 👩‍👩‍👧 https://example.com/a?b=1&c=<2>');
    expect(answer).toMatchObject({
      kind: 'published',
      remoteId: expect.any(String),
      permalink: expect.stringContaining('http'),
    });
    expect(await liveTexts(network)).toEqual(['Grüße 👩‍👩‍👧 https://example.com/a?b=1&c=<2>']);
  });

  test.each(['drop_after_commit', '5xx_after_commit'])(
    '%s: reconciling finds it, and it is live once',
    async (name) => {
      await connect(network);
      await fault(network, name);
      const text = 'a < b & "c" see example.com/x and 見て https://example.org.';
      const { answer, settle } = await publish(network, text);
      expect(answer.kind).toBe('unknown');
      expect(await settle()).toMatchObject({
        kind: 'published',
        remoteId: expect.any(String),
        permalink: expect.stringContaining('http'),
      });
      expect(await liveTexts(network)).toEqual([text]);
    },
  );

  test.each(['drop_before_commit', '5xx_before_commit'])(
    '%s: it is not live, and no outcome says that it is',
    async (name) => {
      await connect(network);
      await fault(network, name);
      const { answer, settle, again } = await publish(network, 'Hello');
      expect(answer.kind).toBe('unknown');
      const settled = await settle();
      expect(await liveTexts(network)).toEqual([]);
      if (network === 'x') return expect(settled).toMatchObject({ kind: 'unknown', delayMs: null });
      expect(settled.kind).toBe('absent');
      expect((await again()).kind).toBe('published');
      expect(await liveTexts(network)).toEqual(['Hello']);
    },
  );

  test('a revoked token needs a person, and a reconnect of the same account repairs the Channel', async () => {
    const { profile } = await connect(network);
    await control('POST', `/sandbox/accounts/${profile.accountId}/revoke`);
    const publication = await publicationFor(network, 'Hello');
    const adapter = networks.adapters[network]!;
    const answer =
      network === 'x' ? await adapter.publish(publication, null) : await adapter.prepare(publication, null);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } });
    expect(await connections.refreshNow(`channel-${network}`, publication.accessToken)).toMatchObject({
      kind: 'needs_reconnect',
    });
    expect((await connect(network, { accountId: profile.accountId })).profile.accountId).toBe(profile.accountId);
    expect((await publish(network, 'Hello')).answer.kind).toBe('published');
  });

  test('tokens are refreshed automatically as time passes', async () => {
    await connect(network);
    const before = await publicationFor(network, 'Hello');
    await clock.advance(8 * 86_400_000);
    expect((await publicationFor(network, 'Hello')).accessToken).not.toBe(before.accessToken);
    expect((await publish(network, 'Hello')).answer.kind).toBe('published');
  });
});

describe('x', () => {
  test.each<[string, object, object]>([
    ['duplicate', {}, { reason: 'rejected_by_platform', retry: 'never', duplicate: true }],
    ['x_no_credits', {}, { reason: 'rejected_by_platform', retry: 'never' }],
    ['account_restricted', { reason: 'suspended' }, { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['account_restricted', { reason: 'locked' }, { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['account_restricted', { reason: 'automated' }, { reason: 'rejected_by_platform', retry: 'never' }],
    ['account_restricted', { reason: 'not_enrolled' }, { reason: 'rejected_by_platform', retry: 'never' }],
    ['scope_removed', {}, { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['rate_limited', { delayMs: 90_000 }, { reason: 'rate_limited', retry: 'later', delayMs: 90_000 }],
    ['quota_exhausted', { reason: 'monthly' }, { reason: 'rate_limited', retry: 'never' }],
    ['quota_exhausted', { reason: 'daily' }, { reason: 'rate_limited', retry: 'later' }],
  ])('%s %j', async (name, more, failure) => {
    await connect('x');
    await fault('x', name, more);
    expect((await publish('x', 'Hello')).answer).toMatchObject({ kind: 'failed', failure });
    expect(await liveTexts('x')).toEqual([]);
  });

  test('a subscriber writes long', async () => {
    const { profile } = await connect('x', { kind: 'premium' });
    expect(profile.kind).toBe('premium');
    expect((await publish('x', 'a'.repeat(1_000))).answer.kind).toBe('published');
  });
});

describe('threads', () => {
  test.each<[string, object, object]>([
    ['rate_limited', { delayMs: 120_000 }, { reason: 'rate_limited', retry: 'later', delayMs: 120_000 }],
    ['quota_exhausted', {}, { reason: 'rate_limited', retry: 'later' }],
    ['account_restricted', { reason: 'spam' }, { reason: 'rejected_by_platform', retry: 'never' }],
    ['account_restricted', { reason: 'restricted' }, { reason: 'rejected_by_platform', retry: 'never' }],
    ['scope_removed', {}, { reason: 'needs_reconnect', retry: 'afterReconnect' }],
  ])('%s %j, met when publishing, holds once the container proves unpublished', async (name, more, ifAbsent) => {
    await connect('threads');
    await fault('threads', name, more);
    expect((await publish('threads', 'Hello')).answer).toMatchObject({ kind: 'unknown', ifAbsent });
    expect(await liveTexts('threads')).toEqual([]);
  });

  test('a token that died before publishing fails at once, without a question to the container', async () => {
    await connect('threads');
    await fault('threads', 'token_revoked');
    const failure = { reason: 'needs_reconnect', retry: 'refresh' };
    expect((await publish('threads', 'Hello')).answer).toMatchObject({ kind: 'failed', failure });
    expect(await liveTexts('threads')).toEqual([]);
  });

  test('publishing a container again publishes nothing again', async () => {
    await connect('threads');
    const { answer, again, settle } = await publish('threads', 'Hello');
    expect(answer.kind).toBe('published');
    expect((await again()).kind).toBe('unknown');
    expect(await settle()).toMatchObject({ kind: 'published' });
    expect(await liveTexts('threads')).toEqual(['Hello']);
  });

  test('a container that can not be read for a while is not given up', async () => {
    await connect('threads');
    await fault('threads', 'container_read_100_33', { count: 2 });
    expect((await publish('threads', 'Hello')).answer.kind).toBe('published');
  });

  test('a missing permalink does not fail the Variant', async () => {
    await connect('threads');
    await fault('threads', 'permalink_missing');
    expect((await publish('threads', 'Hello')).answer).toMatchObject({ kind: 'published', permalink: null });
  });
});
