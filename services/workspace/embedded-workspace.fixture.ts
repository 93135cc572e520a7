import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { openSyncedDatabase, type SyncedDatabase } from '#adapters/sqlite/synced-database.ts';
import { createSharedSqliteLog } from '#adapters/sqlite/log.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createCommandRequests, type CommandRequests } from '#commands/request-command.ts';
import { isRequested, type CreatePost } from '#domain/workspace/commands.ts';
import { decide } from '#domain/workspace/decide.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { NO_BRAKE, type Brake } from '#tables/repositories/publishing-brake.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { WrittenFormat } from '#tables/release.ts';
import { DAY, RULES, Scenario, START } from '#testing/scenario.ts';
import { createWorkspaceService } from './service.ts';

/** A Workspace with a Channel, over one SQLite file as in an embedded process. No timer of its clock fires. */
export interface EmbeddedWorkspace {
  readonly id: string;
  readonly database: SyncedDatabase['database'];
  readonly log: Log;
  readonly store: TableStore;
  readonly requests: CommandRequests;
  readonly reporter: MemoryReporter;
  /** A Post of a day ahead. */
  creating(text: string, dryRun?: boolean): CreatePost;
  close(): Promise<void>;
}

export interface EmbeddedWorkspaceOptions {
  readonly path: string;
  readonly brake?: Brake;
  /** Called with each answer when it leaves the owner. */
  readonly onAnswer?: (answer: CommandAnswer) => void;
}

export async function openEmbeddedWorkspace({
  path,
  brake = NO_BRAKE,
  onAnswer = () => {},
}: EmbeddedWorkspaceOptions): Promise<EmbeddedWorkspace> {
  const synced = await openSyncedDatabase(path);
  const { database, commits } = synced;
  const clock = createMemoryClock(START);
  const reporter = createMemoryReporter();
  const store = createSqliteTableStore({
    ...{ database, commits, clock },
    log: { place: (topic, records) => log.place(topic, records) },
  });
  const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const ports = { log, store, codec, clock, ids: createSeededIds(1), reporter };
  const requests = createCommandRequests(ports);
  const service = createWorkspaceService({
    ...ports,
    ...(store.unsynced && { store: store.unsynced }),
    due: createDueTimers(store),
    decide,
    loadsOf,
    rules: RULES,
    brake,
    writtenFormat: new WrittenFormat(),
    answer: (_replyTo, answer) => {
      onAnswer(answer);
      requests.receiveAnswer(answer);
    },
  });
  await service.start();
  const scenario = new Scenario();
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const about = { network: 'x', name: 'x', avatarUrl: null, accountId: 'x', kind: '' } as const;
  for (const draft of [
    { type: 'CreateWorkspace', name: 'W', plan: 'agency', owner },
    { type: 'AddCredits', credits: 1_000_000 },
    { type: 'ConnectChannel', channelId: scenario.uuid(), ...about },
  ] as const) {
    const command = scenario.ask(draft);
    scenario.tell(command);
    if (!isRequested(command)) throw new Error(`nobody waits for ${command.type}`);
    const { result } = await requests.request(command);
    if (!result.ok) throw new Error(`${draft.type}: ${result.message}`);
  }
  return {
    id: scenario.id,
    database,
    log,
    store,
    requests,
    reporter,
    creating: (text, dryRun = false) => scenario.creating({ text, scheduledAt: scenario.now + DAY, dryRun }),
    close: async () => {
      await service.stop();
      await log.close();
      await store.close();
      await synced.close();
    },
  };
}
