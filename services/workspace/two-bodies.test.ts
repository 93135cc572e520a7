import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
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
import { needsOf } from '#domain/workspace/needs.ts';
import type { Clock } from '#ports/clock.ts';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { RULES, Scenario, START } from '#testing/scenario.ts';
import { createDueTimers, minuteOf, type DueTimer } from '#tables/due.ts';
import { readPost } from '#tables/posts.ts';
import { shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/topics.ts';
import { createWorkspaceService } from './service.ts';

type Stores = Readonly<Record<string, (clock: Clock) => TableStore>>;

const STORES: Stores = {
  'memory, its atom a partition': (clock) => createMemoryTableStore({ clock, atom: 'partition' }),
  'memory, its atom the store': (clock) => createMemoryTableStore({ clock, atom: 'store' }),
  SQLite: (clock) => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-'));
    const database = openDatabase(join(folder, 'tables.sqlite'));
    const commits = new GroupCommit(database);
    onTestFinished(async () => {
      await commits.close();
      closeDatabase(database);
      rmSync(folder, { recursive: true });
    });
    return createSqliteTableStore({ database, commits, clock });
  },
};

/** The service of Workspaces over a log in memory, and whatever store. */
function openOwners(open: (clock: Clock) => TableStore) {
  const clock = createMemoryClock(START);
  const log = createMemoryLog({ topics: TOPICS, clock });
  const store = open(clock);
  const reporter = createMemoryReporter();
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const due = createDueTimers(store);
  let owners = 0;
  const start = async () => {
    owners += 1;
    const parts = { log: log.client(`owner ${owners}`), store, codec, clock, ids: createSeededIds(owners), reporter, due, decide, needsOf, rules: RULES };
    const service = createWorkspaceService({ ...parts, answer: () => {} });
    await service.start();
    return service;
  };
  /** Appends, and lets time pass until the owner has acknowledged all of it, be it that the Workspace was parked. */
  const tell = async (...commands: readonly Command[]): Promise<void> => {
    const { workspaceId } = commands[0]!;
    const positions = await log.append(WORKSPACE_COMMANDS.name, commands.map((command) => ({ key: workspaceId, value: codec.encode(command) })));
    const source = { topic: WORKSPACE_COMMANDS.name, partition: partitionOf(workspaceId, WORKSPACE_COMMANDS.partitions) };
    for (let turn = 0; turn < 2_000 && (log.control.acknowledged('workspace', source) ?? -1) < positions.at(-1)!.offset; turn++) {
      await clock.advance(10);
      await setImmediate();
    }
    expect(log.control.acknowledged('workspace', source)).toBe(positions.at(-1)!.offset);
  };
  const timers = (workspaceId: string, at: number): Promise<readonly DueTimer[]> => due.read(shardOf(workspaceId), minuteOf(at), null, 100);
  return { clock, store, reporter, codec, start, tell, timers };
}

/** A Workspace with three Channels, and a Post with a file for all of them, due in an hour. */
function aPostWithAFile(scenario: Scenario): { readonly commands: readonly Command[]; readonly postId: string; readonly dueAt: number } {
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const told = (command: Command): Command => (scenario.tell(command), command);
  const channel = (name: string) => scenario.ask({ type: 'ConnectChannel', channelId: scenario.uuid(), network: 'threads', name, avatarUrl: null, accountId: name, kind: '' });
  const first = [scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner }), channel('a'), channel('b'), channel('c')].map(told);
  const dueAt = scenario.now + 3_600_000;
  const inspected = { assetId: scenario.uuid(), contentType: 'image/jpeg', bytes: 2_000, problem: null } as const;
  const creating = scenario.creating({ text: 'with a file', scheduledAt: dueAt, media: [{ url: 'https://pictures.test/a.jpg', inspected }] });
  return { commands: [...first, told(creating)], postId: (creating as CreatePost).postId, dueAt };
}

test.each(Object.entries(STORES))('a timer set again with other Variants in it parks nobody, and both fire: %s', async (_name, open) => {
  const owners = openOwners(open);
  const scenario = new Scenario();
  const { commands, postId, dueAt } = aPostWithAFile(scenario);
  const cameDue: Command = { type: 'VariantsDue', workspaceId: scenario.id, posts: [{ postId, attempt: 1, variants: [1, 2, 3] }] };
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
  const looksAgain = (await owners.timers(scenario.id, dueAt + RULES.missedWindowMs + 1)).filter(({ timerId }) => timerId.startsWith(`media/${postId}/`));
  const variants = await Promise.all(looksAgain.map(async ({ payload }) => {
    const decoded = await owners.codec.decode(payload);
    return decoded.ok && decoded.message.type === 'VariantsDue' ? decoded.message.posts[0]!.variants : null;
  }));
  expect(variants.toSorted()).toEqual([[1, 2, 3], [1, 3]]);
  await second.stop();
});
