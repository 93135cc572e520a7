import type { types } from 'cassandra-driver';

import { PortError } from '#ports/errors.ts';
import type {
  ConditionalOutcome,
  ConditionalWrite,
  PartitionPage,
  Partitions,
  ReadOptions,
  TableStore,
} from '#ports/table-store.ts';
import type { ImpliedRows, Key, KeyColumn, Row, RowWrite, SliceOptions, Table, TurnWrite } from '#ports/table.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import {
  checkCompareAndSet,
  checkDrop,
  checkPartitions,
  checkRead,
  checkRows,
  checkSlice,
} from '#ports/table-rules.ts';
import { CassandraClient, type CassandraConnection, type Statement } from './client.ts';
import { TableCql } from './cql.ts';
import { refuseTwoBodies } from './verify-rows.ts';

export interface CassandraTableStoreOptions extends CassandraConnection {
  readonly keyspace: string;
  /**
   * Cassandra keeps one of two bodies at one timestamp, without an error. With `verifyRows` each row is read before it
   * is written, and a second body rejects with `TwoBodiesError`, as in the other adapters; two concurrent writers may
   * still both succeed. On by default, so that every test has it; off in production, where a read before each write
   * would be too expensive.
   */
  readonly verifyRows?: boolean;
}

/** What the clock of a node shows, compared with this machine's. */
export interface NodeClock {
  readonly machine: string;
  /** How far this machine's clock is ahead of it; negative: behind. The time that the question took is taken off. */
  readonly aheadMs: number;
}

export interface CassandraTableStore extends TableStore {
  /** The clocks of the nodes that answer. Rejects with `PortError`. */
  nodeClocks(): Promise<readonly NodeClock[]>;
}

// A page of rows with bodies up to 1 MiB must stay below the largest frame that the server sends.
const PAGE_ROWS = 200;
// A batch counts its statements in 16 bits.
const MAX_BATCH = 65_535;
/**
 * Small writes to few partitions are one batch: one request in place of several, which is a third of the work of
 * either side. A node warns of batches over more than 10 partitions, or of more than 5 KiB with their keys.
 */
const MAX_PARTITIONS_TOGETHER = 10;
const MAX_BYTES_TOGETHER = 3_000;

/**
 * Tables in Cassandra 4.1 or later. It connects with the first call, so while the cluster is unreachable at start,
 * calls reject as `unavailable`. The migrator creates the tables; a call on a missing one rejects as `refused`.
 *
 * `dropPartition` and `insert` are ordered by the clocks of the calling processes: rows that another process inserted
 * within the clock skew after the drop may be dropped too.
 */
export function createCassandraTableStore(options: CassandraTableStoreOptions): CassandraTableStore {
  return new TablesInCassandra(options.keyspace, new CassandraClient(options), options.verifyRows ?? true);
}

class TablesInCassandra implements CassandraTableStore {
  readonly atom = 'partition';
  readonly #keyspace: string;
  readonly #client: CassandraClient;
  readonly #verifyRows: boolean;
  readonly #statements = new Map<string, TableCql>();

  constructor(keyspace: string, client: CassandraClient, verifyRows: boolean) {
    this.#keyspace = keyspace;
    this.#client = client;
    this.#verifyRows = verifyRows;
  }

  async read(table: Table, partition: Key, clustering: Key, options: ReadOptions = {}): Promise<Row | null> {
    checkRead(table, partition, clustering);
    const page = await this.#client.read(this.#cql(table).read(partition, clustering), options);
    const [found] = page.rows;
    return found === undefined ? null : rowOf(found, partition, clustering);
  }

