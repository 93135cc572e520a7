import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryRowWriter } from '#adapters/memory/row-writer.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSharedSqliteLog } from '#adapters/sqlite/log.ts';
import { createSqliteRowReader, openCopiedDatabase } from '#adapters/sqlite/row-reader.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { unfinishedRecords } from '#adapters/sqlite/unfinished-records.ts';
import type { Log } from '#ports/log.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { probeSecret } from '#tables/repositories/secret-probe.ts';
import { fillTables } from '../migrate/migrate.ts';
import type { ClusterToFill, EmbeddedBackup } from './restore-onto-cluster.ts';

export const SECRET = 'a secret of tests only, long enough';
const BACKUP_AT = Date.UTC(2030, 0, 1);

export interface EmbeddedFolder extends AsyncDisposable {
  readonly store: TableStore;
  readonly log: Log;
  readonly clock: MemoryClock;
  /** What is there now, as a backup. */
  backup(changes?: Partial<EmbeddedBackup>): EmbeddedBackup;
}

/** Tables and log of an embedded installation that was started once. */
export async function embeddedFolder(): Promise<EmbeddedFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const path = join(folder, 'crier.db');
  const clock = createMemoryClock(BACKUP_AT);
  const ids = createSeededIds(1);
  const database = openDatabase(path);
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock });
  const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock });
  await fillTables({ store, clock, ids });
  await probeSecret(store, createSecretBox({ secret: SECRET }), () => ids.token());
  return {
    store,
    log,
    clock,
    backup: (changes = {}) => {
      const copy = openCopiedDatabase(path);
      return {
        identity: 'a backup',
        schemaVersion: SCHEMA_VERSION,
        backupAt: BACKUP_AT,
        reader: createSqliteRowReader(copy),
        unfinished: (topic) => unfinishedRecords(copy, topic),
        files: null,
        ...changes,
      };
    },
    [Symbol.asyncDispose]: async () => {
      await log.close();
      await store.close();
      await commits.close();
      closeDatabase(database);
      rmSync(folder, { recursive: true });
    },
  };
}

export interface EmptyCluster {
  readonly to: ClusterToFill;
  readonly log: MemoryLog;
  readonly held: readonly { readonly backupAt: number }[];
  /** Members of a consumer group, as processes that run. */
  members: number;
}

/** A cluster after `crier migrate`, in memory. */
export async function emptyCluster(): Promise<EmptyCluster> {
  const clock = createMemoryClock(BACKUP_AT + 60_000);
  const ids = createSeededIds(2);
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ tables, clock });
  const log = createMemoryLog({ topics: TOPICS, clock });
  const held: { readonly backupAt: number }[] = [];
  await fillTables({ store, clock, ids });
  const cluster: EmptyCluster = {
    to: {
      keyspace: 'crier',
      store,
      writer: createMemoryRowWriter(tables),
      log,
      positions: positionsOf(log, () => cluster.members),
      blobs: createMemoryBlobStore(),
      secretBox: createSecretBox({ secret: SECRET }),
      clock: { now: clock.now.bind(clock), monotonic: () => performance.now(), sleep: async () => {} },
      ids,
      translation: async () => (value) => value,
      markRestored: async (instants) => void held.push(instants),
    },
    log,
    held,
    members: 0,
  };
  return cluster;
}

function positionsOf(log: MemoryLog, members: () => number): LogPositions {
  return {
    extents: async (topics) =>
      topics.flatMap(({ name: topic, partitions }) =>
        Array.from({ length: partitions }, (_, partition) => ({
          topic,
          partition,
          start: 0,
          end: log.control.records({ topic, partition }).length,
        })),
      ),
    groups: async () => (members() === 0 ? [] : [{ group: 'workspace', members: members(), positions: [] }]),
    close: async () => {},
  };
}
