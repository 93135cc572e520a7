import { isUnavailable } from '#concurrency/retry.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { isRequested, type Command } from '#domain/workspace/commands.ts';
import { decide } from '#domain/workspace/decide.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import type { Codec } from '#messages/messages.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import { PortError } from '#ports/errors.ts';
import type { Log } from '#ports/log.ts';
import type { Atom, TableStore } from '#ports/table-store.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { RULES, START } from '#testing/scenario.ts';
import { listAudit } from '#tables/repositories/audit.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { shardOf, TOPICS } from '#tables/declarations/topics.ts';
import { readChanges } from '#tables/repositories/recent-changes.ts';
import { readChannels, readHead, readResult, type Head, type HeadBody } from '#tables/repositories/workspaces.ts';
import { WorkspaceActor } from './actor.ts';
import { PostCache } from './post-cache.ts';
import { RecentDigests } from './recent-digests.ts';
import { RELEASE, WrittenFormat } from '#tables/release.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';

/** Called before and after everything an actor does to the world. */
export type WorkspaceInterruption = (step: string) => Promise<void>;

/** What a release may do in another way than this one. */
export interface OwnersRelease {
  readonly writtenFormat: Pick<WrittenFormat, 'now'>;
  readonly codec?: Codec;
  readonly decide?: Decide;
  /** How much a bucket of a period holds. */
  readonly bucketBytes?: number;
}

const THIS_RELEASE: OwnersRelease = { writtenFormat: new WrittenFormat() };

/** A bucket holds the Posts of a turn, an entry of the audit, or two Posts of a week. */
export const SMALL_BUCKETS: OwnersRelease = { writtenFormat: { now: () => RELEASE.format }, bucketBytes: 200 };

export interface WorkspaceHarness {
  readonly clock: MemoryClock;
  readonly log: MemoryLog;
  readonly store: TableStore;
  readonly reporter: MemoryReporter;
  readonly answers: readonly CommandAnswer[];
  /** An owner with a memory of its own. */
  actor(workspaceId: string, interrupt?: WorkspaceInterruption, rules?: Rules, release?: OwnersRelease): WorkspaceActor;
  /** As a lane does: again until it works. */
  handle(actor: WorkspaceActor, commands: readonly Command[]): Promise<void>;
  /** From now on the store refuses, for good, every head that `refuses` says this of. */
  refuse(refuses: (state: WorkspaceState) => boolean): void;
  head(workspaceId: string): Promise<Head>;
  /** All that anybody can see of a Workspace, in an order of its own. */
  seen(workspaceId: string, commands: readonly Command[]): Promise<unknown>;
  /** Until what is pending was cleared, at the second try if need be. */
  rest(): Promise<void>;
}

/**
 * `kind`: of its store, or a store; all bring about the same. `sqlite` is the embedded one; of it, and of a store that
 * is given, steps can't be interrupted.
 */
