import { describe, expect, test } from 'vitest';
import { postIdOf } from '#domain/post/ids.ts';
import { newPostId } from '#domain/post/workspace-hash.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { PortError } from '#ports/errors.ts';
import { partitionOf } from '#ports/log.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { writeParkedKey } from '#tables/repositories/parking.ts';
import { POSTS } from '#tables/declarations/tables.ts';
import { PUBLISH, shardOf, SHARDS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openAdminHarness, openWorkspace, START, until, type AdminHarness } from './admin-harness.fixture.ts';
import { boundStore } from '#testing/bound-store.ts';

const HOUR_MS = 3_600_000;

/** A Post to a Channel of threads, due in an hour unless said. */
async function openPost(
  harness: AdminHarness,
  scheduledAt: number | null = START + HOUR_MS,
  // As earlier releases made them.
  idOf: typeof newPostId = postIdOf,
) {
  const { caller, options } = harness;
  const { workspaceId, memberId } = await openWorkspace(caller);
  const { channelId } = await caller.channels.connectSandbox({ workspaceId, network: 'threads', name: 'main' });
  const { keyId } = await caller.keys.create({ workspaceId, memberId, name: 'k', permissions: ['posts:publish'] });
  const now = harness.clock.now();
  const postId = idOf(options.ids.uuid7(now), workspaceId);
  const { result } = await options.request({
    ...{ type: 'CreatePost', workspaceId, requestId: options.ids.uuid7(now), issuedAt: now, notAfter: now + 60_000 },
    ...{ replyTo: options.replyTo, credential: { kind: 'key', keyId }, postId, text: 'the secret campaign' },
    ...{ channelIds: [channelId], scheduledAt, media: [], channelOptions: {}, digest: 'd' },
    ...{ idempotencyKey: null, dryRun: false },
  });
  expect(result).toMatchObject({ ok: true });
  return { workspaceId, channelId, postId, variantId: `${postId.slice(0, -2)}01` };
}

