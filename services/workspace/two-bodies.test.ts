import { HeadEncoder } from '#tables/rows/head-encoder.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Command, CreatePost } from '#domain/workspace/commands.ts';
import { decide } from '#domain/workspace/decide.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import type { Clock } from '#ports/clock.ts';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { TwoBodiesError } from '#ports/two-bodies.ts';
import { RULES, Scenario, START } from '#testing/scenario.ts';
import { weekOf } from '#domain/calendar.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createDueTimers, minuteOf, type DueTimer } from '#tables/repositories/due.ts';
import { turnTimestamp, type PendingEffects } from '#tables/rows/pending-effects.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { POST_DAYS, POSTS_BY_DUE_WEEK, WORKSPACES } from '#tables/declarations/tables.ts';
import { shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { HEAD, readHead } from '#tables/repositories/workspaces.ts';
import { createWorkspaceService } from './service.ts';
import { WrittenFormat } from '#tables/release.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';

type Open = (clock: Clock) => TableStore;

function openSqlite(clock: Clock, onTwoBodies?: (error: TwoBodiesError) => void): TableStore {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const database = openDatabase(join(folder, 'tables.sqlite'));
  const commits = new GroupCommit(database);
  onTestFinished(async () => {
    await commits.close();
    closeDatabase(database);
    rmSync(folder, { recursive: true });
  });
  return createSqliteTableStore({ database, commits, clock, ...(onTwoBodies !== undefined && { onTwoBodies }) });
}

const STORES: Readonly<Record<string, Open>> = {
  'memory, its atom a partition': (clock) => createMemoryTableStore({ clock, atom: 'partition' }),
  'memory, its atom the store': (clock) => createMemoryTableStore({ clock, atom: 'store' }),
  SQLite: (clock) => openSqlite(clock),
};

/** The service of Workspaces over a log in memory, and whatever store. */
function openOwners(open: Open) {
  const clock = createMemoryClock(START);
  const log = createMemoryLog({ topics: TOPICS, clock });
  const store = open(clock);
  const reporter = createMemoryReporter();
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const due = createDueTimers(store);
  let owners = 0;
  const start = async () => {
    owners += 1;
    const options = {
      log: log.client(`owner ${owners}`),
      store,
      codec,
      clock,
      ids: createSeededIds(owners),
      reporter,
      due,
      decide,
      loadsOf,
      rules: RULES,
      brake: NO_BRAKE,
      writtenFormat: new WrittenFormat(),
    };
    const service = createWorkspaceService({ ...options, answer: () => {} });
    await service.start();
    return service;
  };
  /** Appends, and lets time pass until the owner has acknowledged all of it, be it that the Workspace was parked. */
  const tell = async (...commands: readonly Command[]): Promise<void> => {
    const { workspaceId } = commands[0]!;
    const positions = await log.append(
      WORKSPACE_COMMANDS.name,
      commands.map((command) => ({ key: workspaceId, value: codec.encode(command) })),
    );
    const source = {
      topic: WORKSPACE_COMMANDS.name,
      partition: partitionOf(workspaceId, WORKSPACE_COMMANDS.partitions),
    };
    for (
      let turn = 0;
      turn < 2_000 && (log.control.acknowledged('workspace', source) ?? -1) < positions.at(-1)!.offset;
      turn++
    ) {
      await clock.advance(10);
      await setImmediate();
    }
    expect(log.control.acknowledged('workspace', source)).toBe(positions.at(-1)!.offset);
  };
  const timers = (workspaceId: string, at: number): Promise<readonly DueTimer[]> =>
    due.read(shardOf(workspaceId), minuteOf(at), null, 100);
  return { clock, store, reporter, codec, due, start, tell, timers };
}

/** A Workspace with three Channels. */
function aWorkspaceToTell(scenario: Scenario): readonly Command[] {
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const told = (command: Command): Command => (scenario.tell(command), command);
  const channel = (name: string) =>
    scenario.ask({
      type: 'ConnectChannel',
      channelId: scenario.uuid(),
      network: 'threads',
      name,
      avatarUrl: null,
      accountId: name,
      kind: '',
    });
  return [
    scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner }),
    channel('a'),
    channel('b'),
    channel('c'),
  ].map(told);
}

