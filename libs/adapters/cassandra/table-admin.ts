import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { PortError } from '#ports/errors.ts';
import type { Table } from '#ports/table.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import { CassandraClient, type CassandraConnection } from './client.ts';
import { addColumn, addedColumns, createKeyspace, createTable, type Replication } from './schema.ts';
import { keyspaceDifferences, propertyDifferences, type TableProperties } from './schema-differences.ts';
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
  readonly #dataCenter: string;
  readonly #client: CassandraClient;

  constructor(options: CassandraTableAdminOptions) {
    this.#keyspace = options.keyspace;
    this.#replication = options.replication;
    this.#dataCenter = options.localDataCenter;
    this.#client = new CassandraClient(options);
  }

  async plan(tables: readonly Table[]): Promise<readonly string[]> {
    const release = await this.#release();
    const space = (await this.#keyspaceExists()) ? [] : [createKeyspace(this.#keyspace, this.#replication)];
    const additions = await this.#additions(tables);
    return [...space, ...additions.map((addition) => this.#statementFor(addition, release))];
  }

  async ensureFoundation(lockTable: Table): Promise<readonly string[]> {
    const run: string[] = [];
    if (!(await this.#keyspaceExists()))
      run.push(await this.#define(createKeyspace(this.#keyspace, this.#replication)));
    if (!(await this.#shapes()).has(lockTable.name)) {
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
    for (const addition of await this.#additions(tables)) {
      await beforeEach();
      run.push(await this.#define(this.#statementFor(addition, release)));
    }
    return run;
  }

  async differences(tables: readonly Table[], { copies }: { readonly copies: number }): Promise<readonly string[]> {
    const query = 'SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?';
    const [space] = (await this.#client.read({ query, params: [this.#keyspace] })).rows;
    if (space === undefined) return [`keyspace ${this.#keyspace} is missing`];
    const found = {
      replication: space['replication'] as Record<string, string>,
      durableWrites: space['durable_writes'] === true,
    };
    const [shapes, properties] = [await this.#shapes(), await this.#properties()];
    return [
      ...keyspaceDifferences(this.#keyspace, found, { dataCenter: this.#dataCenter, copies }),
      ...tables.flatMap((table) => {
        const [name, is] = [tableName(this.#keyspace, table), shapes.get(table.name)];
        if (is === undefined) return [`table ${name} is missing`];
        const lacking = columnsOf(table).filter((column) => !is.includes(column));
        const columns = lacking.map(
          (column) => `table ${name} is without "${column}": it has ${is.toSorted().join(', ')}`,
        );
        return [...columns, ...propertyDifferences(name, table, properties.get(table.name) ?? null)];
      }),
    ];
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

  /** What tables lack of what is declared. Rejects `refused` when a key or a type differs. */
  async #additions(tables: readonly Table[]): Promise<readonly Addition[]> {
    const shapes = await this.#shapes();
    return tables.flatMap((table): readonly Addition[] => {
      const is = shapes.get(table.name);
      if (is === undefined) return [{ table, column: null }];
      const named = (name: string): boolean => is.some((column) => column.split(' ')[2] === name);
      const columns = addedColumns(table).filter(({ name }) => !named(name));
      const added = new Set(columns.map(regular));
      const lacking = columnsOf(table).filter((column) => !is.includes(column) && !added.has(column));
      if (lacking.length === 0) return columns.map((column) => ({ table, column }));
      throw new PortError(
        'refused',
        `table ${tableName(this.#keyspace, table)} exists, but without "${lacking.join('", "')}": ${is.toSorted().join(', ')}`,
      );
    });
  }

  /** The columns of each table, as `columnsOf` gives them. */
  async #shapes(): Promise<ReadonlyMap<string, readonly string[]>> {
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
    return shapes;
  }

  async #properties(): Promise<ReadonlyMap<string, TableProperties>> {
    const query = 'SELECT table_name, gc_grace_seconds, compaction FROM system_schema.tables WHERE keyspace_name = ?';
    const { rows } = await this.#client.read({ query, params: [this.#keyspace] });
    return new Map(
      rows.map((row) => [
        String(row['table_name']),
        {
          graceSeconds: Number(row['gc_grace_seconds']),
          compaction: (row['compaction'] as Record<string, string>)['class'] ?? '',
        },
      ]),
    );
  }

  #statementFor({ table, column }: Addition, release: string): string {
    return column === null ? createTable(this.#keyspace, table, { release }) : addColumn(this.#keyspace, table, column);
  }
}

/** A table that is missing, or a column of one that is there. */
interface Addition {
  readonly table: Table;
  /** null: the whole table. */
  readonly column: { readonly name: string; readonly type: string } | null;
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

function regular({ name, type }: { readonly name: string; readonly type: string }): string {
  return `regular 0 ${name} ${type}`;
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
    ...addedColumns(table).map(regular),
    ...(table.clock === 'conditional' ? ['regular 0 version bigint', 'regular 0 token text'] : []),
  ];
}

/** A name-based UUID, so that every process computes the same one. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