  async slice(table: Table, partition: Key, options: SliceOptions): Promise<readonly Row[]> {
    checkSlice(table, partition, options);
    const rows: Row[] = [];
    for (const statement of this.#cql(table).slice(partition, options)) {
      await this.#pages(statement(options.limit - rows.length), (found) => {
        const row = rowOf(found, partition, keyOf(found, table.clusteringKey));
        if (row !== null) rows.push(row);
      });
      if (rows.length >= options.limit) break;
    }
    return rows;
  }

  async upsert(table: Table, rows: readonly TurnWrite[]): Promise<void> {
    await this.#writeEach(await this.#checked([{ table, upsert: rows }]));
  }

  async insert(table: Table, rows: readonly RowWrite[]): Promise<void> {
    await this.#writeEach(await this.#checked([{ table, insert: rows }]));
  }

  async writeTogether(writes: readonly ImpliedRows[]): Promise<void> {
    const groups = await this.#checked(writes);
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
    if (groups.length === 0) return;
    if (groups.length > MAX_PARTITIONS_TOGETHER || bytes > MAX_BYTES_TOGETHER) await this.#writeEach(groups);
    else await this.#client.write(groups.flatMap(({ statements }) => statements));
  }

  async compareAndSet(table: Table, write: ConditionalWrite): Promise<ConditionalOutcome> {
    checkCompareAndSet(table, write, this.atom);
    if (await this.#client.writeIf(this.#cql(table).writeIf(write))) return { applied: true };
    // The answer carries only the version of the head that refused the write; the caller gets the whole head by a
    // second read.
    return { applied: false, current: await this.read(table, write.partition, write.clustering, { serial: true }) };
  }

  async dropPartition(table: Table, partition: Key): Promise<void> {
    checkDrop(table, partition);
    await this.#client.write([this.#cql(table).dropPartition(partition)]);
  }

  async partitions(table: Table, { after, limit }: PartitionPage): Promise<Partitions> {
    checkPartitions(table, { after, limit });
    const page = { fetchSize: limit, ...(after === null ? {} : { page: after }) };
    const { rows, next } = await this.#client.read(this.#cql(table).partitions(), page);
    return { keys: rows.map((row) => keyOf(row, table.partitionKey)), next };
  }

  async check(): Promise<void> {
    // A condition that never holds: the statement needs the same replicas as a conditional write and stores nothing.
    const never = { partition: ['check'], clustering: [], expected: Number.MAX_SAFE_INTEGER };
    const next = { version: 0, token: 'check', body: new Uint8Array(0), format: 0 };
    await this.#client.writeIf(this.#cql(INSTALLATION).writeIf({ ...never, next }));
  }

  async nodeClocks(): Promise<readonly NodeClock[]> {
    const answers = await this.#client.atEachNode(
      'SELECT toUnixTimestamp(currentTimestamp()) AS instant FROM system.local',
    );
    return answers.map(({ node, row, askedAt, answeredAt }) => {
      const instant = Number(row!['instant'] as bigint);
      // It showed the instant at some moment between the two.
      return {
        machine: `Cassandra at ${node}`,
        aheadMs: instant < askedAt ? askedAt - instant : Math.min(0, answeredAt - instant),
      };
    });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #cql(table: Table): TableCql {
    let cql = this.#statements.get(table.name);
    if (cql === undefined || cql.table !== table) {
      cql = new TableCql(this.#keyspace, table);
      this.#statements.set(table.name, cql);
    }
    return cql;
  }

  async #pages(statement: Statement, take: (row: types.Row) => void): Promise<void> {
    let page: string | undefined;
    do {
      const { rows, next } = await this.#client.read(statement, {
        fetchSize: PAGE_ROWS,
        ...(page === undefined ? {} : { page }),
      });
      rows.forEach(take);
      page = next ?? undefined;
    } while (page !== undefined);
  }

  /** What is to be written, by partition. */
  async #checked(writes: readonly ImpliedRows[]): Promise<readonly PartitionWrite[]> {
    checkRows(writes);
    const ofTables = writes.map((write) => {
      const cql = this.#cql(write.table);
      return 'upsert' in write
        ? {
            cql,
            rows: write.upsert,
            groups: byPartition(write.table, write.upsert, (row) => cql.write(row, row.timestamp)),
          }
        : { cql, rows: write.insert, groups: byPartition(write.table, write.insert, (row) => cql.write(row)) };
    });
    if (this.#verifyRows) await Promise.all(ofTables.map(({ cql, rows }) => refuseTwoBodies(this.#client, cql, rows)));
    return ofTables.flatMap(({ groups }) => groups);
  }

  /** One batch for each partition: a large one over several would put the work of all on one coordinator. */
  async #writeEach(groups: readonly PartitionWrite[]): Promise<void> {
    const writes = groups.map(({ statements }) => this.#client.write(statements));
    const failures = (await Promise.allSettled(writes)).flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as PortError] : [],
    );
    const [first] = failures;
    if (first === undefined) return;
    // Nothing was changed only if every partition says so.
    if (failures.length === writes.length && failures.every((failure) => failure.kind === first.kind)) throw first;
    throw new PortError('unknown', `${failures.length} of ${writes.length} partitions: ${first.message}`, {
      cause: first,
    });
  }
}

/** The rows of one call for one partition of one table. */
interface PartitionWrite {
  readonly statements: readonly Statement[];
  /** Of bodies. */
  readonly bytes: number;
}

/** Throws `PortError` `refused` if there are too many rows for one batch. */
function byPartition<W extends RowWrite>(
  table: Table,
  rows: readonly W[],
  statementOf: (row: W) => Statement,
): readonly PartitionWrite[] {
  const partitions = Map.groupBy(rows, (row) => JSON.stringify(row.partition));
  return [...partitions].map(([partition, group]) => {
    if (group.length > MAX_BATCH)
      throw new PortError(
        'refused',
        `${table.name}: ${group.length} rows for partition ${partition} in one call; ${MAX_BATCH} are allowed`,
      );
    return { statements: group.map(statementOf), bytes: group.reduce((sum, { body }) => sum + body.length, 0) };
  });
}

function rowOf(found: types.Row, partition: Key, clustering: Key): Row | null {
  const body = found['body'] as Buffer | null;
  if (body === null) return null;
  return {
    partition,
    clustering,
    // Copied: a body cut out of a network buffer would keep the whole buffer in memory.
    body: new Uint8Array(body),
    format: found['format'] as number,
    version: Number((found['version'] as bigint | undefined) ?? 0),
    token: (found['token'] as string | undefined) ?? '',
  };
}

function keyOf(found: types.Row, columns: readonly KeyColumn[]): Key {
  return columns.map(({ name, type }) => (type === 'long' ? Number(found[name] as bigint) : (found[name] as string)));
}
