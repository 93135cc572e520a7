import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import type { TableHooks } from '#adapters/memory/table-store.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { openMemoryWorld, type MemoryWorld } from './memory-world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/**
 * Not by Variant: the scheduler reads each minute, and a process the holds each second, whatever is due; of a Workspace
 * with attempts its Channels are read once a second. Heads are read by this test alone, as the owner has the Workspace
 * in memory.
 */
const SHARED: ReadonlySet<string> = new Set([
  'slice due',
  'slice publishing_holds',
  'read workspace_views',
  'read workspaces',
]);
const soon = { timeout: 60_000, interval: 10 };

/** Calls of the store and records appended to the log, by name, while they are counted. */
class Counted {
  #counts: Record<string, number> | null = null;
  /** Within one call that writes rows of several tables. */
  readonly #together = new AsyncLocalStorage<true>();

  /** Of everything that happens until `work` is done. */
  async during(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    this.#counts = counts;
    await work();
    this.#counts = null;
    return counts;
  }

  add(name: string, count = 1): void {
    if (this.#counts !== null) this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  get hooks(): TableHooks {
    return {
      before: async ({ name, table }) => {
        const call = `${name} ${table.name}`;
        if (!SHARED.has(call) && this.#together.getStore() === undefined) this.add(call);
      },
      after: async () => undefined,
    };
  }

  /** Rows of several tables are one call, as they are on Cassandra. */
  writeTogether(store: TableStore): void {
    store.writeTogether = (writes) => {
      this.add(`write ${writes.map(({ table }) => table.name).join(', ')}`);
      return this.#together.run(true, async () => {
        for (const write of writes) {
          if ('upsert' in write) await store.upsert(write.table, write.upsert);
          else await store.insert(write.table, write.insert);
        }
      });
    };
  }
}

/**
 * What Cassandra and Kafka are asked for one Variant that is alone: docs/benchmarks.md says what each call is for, and
 * which of them many Variants at a time share.
 */
test('from creation to verdict a lone Variant on x costs 9 conditional writes, 7 others, 2 reads and 5 records', async () => {
  const counted = new Counted();
  await using world = await openMemoryWorld({ connected: ['x'], hooks: counted.hooks });
  counted.writeTogether(world.ports.store);
  const append = world.ports.log.append.bind(world.ports.log);
  world.ports.log.append = (topic, records, options) => {
    counted.add(`append ${topic}`, records.length);
    return append(topic, records, options);
  };
  const { workspaceId, channels } = await world.workspace('Acme');
  const dueAt = world.clock.now() + 20 * MINUTE_MS;
  // The first two take blocks of what the Network allows, by which the process finds itself alone, and fill caches.
  for (const after of [0, SECOND_MS]) await created(world, workspaceId, channels['x']!, dueAt + after);
  let postId = '';
  const creation = await counted.during(async () => {
    postId = await created(world, workspaceId, channels['x']!, dueAt + MINUTE_MS + 10 * SECOND_MS);
  });
  expect(creation).toEqual({
    'append workspace.commands.v1': 1,
    // The turn, and the emptying of its outbox.
    'compareAndSet workspaces': 2,
    'write posts, post_digests, posts_by_due_week, audit, due': 1,
    'write recent_changes': 1,
  });

  world.clock.advance(20 * MINUTE_MS + SECOND_MS);
  await published(world, workspaceId, 2);
  const publication = await counted.during(async () => {
    world.clock.advance(MINUTE_MS + 9 * SECOND_MS);
    await published(world, workspaceId, 3);
  });
  expect((await world.read(workspaceId, postId))?.variants).toMatchObject([{ status: 'published' }]);
  expect(publication).toEqual({
    'append workspace.commands.v1': 2,
    'append publish.x.v1': 1,
    'append workspace.events.v1': 1,
    'read posts': 1,
    'read connections': 1,
    // VariantsDue, the verdict, and the emptying of its outbox.
    'compareAndSet workspaces': 3,
    'compareAndSet publish_arms': 1,
    // A block of uses of the account, of the app, and of the Workspace's part of the app's. Their rows are as this
    // process left them, and not read.
    'compareAndSet network_uses': 3,
    'insert publish_evidence': 1,
    // With the watchdog.
    'write posts, due': 1,
    'write posts': 1,
    'write recent_changes': 2,
  });
});

async function created(world: MemoryWorld, workspaceId: string, channelId: string, dueAt: number): Promise<string> {
  const { result } = await world.post(workspaceId, [channelId], `Due at ${dueAt}`, dueAt);
  if (!result.ok || result.kind !== 'post') throw new Error(JSON.stringify(result));
  await nothingOwed(world, workspaceId);
  return result.postId;
}

async function published(world: MemoryWorld, workspaceId: string, count: number): Promise<void> {
  await world.scheduler.caughtUp();
  await vi.waitFor(async () => expect(await world.items()).toHaveLength(count), soon);
  await nothingOwed(world, workspaceId);
}

/** Until the outbox of the last turn is empty. */
async function nothingOwed(world: MemoryWorld, workspaceId: string): Promise<void> {
  await vi.waitFor(async () => expect((await readHead(world.ports.store, workspaceId))?.pending).toBeNull(), soon);
}
