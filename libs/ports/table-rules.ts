import { PortError } from '#ports/errors.ts';
import {
  MAX_BODY_BYTES,
  MAX_KEY_TEXT_BYTES,
  MAX_PARTITION_WRITE_BYTES,
  MAX_SLICE_ROWS,
  MAX_TTL_SECONDS,
  type Atom,
  type ConditionalWrite,
  type PartitionPage,
} from '#ports/table-store.ts';
import type { ImpliedRows, Key, KeyColumn, RowWrite, SliceOptions, Table, TableClock, TurnWrite } from './table.ts';

/**
 * The limits of the table store, which are Cassandra's, in one place. Every adapter checks here first, and so does a
 * caller that must know that all its writes will be accepted before it makes the first of them. Each check throws
 * `PortError` `refused` and changes nothing.
 */

export function checkRead(table: Table, partition: Key, clustering: Key): void {
  checkPartition(table, partition);
  checkClustering(table, clustering);
}

export function checkSlice(table: Table, partition: Key, options: SliceOptions): void {
  checkPartition(table, partition);
  const { prefix = [], from, after, until, limit } = options;
  checkKey(table, table.clusteringKey.slice(0, prefix.length), prefix, 'prefix');
  if (from !== undefined && after !== undefined) refuse(table, 'a slice starts from a row or after it, not both');
  const rest = table.clusteringKey.slice(prefix.length);
  for (const [name, bound] of Object.entries({ from, after, until })) {
    if (bound === undefined) continue;
    if (bound.length === 0) refuse(table, `"${name}" names no column`);
    checkKey(table, rest.slice(0, bound.length), bound, name);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SLICE_ROWS)
    refuse(table, `a slice takes 1 to ${MAX_SLICE_ROWS} rows, not ${limit}`);
}

export function checkPartitions(table: Table, { limit }: PartitionPage): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SLICE_ROWS)
    refuse(table, `a page takes 1 to ${MAX_SLICE_ROWS} partitions, not ${limit}`);
}

export function checkUpsert(table: Table, rows: readonly TurnWrite[]): void {
  checkClock(table, 'turn', 'upsert');
  const bytes = new PartitionBytes(table);
  for (const row of rows) {
    checkRow(table, row);
    if (!Number.isSafeInteger(row.timestamp) || row.timestamp < 1) refuse(table, `timestamp ${row.timestamp}`);
    bytes.add(row);
  }
}

export function checkInsert(table: Table, rows: readonly RowWrite[]): void {
  checkClock(table, 'once', 'insert');
  const bytes = new PartitionBytes(table);
  for (const row of rows) {
    checkRow(table, row);
    bytes.add(row);
  }
}

export function checkCompareAndSet(table: Table, write: ConditionalWrite, atom: Atom): void {
  checkClock(table, 'conditional', 'compareAndSet');
  const { partition, clustering, expected, next, rows = [] } = write;
  if (expected !== null) checkVersion(table, expected);
  checkVersion(table, next.version);
  checkText(table, next.token, 'token');
  if (next.token === '') refuse(table, 'a token must distinguish this write from every other');
  const head: RowWrite = { ...next, partition, clustering };
  const bytes = new PartitionBytes(table);
  const seen = new Set<string>();
  const home = JSON.stringify(partition);
  for (const row of [head, ...rows]) {
    checkRow(table, row);
    if (JSON.stringify(row.partition) !== home) refuse(table, 'a conditional write must stay in one partition');
    const key = JSON.stringify(row.clustering);
    if (seen.has(key)) refuse(table, `row ${key} appears twice in one conditional write`);
    seen.add(key);
    bytes.add(row);
  }
  if (write.appends !== undefined && atom !== 'store_and_log')
    refuse(table, 'this store can not append to the log with a head');
  if (write.implied === undefined) return;
  if (atom === 'partition') refuse(table, 'this store can not write rows of other tables with a head');
  checkRows(write.implied);
}

/** Of several tables. */
export function checkRows(writes: readonly ImpliedRows[]): void {
  for (const write of writes) {
    if ('upsert' in write) checkUpsert(write.table, write.upsert);
    else checkInsert(write.table, write.insert);
  }
}