describe('posts.get and variants.get', () => {
  test('find a Post by its id alone, among other Workspaces, and tell where it waits', async () => {
    await using harness = await openAdminHarness();
    const { caller, store } = harness;
    const others = Array.from({ length: 30 }, (_, each) => each);
    await parallelMap(8, others, async () => void (await openWorkspace(caller)));
    const { postId, variantId, workspaceId, channelId } = await openPost(harness);
    const shard = shardOf(workspaceId);
    await createShards(store).found(shard, minuteOf(START), 'made');
    await createShards(store, 'crier-7 at http://10.0.0.7:8081').claim(shard, 'claimed');

    const shown = await caller.posts.get({ postId });
    expect(shown).toMatchObject({
      postId,
      workspaceId,
      scheduledAt: '2026-11-20T13:00:00.000Z',
      via: 'key',
      media: [],
    });
    expect(shown.variants).toEqual([
      expect.objectContaining({ variantId, network: 'threads', channelId, status: 'scheduled', waitsFor: 'its time' }),
    ]);
    const { words } = shown.variants[0]!;
    expect(words).toContain('It is scheduled: due at 2026-11-20T13:00:00.000Z, in 1 h, attempt 1.');
    expect(words).toContain(
      `Its timer due/${postId}/1 waits: 2026-11-20T13:00:00.000Z, in 1 h, in shard ${shard}, minute 2026-11-20T13:00:00.000Z, owned by crier-7 at http://10.0.0.7:8081.`,
    );
    expect(JSON.stringify(shown)).not.toContain('campaign');

    const whole = await caller.variants.get({ variantId });
    expect(whole).toMatchObject({
      ...{ variantId, postId, workspaceId, waitsFor: 'its time', failureReason: null, firstComment: null },
      ledger: { arm: null, evidence: [] },
      timers: [{ name: `due/${postId}/1`, dueAt: '2026-11-20T13:00:00.000Z', shard, state: 'waits' }],
      shard: { shard, owner: 'crier-7 at http://10.0.0.7:8081' },
    });
    expect(whole.log).toContainEqual({
      ...{ group: 'workspace', topic: WORKSPACE_COMMANDS.name, partition: shard },
      ...{ behind: expect.any(Number), owner: 'main' },
    });
    // The Workspace's own timers are not the Post's.
    expect((await caller.variants.get({ variantId, workspaceId })).timers).toHaveLength(1);
  });

  test('find a Post by its id alone with a read or two, however many Workspaces there are', async () => {
    const reads: string[] = [];
    await using harness = await openAdminHarness(({ store }) => ({
      store: { ...boundStore(store), read: (table, ...at) => (reads.push(table.name), store.read(table, ...at)) },
    }));
    const others = Array.from({ length: 200 }, (_, each) => each);
    await parallelMap(8, others, async () => void (await openWorkspace(harness.caller)));
    const { postId, variantId, workspaceId } = await openPost(harness, START + HOUR_MS, newPostId);
    const { posts, variants } = harness.caller;
    for (const find of [() => posts.get({ postId }), () => variants.get({ variantId })]) {
      reads.length = 0;
      expect(await find()).toMatchObject({ workspaceId });
      // Of 200 others hardly one has the same hash.
      expect(reads.filter((table) => table === POSTS.name).length).toBeLessThan(4);
    }
  });

  test('tell what nobody works on, what is held, and what is parked', async () => {
    await using harness = await openAdminHarness();
    const { caller, store } = harness;
    const { variantId, workspaceId, channelId } = await openPost(harness, null);
    const topic = PUBLISH.threads;
    const partition = partitionOf(channelId, topic.partitions);
    const nobody = `Nobody reads partition ${partition} of ${topic.name}, which is 1 record behind: no process with the consumer publisher-threads runs, or none has joined yet.`;
    await until(async () => (await caller.variants.get({ variantId })).words.includes(nobody));
    expect(await caller.variants.get({ variantId })).toMatchObject({ status: 'publishing', waitsFor: 'a publisher' });

    const flag = { topic: topic.name, partition, key: channelId, episode: 'e', wish: 'none', drainedTo: -1 } as const;
    const parked = { ...flag, error: 'it broke', parkedAt: START, held: 3 };
    await writeParkedKey(store, parked, { version: 0, flag: parked, token: 't' });
    const stuck = await caller.variants.get({ variantId });
    expect(stuck.waitsFor).toBe('a parked key');
    expect(stuck.words[0]).toBe(
      `Every attempt of its Channel is held back: the key ${channelId} of ${topic.name} is parked since 2026-11-20T12:00:00.000Z, 0 s ago with 3 records, because of: it broke. After the cause is removed: crier admin parked.retry '{"topic":"${topic.name}","key":"${channelId}"}'.`,
    );

    await caller.publishing.hold({ workspaceId, reason: 'asked by its owner' });
    const held = await openPostIn(harness, workspaceId, channelId);
    const shown = await caller.variants.get({ variantId: held });
    expect(shown.words.join(' ')).toContain(
      'It will wait when it is due: the Workspace is held since 2026-11-20T12:00:00.000Z, 0 s ago, by operator: asked by its owner.',
    );
  });

  test('say so when the log is away, and tell the rest all the same', async () => {
    await using harness = await openAdminHarness(({ log }) => ({
      log: {
        append: (...records) => log.append(...records),
        progress: () => Promise.reject(new PortError('unavailable', 'Kafka: no broker answers')),
      },
    }));
    const { variantId } = await openPost(harness, null);
    const shown = await harness.caller.variants.get({ variantId });
    expect(shown.log).toEqual({ detail: 'Kafka: no broker answers' });
    expect(shown.words).toContain('How far the log has been read is not known: Kafka: no broker answers.');
  });

  test.each([
    ['posts', '0193c1f0-0000-7000-8000-000000000000', 'There is no such Post in any Workspace.'],
    ['posts', '0193c1f0-0000-4000-8000-000000000000', 'There is no such Post in any Workspace.'],
    ['posts', '0193c1f0-0000-7000-8000-000000000001', 'use crier admin variants.get'],
    ['variants', '0193c1f0-0000-7000-8000-000000000001', 'There is no such Variant in any Workspace.'],
    ['variants', '0193c1f0-0000-7000-8000-000000000000', 'use crier admin posts.get'],
  ] as const)('%s.get of the unknown id %s is not found, in words', async (kind, id, words) => {
    await using harness = await openAdminHarness();
    await openWorkspace(harness.caller);
    const { caller } = harness;
    const asked = kind === 'posts' ? caller.posts.get({ postId: id }) : caller.variants.get({ variantId: id });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(words) });
  });

  test('refuse what is no id, and fields that they do not know', async () => {
    await using harness = await openAdminHarness();
    await expect(harness.caller.posts.get({ postId: 'nonsense' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const stray = { variantId: '0193c1f0-0000-7000-8000-000000000001', text: true } as { variantId: string };
    await expect(harness.caller.variants.get(stray)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'text is not a known field.',
    });
  });
});