export function openWorkspaceHarness(
  kind: Atom | 'sqlite' | TableStore = 'partition',
  codec: Codec = createCodec({ registry: createBuiltInRegistry() }),
): WorkspaceHarness {
  const clock = createMemoryClock(START);
  const log = createMemoryLog({ topics: TOPICS, clock });
  const tables = new MemoryTables();
  const given = typeof kind === 'string' ? null : kind;
  const engine = kind === 'sqlite' ? sqliteInMemory(clock) : given;
  const atom = typeof kind === 'string' && kind !== 'sqlite' ? kind : 'partition';
  const shared = { clock, tables, atom, log: log.control.within('main') };
  const store = engine ?? createMemoryTableStore(shared);
  const reporter = createMemoryReporter();
  const answers: CommandAnswer[] = [];
  let refuses = (_state: WorkspaceState): boolean => false;
  let seed = 1;

  const messages = async (workspaceId: string): Promise<readonly string[]> => {
    const values = TOPICS.flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => log.control.records({ topic: name, partition })).flat(),
    );
    const distinct = new Map(
      values.map((record) => [`${record.topic} ${record.key} ${Buffer.from(record.value).toString('hex')}`, record]),
    );
    const texts = await Promise.all(
      [...distinct.values()].map(async ({ topic, key, value }) =>
        JSON.stringify([topic, key, await codec.decode(value)]),
      ),
    );
    return texts.filter((text) => text.includes(workspaceId)).sort();
  };
  return {
    clock,
    log,
    store,
    reporter,
    answers,
    actor: (workspaceId, interrupt = async () => {}, rules = RULES, release = THIS_RELEASE) => {
      const hooks: TableHooks = {
        before: ({ name, table }) => interrupt(`before ${name} ${table.name}`),
        after: ({ name, table }) => interrupt(`after ${name} ${table.name}`),
      };
      const own = refusing(engine ?? createMemoryTableStore({ ...shared, hooks }), (state) => refuses(state));
      const appending = {
        append: async (topic, records) => {
          await interrupt(`before append ${topic}`);
          const positions = await log.append(topic, records);
          await interrupt(`after append ${topic}`);
          return positions;
        },
      } as Log;
      const options = {
        log: appending,
        store: own,
        codec,
        clock,
        ids: createSeededIds(seed++),
        reporter,
        due: createDueTimers(own),
        decide,
        loadsOf,
        rules,
        brake: NO_BRAKE,
        noteState: () => {},
        ...release,
      };
      return new WorkspaceActor(workspaceId, {
        ...options,
        posts: new PostCache(1_000_000),
        digests: new RecentDigests(1_000),
        slices: new TimeSlices({ clock }),
        answer: (_replyTo, answer) => void answers.push(answer),
      });
    },
    handle: async (actor, commands) => {
      for (let failures = 0; failures < 20; failures++) {
        try {
          return await actor.handle(commands);
        } catch (error) {
          if (!isUnavailable(error)) throw error;
        }
      }
      throw new Error('it never worked');
    },
    refuse: (of) => void (refuses = of),
    head: async (workspaceId) => (await readHead(store, workspaceId, { serial: true }))!,
    seen: async (workspaceId, commands) => {
      const page = await listPosts(store, workspaceId, { from: 0, to: null, limit: 1000, before: null });
      const due = createDueTimers(store);
      const minutes = [
        ...new Set(
          page.posts.flatMap(({ scheduledAt, createdAt }) => [
            minuteOf(scheduledAt ?? createdAt),
            minuteOf(createdAt) + 10,
          ]),
        ),
      ];
      const timers = await Promise.all(minutes.map((minute) => due.read(shardOf(workspaceId), minute, null, 1000)));
      return {
        state: (await readHead(store, workspaceId, { serial: true }))?.state,
        posts: page.posts,
        channels: await readChannels(store, workspaceId),
        audit: (await listAudit(store, workspaceId, { before: null, limit: 1000, now: clock.now() })).entries,
        assets: await Promise.all(
          commands.flatMap((command) =>
            command.type === 'ReserveUpload' ? [readAsset(store, workspaceId, command.assetId)] : [],
          ),
        ),
        changed: await changedIn(store, workspaceId, clock.now()),
        timers: timers
          .flat()
          .map(({ timerId, dueAt }) => `${timerId} ${dueAt}`)
          .sort(),
        results: await Promise.all(
          commands.filter(isRequested).map(({ requestId }) => readResult(store, workspaceId, requestId)),
        ),
        messages: await messages(workspaceId),
      };
    },
    rest: async () => {
      for (let second = 0; second < 3; second++) {
        await clock.advance(1_000);
        for (let turn = 0; turn < 10; turn++) await clock.advance(0);
      }
    },
  };
}

/** All that open pages are told, in whatever turns it came. */
async function changedIn(store: TableStore, workspaceId: string, now: number): Promise<unknown> {
  const changes = await readChanges(store, workspaceId, { after: 0, now });
  const postIds = new Set(changes.flatMap(({ postIds }) => postIds));
  return { postIds: [...postIds].toSorted(), channels: changes.some(({ channels }) => channels) };
}

function sqliteInMemory(clock: MemoryClock): TableStore {
  const database = openDatabase(':memory:');
  return createSqliteTableStore({ database, commits: new GroupCommit(database), clock });
}

function refusing(store: TableStore, refuses: (state: WorkspaceState) => boolean): TableStore {
  const compareAndSet: TableStore['compareAndSet'] = async (table, write) => {
    const body = table === WORKSPACES ? decodeBody<HeadBody>(write.next) : null;
    if (body !== null && refuses(body.state)) throw new PortError('refused', 'the store does not take this');
    return store.compareAndSet(table, write);
  };
  return new Proxy(store, {
    get: (target, name) => (name === 'compareAndSet' ? compareAndSet : bound(target, Reflect.get(target, name))),
  });
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}
