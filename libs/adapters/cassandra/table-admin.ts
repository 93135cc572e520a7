import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { PortError } from '#ports/errors.ts';
import type { Table } from '#ports/table.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import { CassandraClient, type CassandraConnection } from './client.ts';
import { createKeyspace, createTable, type Replication } from './schema.ts';
import { TableCql, tableName } from './cql.ts';

export interface CassandraTableAdminOptions extends CassandraConnection {
  readonly keyspace: string;
  readonly replication: Replication;
}

const STATEMENT_DEADLINE_MS = 60_000;
const AGREEMENT_POLL_MS = 200;
const KNOWN_WITHIN_MS = 10_000;

export function createCassandraTableAdmin(options: CassandraTableAdminOptions): TableAdmin {
  return new CassandraTableAdmin(options);
}

class CassandraTableAdmin implements TableAdmin {
  readonly #keyspace: string;
  readonly #replication: Replication;
  readonly #client: CassandraClient;

  constructor(options: CassandraTableAdminOptions) {
    this.#keyspace = options.keyspace;
    this.#replication = options.replication;
    this.#client = new CassandraClient(options);
  }

  async plan(tables: readonly Table[]): Promise<readonly string[]> {
    const release = await this.#release();
    const space = (await this.#keyspaceExists()) ? [] : [createKeyspace(this.#keyspace, this.#replication)];
    const missing = await this.#missing(tables);
    return [...space, ...missing.map((table) => createTable(this.#keyspace, table, { release }))];
  }

  async ensureFoundation(lockTable: Table): Promise<readonly string[]> {
    const run: string[] = [];
    if (!(await this.#keyspaceExists()))
      run.push(await this.#define(createKeyspace(this.#keyspace, this.#replication)));
    if ((await this.#missing([lockTable])).length > 0) {
      // There is no lock yet, so two processes may create this table through two nodes at once. That would make two
      // tables of one name and lose writes. With a fixed id they create the same one.
      const id = idOf(tableName(this.#keyspace, lockTable));
      const statement = createTable(this.#keyspace, lockTable, { release: await this.#release(), id });
      run.push(await onceKnown(() => this.#define(statement)));
    }
    const anything = (columns: Table['partitionKey']) => columns.map((column) => (column.type === 'long' ? 0 : '-'));
    const probe = new TableCql(this.#keyspace, lockTable).read(
      anything(lockTable.partitionKey),
      anything(lockTable.clusteringKey),
    );
    await onceKnown(() => this.#client.read(probe));
    return run;
  }

  async ensureTables(tables: readonly Table[], beforeEach: () => Promise<void>): Promise<readonly string[]> {
    const run: string[] = [];
    const release = await this.#release();
    for (const table of await this.#missing(tables)) {
      await beforeEach();
      run.push(await this.#define(createTable(this.#keyspace, table, { release })));
    }
    return run;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #define(statement: string): Promise<string> {
    await this.#client.define(statement, STATEMENT_DEADLINE_MS);
    await this.#agreement();
    return statement;
  }

  /**
   * Waits until all nodes that are up report one version of the schema: a node may otherwise receive a statement before
   * it knows the table.
   */
  async #agreement(): Promise<void> {
    const giveUpAt = performance.now() + STATEMENT_DEADLINE_MS;
    for (;;) {
      const peers = await this.#client.read({ query: 'SELECT schema_version FROM system.peers_v2', params: [] });
      const local = await this.#client.read({ query: 'SELECT schema_version FROM system.local', params: [] });
      const versions = new Set([...peers.rows, ...local.rows].map((row) => String(row['schema_version'])));
      if (versions.size <= 1) return;
      if (performance.now() > giveUpAt)
        throw new PortError('unavailable', `Cassandra: nodes disagree on the schema: ${[...versions].join(', ')}`);
      await sleep(AGREEMENT_POLL_MS);
    }
  }

  async #release(): Promise<string> {
    const { rows } = await this.#client.read({ query: 'SELECT release_version FROM system.local', params: [] });
    return String(rows[0]?.['release_version']);
  }

  async #keyspaceExists(): Promise<boolean> {
    const query = 'SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?';
    return (await this.#client.read({ query, params: [this.#keyspace] })).rows.length > 0;
  }

  async #missing(tables: readonly Table[]): Promise<readonly Table[]> {
    const query =
      'SELECT table_name, column_name, kind, position, type, clustering_order FROM system_schema.columns WHERE keyspace_name = ?';
    const { rows } = await this.#client.read({ query, params: [this.#keyspace] });
    const shapes = new Map<string, string[]>();
    for (const row of rows) {
      const [table, name, kind, position] = ['table_name', 'column_name', 'kind', 'position'].map((column) =>
        String(row[column]),
      );
      const shape = shapes.get(table!) ?? [];
      shape.push(
        [
          kind,
          kind === 'regular' ? 0 : position,
          name,
          row['type'],
          kind === 'clustering' ? row['clustering_order'] : '',
        ]
          .join(' ')
          .trimEnd(),
      );
      shapes.set(table!, shape);
    }
    return tables.filter((table) => {
      const is = shapes.get(table.name);
      if (is === undefined) return true;
      const lacking = columnsOf(table).filter((column) => !is.includes(column));
      if (lacking.length > 0) {
        throw new PortError(
          'refused',
          `table ${tableName(this.#keyspace, table)} exists, but without "${lacking.join('", "')}": ${is.toSorted().join(', ')}`,
        );
      }
      return false;
    });
  }
}

/**
 * While another process creates a keyspace or a table, a node lists it shortly before it accepts statements on it, and
 * answers that it does not exist.
 */
async function onceKnown<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + KNOWN_WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // A node that has learnt of the table in part fails internally, with `Unknown CF` and the id.
      const unheard = error instanceof PortError && (error.kind === 'refused' || error.message.includes('Unknown CF'));
      if (!unheard || performance.now() > giveUpAt) throw error;
    }
    await sleep(AGREEMENT_POLL_MS);
  }
}

/** A column as `kind position name type order`, as system_schema.columns holds it. */
function columnsOf(table: Table): readonly string[] {
  const type = (column: { readonly type: 'text' | 'long' }) => (column.type === 'long' ? 'bigint' : 'text');
  return [
    ...table.partitionKey.map((column, i) => `partition_key ${i} ${column.name} ${type(column)}`),
    ...table.clusteringKey.map(
      (column, i) => `clustering ${i} ${column.name} ${type(column)} ${column.order ?? 'asc'}`,
    ),
    'regular 0 body blob',
    'regular 0 format int',
    ...(table.clock === 'conditional' ? ['regular 0 version bigint', 'regular 0 token text'] : []),
  ];
}

/** A name-based UUID, so that every process computes the same one. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
