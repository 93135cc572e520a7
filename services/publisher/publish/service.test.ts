import { beforeEach, describe, expect, test } from 'vitest';
import { noRenditions } from '#testing/publication.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { Pools } from '#concurrency/pools.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Message, PublishVariant } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import type { Connections } from '#connections/connections.ts';
import type { NetworkAdapter } from '#networks/contract/adapter.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { WATCHDOG_MS } from '#outbox/publish-messages.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { BODY_FORMAT, encodeBody, VOID_BODY } from '#tables/rows/body.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { contentRow, variantRow } from '#tables/repositories/posts.ts';
import { POSTS } from '#tables/declarations/tables.ts';
import { PUBLISH, shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { createPublisherServices, type PublisherService } from './service.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';

const codec = createCodec({ registry: createBuiltInRegistry() });
const HOUR_MS = 3_600_000;
const SUMMARY = { status: 200, detail: '' };

let clock: MemoryClock;
let log: MemoryLog;
let store: TableStore;
let reporter: MemoryReporter;
let workspace: Scenario;
let postId: string;
let sent: string[];
let prepare: NetworkAdapter['prepare'];
let publishers: readonly PublisherService[];

beforeEach(async () => {
  workspace = aWorkspace();
  clock = createMemoryClock(workspace.now);
  log = createMemoryLog({ topics: TOPICS, clock });
  store = createMemoryTableStore({ clock });
  reporter = createMemoryReporter();
  sent = [];
  prepare = async () => ({ kind: 'ready', handle: null, summary: { status: 0, detail: '' } });
  workspace.channel('x');
  postId = workspace.post();
  workspace.settle();
  const adapter: NetworkAdapter = {
    network: 'x',
    publishTimeoutMs: 60_000,
    prepare: (...given) => prepare(...given),
    publish: async ({ text }) => (
      sent.push(text),
      { kind: 'published', remoteId: `r${sent.length}`, permalink: null, summary: SUMMARY }
    ),
    reconcile: async () => ({ kind: 'unknown', delayMs: null, summary: SUMMARY }),
  };
  const tokens = { kind: 'ok', accessToken: 'a', username: 'u', accountId: 'i', facts: {}, issuedAt: 0 } as const;
  const connections: Connections = {
    save: async () => '',
    rename: async () => {},
    forget: async () => {},
    end: async () => ({ kind: 'superseded' }),
    tokensFor: async () => tokens,
    refreshNow: async () => tokens,
  };
  const http = createMemoryHttpClient(async () => ({ cut: 'before' }));
  const due = createDueTimers(store);
  publishers = createPublisherServices({
    pools: new Pools({ clock }),
    log,
    store,
    codec,
    clock,
    ids: createSeededIds(1),
    reporter,
    due,
    http,
    connections,
    renditions: noRenditions,
    adapters: { x: adapter },
    comments: {},
    soleProcess: null,
    brake: NO_BRAKE,
    served: NETWORKS,
    budgets: {},
  });
  await keep();
  for (const publisher of publishers) await publisher.start();
});

/** Writes the Post as its Workspace has it. */
async function keep(): Promise<void> {
  const post = workspace.postOf(postId);
  const rows = [contentRow(post), ...post.variants.map((variant) => variantRow(post, variant))];
  await store.upsert(
    POSTS,
    rows.map(({ value, ...row }) => ({ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: version++ })),
  );
}
let version = 1;

async function tell(why: PublishVariant['why'], network: Network = 'x'): Promise<void> {
  const { dueAt, attempt, channelId } = workspace.variant(postId);
  const job = {
    workspaceId: workspace.id,
    variantId: variantIdOf(postId, 1),
    attempt,
    network,
    placement: 'feed',
    channelId,
    accountId: 'i',
    dueAt,
    latestStart: dueAt + HOUR_MS,
    reconcileFirst: false,
  } as const;
  await log.append(PUBLISH[network].name, [
    { key: channelId, value: codec.encode({ ...job, type: 'PublishVariant', why }) },
  ]);
  for (let turn = 0; turn < 40; turn++) await clock.advance(1);
}

async function concluded(): Promise<readonly Message[]> {
  const records = Array.from({ length: WORKSPACE_COMMANDS.partitions }, (_, partition) =>
    log.control.records({ topic: WORKSPACE_COMMANDS.name, partition }),
  ).flat();
  return Promise.all(
    records.map(async ({ value }) => {
      const decoded = await codec.decode(value);
      if (!decoded.ok) throw new Error(decoded.detail);
      return decoded.message;
    }),
  );
}

async function watchdogs(): Promise<number> {
  const minute = minuteOf(clock.now() + WATCHDOG_MS);
  const timers = await Promise.all(
    [minute - 1, minute].map((each) => createDueTimers(store).read(shardOf(workspace.id), each, null, 10)),
  );
  return timers.flat().filter(({ timerId }) => timerId.startsWith('watchdog')).length;
}

test('a Variant due on a Network without an app waits until its missed window ends, then fails and says who can change that', async () => {
  await tell('due', 'threads');
  expect(await concluded()).toEqual([]);
  // Its timer would bring it again.
  await clock.advance(HOUR_MS - 1_000);
  await tell('due', 'threads');
  const detail =
    'Nothing can be published on threads: this installation has no app there. Ask its operator to set one up, then retry.';
  expect(await concluded()).toMatchObject([
    { type: 'PublishFailed', variantId: variantIdOf(postId, 1), attempt: 1, reason: 'platform_problem', detail },
  ]);
  expect(sent).toEqual([]);
});

test('a Variant whose file is missing fails, and what its Channel publishes later goes on', async () => {
  const ready = prepare;
  prepare = async () => {
    throw new PortError('refused', 'there is no blob w/1');
  };
  await tell('due');
  await clock.advance(HOUR_MS / 2);
  prepare = ready;
  postId = workspace.post({ text: 'The next one' });
  workspace.settle();
  await keep();
  await tell('due');
  expect(await concluded()).toMatchObject([
    { type: 'PublishFailed', reason: 'media_problem' },
    { type: 'PublishSucceeded', variantId: variantIdOf(postId, 1) },
  ]);
  expect(sent).toEqual(['The next one']);
});

test('a refusal of tokens is dated before the connecting that replaced them meanwhile', async () => {
  const answered = Promise.withResolvers<void>();
  prepare = async () => {
    await answered.promise;
    const failure = { reason: 'needs_reconnect', retry: 'afterReconnect', detail: 'no permission' } as const;
    return { kind: 'failed', failure, summary: SUMMARY };
  };
  await tell('due');
  await clock.advance(20_000);
  const connectedAgainAt = clock.now();
  await clock.advance(1_000);
  answered.resolve();
  for (let turn = 0; turn < 40; turn++) await clock.advance(1);
  const [marked, failed] = await concluded();
  expect(failed).toMatchObject({ type: 'PublishFailed', reason: 'needs_reconnect' });
  expect(marked).toMatchObject({ type: 'MarkChannel', state: 'needs_reconnect' });
  expect((marked as { readonly seenAt: number }).seenAt).toBeLessThan(connectedAgainAt);
});

test("a title is what the Network's adapter finds in the options that the Member gave", async () => {
  await tell('due');
});

describe('a watchdog', () => {
  test('revives a job that was lost, and is set again first', async () => {
    await tell('watchdog');
    expect(sent).toEqual(['Hello']);
    expect(await concluded()).toMatchObject([
      { type: 'PublishSucceeded', variantId: variantIdOf(postId, 1), attempt: 1, remoteId: 'r1' },
    ]);
    expect(await watchdogs()).toBe(1);
  });

  test('reports the verdict in the ledger again, when the first report was lost', async () => {
    await tell('due');
    await tell('watchdog');
    expect(sent).toHaveLength(1);
    expect((await concluded()).map(({ type }) => type)).toEqual(['PublishSucceeded', 'PublishSucceeded']);
  });

  test('does nothing for an ended attempt, and is not set again', async () => {
    await tell('due');
    workspace.succeed(postId);
    await keep();
    await tell('watchdog');
    expect((await concluded()).map(({ type }) => type)).toEqual(['PublishSucceeded']);
    expect(await watchdogs()).toBe(0);
  });
});

test('a job of a Post that was removed, from a dead letter or a backup, is left out and says so', async () => {
  const rows = [contentRow(workspace.postOf(postId))];
  await store.upsert(
    POSTS,
    rows.map(({ value: _, ...row }) => ({ ...row, body: VOID_BODY, format: BODY_FORMAT, timestamp: version++ })),
  );
  await clock.advance(400 * 24 * HOUR_MS);
  await tell('due');
  expect(sent).toEqual([]);
  expect(reporter.of('attempt-at-removed-post').map(({ facts }) => facts)).toMatchObject([{ postId }]);
  expect(reporter.failures()).toEqual([]);
});

test('a repeated job is sent once, and one process reports its end once', async () => {
  await tell('due');
  await tell('due');
  await tell('continue');
  expect(sent).toHaveLength(1);
  expect(await concluded()).toHaveLength(1);
  expect(reporter.failures()).toEqual([]);
});

describe('what operators measure', () => {
  const tellScheduled = async (scheduledAt: number | null): Promise<void> => {
    const { value, ...row } = contentRow(workspace.postOf(postId));
    const body = encodeBody({ ...value, scheduledAt });
    await store.upsert(POSTS, [{ ...row, body, format: BODY_FORMAT, timestamp: version++ }]);
    await tell('due');
  };

  test('the first call of a scheduled Variant is as late as it is after its instant; that of others is not measured', async () => {
    await tellScheduled(clock.now() - 7_000);
    expect(reporter.of('attempt-begun').map(({ facts }) => facts)).toEqual([
      {
        ...{ network: 'x', workspaceId: workspace.id, postId, variantId: variantIdOf(postId, 1), attempt: 1 },
        latenessMs: expect.closeTo(7_000, -2),
      },
    ]);
  });

  test('an immediate Variant has no lateness', async () => {
    await tellScheduled(null);
    await tell('continue');
    expect(reporter.of('attempt-begun').map(({ facts }) => facts['latenessMs'])).toEqual([null]);
  });

  test('an attempt ends with the ids of its Post and Workspace, and how long it took', async () => {
    await tell('due');
    expect(reporter.of('attempt-ended').map(({ facts }) => facts)).toMatchObject([
      {
        ...{ workspaceId: workspace.id, postId, variantId: variantIdOf(postId, 1), attempt: 1 },
        ...{ outcome: 'published', reason: 'none', tookMs: expect.any(Number) },
      },
    ]);
  });

  test('a verdict of an attempt that made no call has no duration, and was not begun', async () => {
    await tell('due', 'threads');
    await clock.advance(HOUR_MS - 1_000);
    await tell('due', 'threads');
    const [ended] = reporter.of('attempt-ended');
    expect(ended?.facts).toMatchObject({ network: 'threads', outcome: 'failed' });
  });

  test('each Network tells how many attempts it works on, and whether its circuit breaker is open', async () => {
    await tell('due');
    expect(publishers.map((each) => each.load())).toEqual(
      NETWORKS.map((network) => ({ network, running: 0, isOutOfOrder: false })),
    );
  });
});
