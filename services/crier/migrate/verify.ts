import { isUnavailable } from '#concurrency/retry.ts';
import type { LogAdmin } from '#ports/log-admin.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import type { TableStore } from '#ports/table-store.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { SHARDS, TOPICS } from '#tables/declarations/topics.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { readShard } from '#tables/repositories/shards.ts';

export interface VerifyOptions {
  readonly store: TableStore;
  readonly tableAdmin: Pick<TableAdmin, 'differences'>;
  readonly logAdmin: Pick<LogAdmin, 'differences'>;
  /** The least number of copies of each. */
  readonly copies: { readonly ofTables: number; readonly ofTopics: number };
  readonly lackingSchemas: (store: TableStore) => Promise<readonly string[]>;
}

/**
 * Where keyspace, tables, topics, schemas and the first rows are not as this release needs them, a sentence each; none:
 * processes of it can start. What a later release added is no difference. Changes nothing. Rejects with `PortError`
 * when an engine can not be asked.
 */
export async function verifyInstallation(options: VerifyOptions): Promise<readonly string[]> {
  const { store, tableAdmin, logAdmin, copies, lackingSchemas } = options;
  const ofTables = await tableAdmin.differences(TABLES, { copies: copies.ofTables });
  const ofTopics = await logAdmin.differences(TOPICS, { replication: copies.ofTopics });
  const rows = [() => versionDifference(store), () => shardDifference(store), () => lackingSchemas(store)];
  const ofRows: string[] = [];
  for (const read of rows) ofRows.push(...(await readable(read, ofTables.length > 0)));
  return [...ofTables, ...ofTopics, ...ofRows];
}

/** Rows of a table that is missing, which was reported already, can not be read. */
async function readable(read: () => Promise<readonly string[]>, tablesDiffer: boolean): Promise<readonly string[]> {
  try {
    return await read();
  } catch (error) {
    if (tablesDiffer && !isUnavailable(error)) return [];
    throw error;
  }
}

async function versionDifference(store: TableStore): Promise<readonly string[]> {
  const version = await readSchemaVersion(store);
  if (version >= SCHEMA_VERSION) return [];
  return [`the schema version is ${version}, and this release needs ${SCHEMA_VERSION}: crier migrate records it`];
}

async function shardDifference(store: TableStore): Promise<readonly string[]> {
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => readShard(store, shard)));
  const lacking = shards.filter((shard) => shard === null).length;
  return lacking === 0 ? [] : [`the first rows of ${lacking} scheduler shards are missing: crier migrate writes them`];
}