export function checkDrop(table: Table, partition: Key): void {
  checkClock(table, 'once', 'dropPartition');
  checkPartition(table, partition);
}

function checkClock(table: Table, clock: TableClock, call: string): void {
  if (table.clock !== clock) refuse(table, `${call} is for "${clock}" tables, this one is "${table.clock}"`);
}

function checkRow(table: Table, row: RowWrite): void {
  checkPartition(table, row.partition);
  checkClustering(table, row.clustering);
  if (!(row.body instanceof Uint8Array)) refuse(table, 'a body must be bytes, never null');
  if (row.body.length > MAX_BODY_BYTES)
    refuse(table, `a body of ${row.body.length} bytes; ${MAX_BODY_BYTES} are allowed`);
  if (!Number.isInteger(row.format) || row.format < 0 || row.format > 0x7fffffff) refuse(table, `format ${row.format}`);
  const ttl = row.ttlSeconds;
  if (ttl === undefined) return;
  if (table.expires !== true) refuse(table, 'rows of this table do not expire');
  if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL_SECONDS)
    refuse(table, `ttl ${ttl}; 1 to ${MAX_TTL_SECONDS} seconds are allowed`);
}

function checkPartition(table: Table, partition: Key): void {
  checkWholeKey(table, table.partitionKey, partition, 'partition key');
  if (partition.includes('')) refuse(table, 'a partition key must not be empty');
}

function checkClustering(table: Table, clustering: Key): void {
  checkWholeKey(table, table.clusteringKey, clustering, 'clustering key');
}

function checkWholeKey(table: Table, columns: readonly KeyColumn[], key: Key, what: string): void {
  if (key.length !== columns.length) refuse(table, `${what} has ${columns.length} columns, not ${key.length}`);
  checkKey(table, columns, key, what);
}

function checkKey(table: Table, columns: readonly KeyColumn[], key: Key, what: string): void {
  if (key.length > columns.length) refuse(table, `${what} has too many columns`);
  key.forEach((value, index) => {
    const column = columns[index]!;
    const name = `${what}, ${column.name}`;
    if (column.type === 'text') checkText(table, value, name);
    else if (!Number.isSafeInteger(value)) refuse(table, `${name}: ${String(value)} is not a safe integer`);
  });
}

/** Lone surrogates would all become U+FFFD in UTF-8 and make two keys one; SQLite ends a text at U+0000. */
function checkText(table: Table, value: unknown, what: string): void {
  if (typeof value !== 'string') refuse(table, `${what}: ${String(value)} is not text`);
  // A code unit takes at most three bytes.
  if (value.length * 3 > MAX_KEY_TEXT_BYTES && Buffer.byteLength(value) > MAX_KEY_TEXT_BYTES) {
    refuse(table, `${what}: ${Buffer.byteLength(value)} bytes of text; ${MAX_KEY_TEXT_BYTES} are allowed`);
  }
  if (value.includes('\0') || !value.isWellFormed()) refuse(table, `${what}: text with U+0000 or half a character`);
}

function checkVersion(table: Table, version: number): void {
  if (!Number.isSafeInteger(version) || version < 0) refuse(table, `version ${version}`);
}

/**
 * The bytes that one call writes to each partition: Cassandra treats a batch as one mutation, limited by its commit
 * log's segment.
 */
class PartitionBytes {
  readonly #table: Table;
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  add(row: RowWrite): void {
    const size = row.body.length + keyBytes(row.partition) + keyBytes(row.clustering);
    this.#total += size;
    const partition = JSON.stringify(row.partition);
    const sum = (this.#bytes.get(partition) ?? 0) + size;
    this.#bytes.set(partition, sum);
    if (this.#total > MAX_PARTITION_WRITE_BYTES && sum > MAX_PARTITION_WRITE_BYTES) {
      refuse(this.#table, `more than ${MAX_PARTITION_WRITE_BYTES} bytes for partition ${partition} in one call`);
    }
  }
}

function keyBytes(key: Key): number {
  let bytes = 0;
  for (const value of key) bytes += typeof value === 'number' ? 8 : value.length * 3;
  return bytes;
}

function refuse(table: Table, why: string): never {
  throw new PortError('refused', `table ${table.name}: ${why}`);
}
