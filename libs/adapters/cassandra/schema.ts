import type { AddedColumn, KeyColumn, Table } from '#ports/table.ts';
import { DUE } from '#tables/declarations/tables.ts';
import { quoted, tableName } from './cql.ts';

/** The number of replicas in each data centre; `simple` is for a single data centre that will stay the only one. */
export type Replication = { readonly simple: number } | { readonly byDataCenter: Readonly<Record<string, number>> };

/**
 * How long tombstones of expired cells are kept, and hints for a replica that is away, which are kept three hours at
 * most anyway. No row of such a table is deleted, and each replica lets a row expire by itself. What is left to guard
 * against is a replica that missed the write which ended a row: that write must live longer than the row would have
 * without it, or for longer than a node may be away. docs/engine-care.md has each table.
 */
const EXPIRING_GRACE_SECONDS = 10_800;
/** What Cassandra gives a table of which nothing is said. */
const DEFAULT_GRACE_SECONDS = 864_000;

export const graceSecondsOf = ({ expires }: Table): number =>
  expires === true ? EXPIRING_GRACE_SECONDS : DEFAULT_GRACE_SECONDS;

export function createKeyspace(keyspace: string, replication: Replication): string {
  const copies =
    'simple' in replication
      ? { class: 'SimpleStrategy', replication_factor: replication.simple }
      : { class: 'NetworkTopologyStrategy', ...replication.byDataCenter };
  const map = Object.entries(copies).map(
    ([name, value]) => `'${name}': ${typeof value === 'number' ? value : `'${value}'`}`,
  );
  return `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = {${map.join(', ')}} AND durable_writes = true`;
}

export interface TableOptions {
  /** The version that Cassandra's nodes report: `5.0.9`. */
  readonly release: string;
  /** Fixes the table's id, so that several nodes that create it at the same time create the same table. */
  readonly id?: string;
}

/**
 * The statement that creates a table; the same text in every process. Never time-window compaction: it sorts by write
 * timestamps, and our timestamps count turns.
 */
export function createTable(keyspace: string, table: Table, options: TableOptions): string {
  const { partitionKey, clusteringKey } = table;
  const columns = [
    ...[...partitionKey, ...clusteringKey].map(
      (column) => `${quoted(column.name)} ${column.type === 'long' ? 'bigint' : 'text'}`,
    ),
    '"body" blob',
    '"format" int',
    ...addedColumns(table).map(({ name, type }) => `${quoted(name)} ${type}`),
    ...(table.clock === 'conditional' ? ['"version" bigint', '"token" text'] : []),
    `PRIMARY KEY ((${names(partitionKey)})${clusteringKey.length > 0 ? `, ${names(clusteringKey)}` : ''})`,
  ];
  const order = clusteringKey
    .map((column) => `${quoted(column.name)} ${column.order === 'desc' ? 'DESC' : 'ASC'}`)
    .join(', ');
  const properties = [
    ...(options.id === undefined ? [] : [`id = ${options.id}`]),
    ...(order === '' ? [] : [`CLUSTERING ORDER BY (${order})`]),
    `comment = '${table.doc.replaceAll("'", "''")}'`,
    ...(table.expires ? [`gc_grace_seconds = ${EXPIRING_GRACE_SECONDS}`] : []),
    ...(table.name === DUE.name ? [`compaction = ${dueCompaction(options.release)}`] : []),
  ];
  return `CREATE TABLE IF NOT EXISTS ${tableName(keyspace, table)} (${columns.join(', ')}) WITH ${properties.join(' AND ')}`;
}

/** Adds a column to a table that exists; in rows that are there already it is empty. */
export function addColumn(keyspace: string, table: Table, column: { readonly name: string; readonly type: string }) {
  return `ALTER TABLE ${tableName(keyspace, table)} ADD ${quoted(column.name)} ${column.type}`;
}

const ADDED_TYPES: Readonly<Record<AddedColumn['type'], string>> = { text: 'text', long: 'bigint', bytes: 'blob' };

/** With their types in CQL. */
export function addedColumns({ added = [] }: Table): readonly { readonly name: string; readonly type: string }[] {
  return added.map(({ name, type }) => ({ name, type: ADDED_TYPES[type] }));
}

/**
 * Buckets are written for weeks and read once as a whole, so few sstables per partition matter more than cheap writes.
 */
function dueCompaction(release: string): string {
  const strategy = Number(release.split('.')[0]) >= 5 ? 'UnifiedCompactionStrategy' : 'LeveledCompactionStrategy';
  return `{'class': '${strategy}'}`;
}

function names(columns: readonly KeyColumn[]): string {
  return columns.map((column) => quoted(column.name)).join(', ');
}