/** The Workspace, and a Post with a file for all of its Channels, due in an hour. */
function aPostWithAFile(scenario: Scenario): {
  readonly commands: readonly Command[];
  readonly postId: string;
  readonly dueAt: number;
} {
  const first = aWorkspaceToTell(scenario);
  const dueAt = scenario.now + 3_600_000;
  const inspected = { assetId: scenario.uuid(), contentType: 'image/jpeg', bytes: 2_000, problem: null } as const;
  const creating = scenario.creating({
    text: 'with a file',
    scheduledAt: dueAt,
    media: [{ url: 'https://pictures.test/a.jpg', inspected }],
  });
  scenario.tell(creating);
  return { commands: [...first, creating], postId: (creating as CreatePost).postId, dueAt };
}

test.each(Object.entries(STORES))(
  'a timer set again with other Variants in it parks nobody, and both fire: %s',
  async (_name, open) => {
    const owners = openOwners(open);
    const scenario = new Scenario();
    const { commands, postId, dueAt } = aPostWithAFile(scenario);
    const cameDue: Command = {
      type: 'VariantsDue',
      workspaceId: scenario.id,
      posts: [{ postId, attempt: 1, variants: [1, 2, 3] }],
    };
    const first = await owners.start();
    await owners.tell(...commands);
    await owners.clock.advance(dueAt - owners.clock.now());
    await owners.tell(cameDue);
    await owners.tell({ type: 'MediaPrepared', workspaceId: scenario.id, postId, variants: [2] });
    await first.stop();

    // The scheduler died before it knew that the timer had fired, and its successor fires it again.
    const second = await owners.start();
    await owners.tell(cameDue);
    await owners.tell({ type: 'MediaPrepared', workspaceId: scenario.id, postId, variants: [1, 3] });
    expect(owners.reporter.of('key-parked')).toEqual([]);
    expect(owners.reporter.failures()).toEqual([]);
    const post = await readPost(owners.store, scenario.id, postId);
    expect(post?.variants.map(({ status }) => status)).toEqual(['publishing', 'publishing', 'publishing']);
    const looksAgain = (await owners.timers(scenario.id, dueAt + RULES.missedWindowMs + 1)).filter(({ timerId }) =>
      timerId.startsWith(`media/${postId}/`),
    );
    const variants = await Promise.all(
      looksAgain.map(async ({ payload }) => {
        const decoded = await owners.codec.decode(payload);
        return decoded.ok && decoded.message.type === 'VariantsDue' ? decoded.message.posts[0]!.variants : null;
      }),
    );
    expect(variants.toSorted()).toEqual([
      [1, 2, 3],
      [1, 3],
    ]);
    await second.stop();
  },
);

const dayRow = (workspaceId: string, day: number) => ({ partition: [workspaceId], clustering: ['written', day] });

