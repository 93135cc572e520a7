import type { ConditionalWrite } from '#ports/table-store.ts';
import type { RowCopy } from '#ports/row-copy.ts';
import type { Key, KeyColumn, KeyValue, RowWrite, SliceOptions, Table } from '#ports/table.ts';
import type { Statement } from './client.ts';
import { sliceRanges } from './slice-ranges.ts';

/**
 * The statements of a table, in CQL that 4.1 and 5.0 both accept. Texts are constant for their kind (the driver
 * prepares each once), columns are always named (a later ALTER must not change what a prepared statement returns), and
 * no parameter is bound to null.
 *
 * Rows are only ever written by UPDATE. INSERT would add a row marker with a time to live of its own, so that a row
 * whose cells have expired, or got another ttl, would remain without a body. A row exists while its body does.
 */
export class TableCql {
  readonly table: Table;
  readonly #name: string;
  readonly #values: string;
  readonly #clustering: string;
  readonly #inPartition: string;
  readonly #inRow: string;
  readonly #assign: string;

  constructor(keyspace: string, table: Table) {
    this.table = table;
    this.#name = tableName(keyspace, table);
    const columns = table.clock === 'conditional' ? ['body', 'format', 'version', 'token'] : ['body', 'format'];
    this.#values = columns.map(quoted).join(', ');
    this.#clustering = table.clusteringKey.map((column) => `${quoted(column.name)}, `).join('');
    this.#inPartition = equals(table.partitionKey);
    this.#inRow = equals([...table.partitionKey, ...table.clusteringKey]);
    this.#assign = columns.map((column) => `${quoted(column)} = ?`).join(', ');
  }

  read(partition: Key, clustering: Key): Statement {
    return this.#select(this.#values, partition, clustering);
  }

  /** As `read`, with the write timestamp of the body as `written`. */
  readBody(partition: Key, clustering: Key): Statement {
    return this.#select(`${this.#values}, WRITETIME("body") AS "written"`, partition, clustering);
  }

  /**
   * The statements are read one after the other until there are `limit` rows; the last parameter of each is its own
   * limit.
   */
  slice(partition: Key, options: SliceOptions): readonly ((limit: number) => Statement)[] {
    return sliceRanges(this.table, options).map((range) => {
      const where = [this.#inPartition, ...range.conditions].join(' AND ');
      const query = `SELECT ${this.#clustering}${this.#values} FROM ${this.#name} WHERE ${where} LIMIT ?`;
      const params = [
        ...bind(this.table.partitionKey, partition),
        ...range.values.map(({ column, value }) => bound(column, value)),
      ];
      return (limit) => ({ query, params: [...params, limit] });
    });
  }

  /**
   * `timestamp` is for turn tables. Without it the driver's clock, which gives each instant once in a process, orders
   * the write.
   */
  write(row: RowWrite, timestamp?: number): Statement {
    const using = [...(timestamp === undefined ? [] : ['TIMESTAMP ?']), ...(this.table.expires ? ['TTL ?'] : [])];
    return {
      query: `UPDATE ${this.#name}${using.length > 0 ? ` USING ${using.join(' AND ')}` : ''} SET ${this.#assign} WHERE ${this.#inRow}`,
      params: [
        ...(timestamp === undefined ? [] : [BigInt(timestamp)]),
        ...this.#ttl(row),
        bytes(row.body),
        row.format,
        ...this.#key(row),
      ],
    };
  }

  /** A row of another store as it is; `ttlSeconds` null: it does not expire. */
  copy(row: RowCopy, timestamp: number, ttlSeconds: number | null): Statement {
    const isConditional = this.table.clock === 'conditional';
    return {
      query: `UPDATE ${this.#name} USING TIMESTAMP ?${this.table.expires ? ' AND TTL ?' : ''} SET ${this.#assign} WHERE ${this.#inRow}`,
      params: [
        BigInt(timestamp),
        ...(this.table.expires ? [ttlSeconds ?? 0] : []),
        bytes(row.body),
        row.format,
        ...(isConditional ? [BigInt(row.version), row.token] : []),
        ...this.#key(row),
      ],
    };
  }

  /** The head with its condition, then the rows that are written with it. */
  writeIf(write: ConditionalWrite): readonly Statement[] {
    const { expected, next } = write;
    const update = `UPDATE ${this.#name}${this.table.expires ? ' USING TTL ?' : ''} SET ${this.#assign} WHERE ${this.#inRow}`;
    const params = (row: RowWrite) => [
      ...this.#ttl(row),
      bytes(row.body),
      row.format,
      BigInt(next.version),
      next.token,
      ...this.#key(row),
    ];
    const head = params({ ...next, partition: write.partition, clustering: write.clustering });
    return [
      // A row that does not exist has a null version, like one whose cells have expired.
      expected === null
        ? { query: `${update} IF "version" = null`, params: head }
        : { query: `${update} IF "version" = ?`, params: [...head, BigInt(expected)] },
      ...(write.rows ?? []).map((row) => ({ query: update, params: params(row) })),
    ];
  }

  dropPartition(partition: Key): Statement {
    return {
      query: `DELETE FROM ${this.#name} WHERE ${this.#inPartition}`,
      params: bind(this.table.partitionKey, partition),
    };
  }

  /** In the order of their tokens. */
  partitions(): Statement {
    const names = this.table.partitionKey.map((column) => quoted(column.name)).join(', ');
    return { query: `SELECT DISTINCT ${names} FROM ${this.#name}`, params: [] };
  }

  #select(columns: string, partition: Key, clustering: Key): Statement {
    return {
      query: `SELECT ${columns} FROM ${this.#name} WHERE ${this.#inRow}`,
      params: [...bind(this.table.partitionKey, partition), ...bind(this.table.clusteringKey, clustering)],
    };
  }

  #ttl(row: RowWrite): readonly number[] {
    // In Cassandra a ttl of 0 means "never expires" and overrides the ttl that the row had before.
    return this.table.expires ? [row.ttlSeconds ?? 0] : [];
  }

  #key(row: Pick<RowWrite, 'partition' | 'clustering'>): readonly unknown[] {
    return [...bind(this.table.partitionKey, row.partition), ...bind(this.table.clusteringKey, row.clustering)];
  }
}

/** Names come from declarations and settings, but a name with a quote in it would change the statement. */
export function tableName(keyspace: string, table: Table): string {
  for (const name of [keyspace, table.name]) {
    if (!/^[a-z][a-z0-9_]{0,47}$/.test(name))
      throw new Error(`"${name}" can't name a keyspace or a table: use a-z, 0-9 and _, at most 48`);
  }
  return `${keyspace}.${table.name}`;
}

export function quoted(column: string): string {
  return `"${column}"`;
}

function equals(columns: readonly KeyColumn[]): string {
  return columns.map((column) => `${quoted(column.name)} = ?`).join(' AND ');
}

function bind(columns: readonly KeyColumn[], key: Key): readonly unknown[] {
  return key.map((value, i) => bound(columns[i]!, value));
}

function bound(column: KeyColumn, value: KeyValue): unknown {
  return column.type === 'long' ? BigInt(value) : value;
}

function bytes(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
