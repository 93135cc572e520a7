import type { LogAdmin, TopicShape } from '#ports/log-admin.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { foundFormat } from '#tables/repositories/written-formats.ts';
import {
  checkReadable,
  readSchemaVersion,
  recordSchemaVersion,
  SCHEMA_VERSION,
} from '#tables/repositories/installation.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { INSTALLATION, TABLES } from '#tables/declarations/tables.ts';
import { SHARDS, TOPICS } from '#tables/declarations/topics.ts';
import { parkedBesideAnotherLog, refileParkedKeys } from './parked-keys.ts';
import { underLock, type MigrationLockOptions } from './lock.ts';

export interface MigrateOptions extends MigrationLockOptions {
  readonly tableAdmin: TableAdmin;
  readonly logAdmin: LogAdmin;
  /** Left out: keys that are parked stay as they are. */
  readonly positions?: Pick<LogPositions, 'extents'>;
  /** Copies of each topic's partitions. */
  readonly topicReplication: number;
  readonly tables?: readonly Table[];
  readonly topics?: readonly TopicShape[];
  /** Stores the schemas of records where every release finds them. Repeatable. */
  readonly storeSchemas?: (store: TableStore) => Promise<void>;
  /** Only returns what would be done. */
  readonly dryRun?: boolean;
}

export interface Migration {
  /** What was done (or would be), in order, one line each; statements verbatim. Empty: nothing was missing. */
  readonly steps: readonly string[];
  readonly schemaVersion: number;
}

/**
 * Makes what this release needs: keyspace, tables, topics, schemas, the first row of each scheduler shard, and last the
 * row that records the schema version. It only adds: what a newer release made stays. Where the topics are new and the
 * tables are not, keys that are parked are filed anew beside the empty log. It may be repeated, interrupted at any
 * point, and run by several processes at once: one works, the others wait and find nothing to do. Roles of the running
 * release go on meanwhile. Rejects with `PortError`; `refused` names what exists and can not be used.
 */
export async function migrate(options: MigrateOptions): Promise<Migration> {
  const { tableAdmin, logAdmin, store, tables = TABLES, topics = TOPICS } = options;
  if (options.dryRun) return plan(options, tables, topics);
  const foundation = await tableAdmin.ensureFoundation(INSTALLATION);
  checkReadable(await readSchemaVersion(store));
  return underLock(options, async (renew) => {
    const statements = await tableAdmin.ensureTables(tables, renew);
    await renew();
    const made = await logAdmin.ensureTopics(topics, { replication: options.topicReplication });
    await renew();
    // What was made just now is empty, and Kafka may not know yet who leads it.
    const there = topics.filter(({ name }) => !made.includes(name));
    const refiled = await refileParked(options, there);
    const filled = await fillTables(options);
    const shapes = made.map((name) => topicLine(topics.find((topic) => topic.name === name)!));
    return {
      steps: [...foundation, ...statements, ...shapes, ...refiled, ...filled],
      schemaVersion: await readSchemaVersion(store),
    };
  });
}

/**
 * Writes the rows that must exist before any role starts; embedded needs no more, as its tables and topics make
 * themselves. Repeatable. Returns what was done, one line each.
 */
export async function fillTables(
  options: Pick<MigrateOptions, 'store' | 'clock' | 'ids' | 'storeSchemas'>,
): Promise<readonly string[]> {
  const { store, clock, ids } = options;
  await options.storeSchemas?.(store);
  const shards = createShards(store);
  const minute = minuteOf(clock.now());
  if ((await readSchemaVersion(store)) === 0) await foundFormat(store, ids.token());
  const founded = await Promise.all(
    Array.from({ length: SHARDS }, (_, shard) => shards.found(shard, minute, ids.token())),
  );
  const count = founded.filter(Boolean).length;
  // Last: a process that reads this version finds everything else too.
  const recorded = await recordSchemaVersion(store, SCHEMA_VERSION, ids.token());
  return [...(count > 0 ? [`first rows of ${count} scheduler shards`] : []), ...(recorded ? [versionLine()] : [])];
}

async function refileParked(options: MigrateOptions, topics: readonly TopicShape[]): Promise<readonly string[]> {
  const parked = await parkedKeys(options, topics);
  await refileParkedKeys(options.store, parked, options.ids);
  return parkedLine(parked.length);
}

/** `there`: the topics that were there before. */
async function parkedKeys({ store, positions }: MigrateOptions, there: readonly TopicShape[]) {
  return positions === undefined ? [] : parkedBesideAnotherLog(store, () => positions.extents(there));
}

function parkedLine(count: number): readonly string[] {
  return count === 0 ? [] : [`parked keys filed anew before the records of an empty log: ${count}`];
}

async function plan(
  options: MigrateOptions,
  tables: readonly Table[],
  topics: readonly TopicShape[],
): Promise<Migration> {
  const statements = await tableStatements(options.tableAdmin, tables);
  const existing = await options.logAdmin.describe(topics);
  const missing = topics.filter((topic) => !existing.some((state) => state.name === topic.name));
  // Without its table the version can not be read.
  const version = statements.some((statement) => statement.includes(`.${INSTALLATION.name} (`))
    ? 0
    : await readSchemaVersion(options.store);
  checkReadable(version);
  const there = topics.filter((topic) => !missing.includes(topic));
  const parked = version === 0 ? [] : await parkedKeys(options, there);
  return {
    steps: [
      ...statements,
      ...missing.map(topicLine),
      ...parkedLine(parked.length),
      ...(version < SCHEMA_VERSION ? [versionLine()] : []),
    ],
    schemaVersion: Math.max(version, SCHEMA_VERSION),
  };
}

/** The statements that a migration would run, in order. */
export function tableStatements(
  tableAdmin: Pick<TableAdmin, 'plan'>,
  tables: readonly Table[] = TABLES,
): Promise<readonly string[]> {
  return tableAdmin.plan([INSTALLATION, ...tables.filter((table) => table !== INSTALLATION)]);
}

function topicLine(topic: TopicShape): string {
  return `topic ${topic.name}: ${topic.partitions} partitions`;
}

function versionLine(): string {
  return `schema version ${SCHEMA_VERSION}`;
}