test.each(
  Object.entries(STORES).flatMap(([name, open]) =>
    [BODY_FORMAT - 1, BODY_FORMAT + 1].map((format) => ({ name, open, format })),
  ),
)(
  'a head owes rows of format $format, some of them written: the others are written in it too, and nobody is parked: $name',
  async ({ open, format }) => {
    const owners = openOwners(open);
    const scenario = new Scenario();
    const former = await owners.start();
    await owners.tell(...aWorkspaceToTell(scenario));
    await former.drain();
    await former.stop();
    const head = (await readHead(owners.store, scenario.id, { serial: true }))!;
    const rows = [1, 2].map((day) => ({
      table: POST_DAYS.name,
      ...dayRow(scenario.id, day),
      value: { of: 'another release' },
    }));
    const timer = {
      shard: shardOf(scenario.id),
      timerId: 'plan/1',
      dueAt: START + 2 * 3_600_000,
      topic: WORKSPACE_COMMANDS.name,
      key: scenario.id,
    };
    const pending: PendingEffects = {
      format,
      rows,
      timers: [{ ...timer, message: { type: 'PlanDue', workspaceId: scenario.id } }],
      messages: [],
    };
    const version = head.version + 1;
    const body = new HeadEncoder().encodeHead(head.state, JSON.stringify(pending));
    const next = { version, token: 'of another release', body, format: BODY_FORMAT };
    expect(
      await owners.store.compareAndSet(WORKSPACES, {
        partition: [scenario.id],
        clustering: HEAD,
        expected: head.version,
        next,
      }),
    ).toEqual({ applied: true });
    // It got so far, then it was killed and its successor is of this release.
    await owners.store.upsert(POST_DAYS, [
      { ...dayRow(scenario.id, 1), body: encodeBody(rows[0]!.value), format, timestamp: turnTimestamp(version) },
    ]);
    await owners.due.write([{ ...timer, payload: Buffer.from('in its encoding') }]);

    const successor = await owners.start();
    await owners.tell(scenario.ask({ type: 'AddCredits', credits: 5 }));
    expect(owners.reporter.of('key-parked')).toEqual([]);
    expect(owners.reporter.failures()).toEqual([]);
    expect((await readHead(owners.store, scenario.id, { serial: true }))!.state.xCredits.available).toBe(
      head.state.xCredits.available + 5,
    );
    for (const day of [1, 2]) {
      const row = await owners.store.read(POST_DAYS, [scenario.id], ['written', day]);
      expect([row!.format, Buffer.from(row!.body).toString()]).toEqual([format, JSON.stringify(rows[day - 1]!.value)]);
    }
    expect(await owners.timers(scenario.id, timer.dueAt)).toHaveLength(2);
    await successor.stop();
  },
);

describe('in spite of all two bodies of a row meet', () => {
  /** A Post is made by a turn of which a row is there already, with another body. */
  async function meet(open: Open) {
    const owners = openOwners(open);
    const scenario = new Scenario();
    const service = await owners.start();
    await owners.tell(...aWorkspaceToTell(scenario));
    const creating = scenario.creating({ text: 'hello', scheduledAt: scenario.now + 3_600_000 }) as CreatePost;
    const due = {
      partition: [scenario.id, weekOf(creating.scheduledAt!)],
      clustering: [creating.postId, creating.scheduledAt!],
    };
    const { version } = (await readHead(owners.store, scenario.id, { serial: true }))!;
    await owners.store.upsert(POSTS_BY_DUE_WEEK, [
      { ...due, body: encodeBody('first'), format: BODY_FORMAT, timestamp: turnTimestamp(version + 1) },
    ]);
    return { owners, scenario, service, creating, due };
  }

  test('set to report it, the store keeps the first body, and the Workspace goes on', async () => {
    const met: TwoBodiesError[] = [];
    const { owners, scenario, service, creating, due } = await meet((clock) =>
      openSqlite(clock, (error) => met.push(error)),
    );
    const before = await owners.store.read(POSTS_BY_DUE_WEEK, due.partition, due.clustering);
    await owners.tell(creating);
    await owners.tell(scenario.ask({ type: 'AddCredits', credits: 5 }));
    expect(owners.reporter.of('key-parked')).toEqual([]);
    expect((await readPost(owners.store, scenario.id, creating.postId))?.text).toBe('hello');
    expect(
      (await readHead(owners.store, scenario.id, { serial: true }))!.state.xCredits.available,
    ).toBeGreaterThanOrEqual(5);
    expect(met.map(({ table, partition, clustering }) => ({ table, partition, clustering }))).toEqual([
      { table: POSTS_BY_DUE_WEEK.name, ...due },
    ]);
    expect(await owners.store.read(POSTS_BY_DUE_WEEK, due.partition, due.clustering)).toEqual(before);
    await service.stop();
  });

  test.each(Object.entries(STORES))(
    'not told, it refuses, and the Workspace is parked, so that no test passes over it: %s',
    async (_name, open) => {
      const { owners, scenario, service, creating } = await meet(open);
      await owners.tell(creating);
      expect(owners.reporter.of('key-parked')).toMatchObject([
        { facts: { key: scenario.id, error: expect.stringContaining('two bodies for row') } },
      ]);
      await service.stop();
    },
  );
});