async function openPostIn(harness: AdminHarness, workspaceId: string, channelId: string): Promise<string> {
  const { options, caller } = harness;
  const { members } = await caller.workspaces.get({ workspaceId });
  const { keyId } = await caller.keys.create({
    workspaceId,
    memberId: members[0]!.memberId,
    name: 'n',
    permissions: [],
  });
  const now = harness.clock.now();
  const postId = postIdOf(options.ids.uuid7(now));
  const { result } = await options.request({
    ...{ type: 'CreatePost', workspaceId, requestId: options.ids.uuid7(now), issuedAt: now, notAfter: now + 60_000 },
    ...{ replyTo: options.replyTo, credential: { kind: 'key', keyId }, postId, text: 'another' },
    ...{ channelIds: [channelId], scheduledAt: now + HOUR_MS, media: [], channelOptions: {}, digest: 'e' },
    ...{ idempotencyKey: null, dryRun: false },
  });
  expect(result).toMatchObject({ ok: true });
  return `${postId.slice(0, -2)}01`;
}

describe('shards.list', () => {
  test('names the process that has each shard, and those that nobody has', async () => {
    await using harness = await openAdminHarness();
    const { caller, store, log } = harness;
    for (const shard of [0, 5]) await createShards(store).found(shard, minuteOf(START) - 3, `made ${shard}`);
    await createShards(store, 'crier-7 at http://10.0.0.7:8081').claim(5, 'claimed');
    const idle = await caller.shards.list();
    expect(idle).toMatchObject({ nextCursor: null, detail: null });
    expect(idle.items).toHaveLength(SHARDS);
    expect(idle.items[5]).toMatchObject({
      shard: 5,
      owner: null,
      claimedBy: 'crier-7 at http://10.0.0.7:8081',
      epoch: 1,
    });
    const reader = await log.subscribe({ group: 'scheduler', topics: ['timers.v1'], onRecords: () => {} });
    await until(async () => (await caller.shards.list()).items[5]!.owner !== null);
    const { items } = await caller.shards.list({});
    expect(items[5]).toEqual({
      ...{ shard: 5, owner: 'crier-7 at http://10.0.0.7:8081', claimedBy: 'crier-7 at http://10.0.0.7:8081' },
      ...{ epoch: 1, watermark: '2026-11-20T11:57:00.000Z', behindMinutes: 3 },
    });
    expect(items[0]).toMatchObject({ shard: 0, owner: 'main', claimedBy: null, epoch: 0 });
    await reader.close();
  });
});

describe('workspaces.list', () => {
  test('lists every Workspace once, page by page, and those of an account', async () => {
    await using harness = await openAdminHarness();
    const { caller } = harness;
    const made: string[] = [];
    for (let each = 0; each < 7; each++) made.push((await openWorkspace(caller)).workspaceId);
    const { workspaceId } = await caller.workspaces.create({ name: 'Other', ownerEmail: 'Bo@Example.test' });
    const found: string[] = [];
    for (let cursor: string | null | undefined = undefined; cursor !== null;) {
      const page: Awaited<ReturnType<typeof caller.workspaces.list>> = await caller.workspaces.list({
        limit: 3,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.items.length).toBeLessThanOrEqual(3);
      found.push(...page.items.map((item) => item.workspaceId));
      cursor = page.nextCursor;
    }
    expect(found.toSorted()).toEqual([...made, workspaceId].toSorted());
    expect(await caller.workspaces.list({ email: 'bo@example.test' })).toEqual({
      items: [
        {
          ...{ workspaceId, name: 'Other', plan: 'free', createdAt: '2026-11-20T12:00:00.000Z' },
          ...{ owners: ['bo@example.test'], members: 1, channels: 0 },
        },
      ],
      nextCursor: null,
    });
    const first = await caller.workspaces.list({ email: 'ada@example.test', limit: 4 });
    const rest = await caller.workspaces.list({ email: 'ada@example.test', limit: 4, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items].map((item) => item.workspaceId).toSorted()).toEqual(made.toSorted());
    expect(rest.nextCursor).toBeNull();
    expect((await caller.workspaces.list({ email: 'nobody@example.test' })).items).toEqual([]);
  });

  test.each([[{ limit: 0 }], [{ limit: 201 }], [{ cursor: 'x' }], [{ email: 'nobody' }], [{ name: 'a' }]])(
    '%j is refused',
    async (input) => {
      await using harness = await openAdminHarness();
      await expect(harness.caller.workspaces.list(input as object)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );

  test('a page of many Workspaces reads its own heads only', async () => {
    const reads = { head: 0, partitions: 0 };
    await using harness = await openAdminHarness(({ store }) => ({
      store: {
        ...boundStore(store),
        read: (...about) => (reads.head++, store.read(...about)),
        partitions: (...about) => (reads.partitions++, store.partitions(...about)),
      },
    }));
    for (let each = 0; each < 40; each++) await openWorkspace(harness.caller);
    Object.assign(reads, { head: 0, partitions: 0 });
    expect((await harness.caller.workspaces.list({ limit: 5 })).items).toHaveLength(5);
    expect(reads).toEqual({ head: 5, partitions: 1 });
  });
});
