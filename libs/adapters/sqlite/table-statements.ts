import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AddedColumn, Key, KeyColumn, Row, RowWrite, SliceOptions, Table } from '#ports/table.ts';
import { sliceStatement } from './slice-statement.ts';

/** The columns that are stored beside a row's key and body. */
export interface RowStamp {
  readonly version: number;
  readonly token: string;
  /** In turn tables the writer's timestamp; 0 elsewhere. */
  readonly timestamp: number;
}

/** The row that stayed, with which a write that was not applied has to be compared. */
export interface PresentRow {
  readonly body: Uint8Array;
  readonly format: number;
  readonly timestamp: number;
}

/** Which row a new one may replace: see `put`. */
export type ReplaceRule = 'always' | 'newer' | 'absent';

/** `body` is text in tables that hold text: SQLite hands it out as it is, and an ArrayBuffer for each row is dear. */
type StoredColumns = readonly [body: Uint8Array | string, format: number, version: number, token: string];

const ADDED_TYPES: Readonly<Record<AddedColumn['type'], string>> = { text: 'TEXT', long: 'INTEGER', bytes: 'BLOB' };
const STAMP_COLUMNS = 'format, version, token';
/**
 * Expired turn rows are kept this long: an older write that arrives late must still lose to them, as it does in
 * Cassandra.
 */
const EXPIRED_TURNS_KEPT_MS = 3_600_000;
/** Limits how many expired rows one write removes. */
const MAX_PURGED_ROWS = 100;
const PURGE_PAUSE_MS = 10_000;

/**
 * One table of the port as one table of SQLite, and its statements. Everything is synchronous; writes must run inside a
 * group commit. Text is compared by bytes (BINARY), and the primary key is the clustering order, so a slice is a seek
 * and a scan. Rows are stored in the order of arrival, their keys in an index: stored in key order, a page of full rows
 * would be split, and so written together with its neighbours, by every few rows that arrive between others.
 */
export class TableStatements {
  readonly #database: DatabaseSync;
  readonly #table: Table;
  readonly #partitionWhere: string;
  readonly #keyNames: readonly string[];
  readonly #keyWhere: string;
  readonly #stored: string;
  /** Cached by range: a few dozen for each table, since keys and limits are always bound. */
  readonly #slices = new Map<string, StatementSync>();
  readonly #puts: Partial<Record<ReplaceRule, StatementSync>> = {};
  #read: StatementSync | undefined;
  #stayed: StatementSync | undefined;
  #drop: StatementSync | undefined;
  #expire: StatementSync | undefined;
  #purgeAt = 0;

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database;
    this.#table = table;
    this.#partitionWhere = table.partitionKey.map((column) => `"${column.name}" = ?`).join(' AND ');
    this.#keyNames = [...table.partitionKey, ...table.clusteringKey].map((column) => `"${column.name}"`);
    this.#keyWhere = this.#keyNames.map((name) => `${name} = ?`).join(' AND ');
    this.#stored = `${table.holdsText === true ? 'CAST(body AS TEXT)' : 'body'}, ${STAMP_COLUMNS}`;
    this.#create();
  }

  read(partition: Key, clustering: Key, now: number): Row | null {
    this.#read ??= this.#prepare(
      `SELECT ${this.#stored} FROM "${this.#table.name}" WHERE ${this.#keyWhere}${this.#alive()}`,
    );
    const stored = this.#read.get(...partition, ...clustering, ...this.#aliveAt(now)) as unknown as
      StoredColumns | undefined;
    return stored === undefined ? null : presented([...partition], [...clustering], stored);
  }

  slice(partition: Key, options: SliceOptions, now: number): readonly Row[] {
    const { where, values } = sliceStatement(this.#table, options);
    let statement = this.#slices.get(where);
    if (statement === undefined) {
      statement = this.#prepare(this.sliceSql(where));
      this.#slices.set(where, statement);
    }
    const rows = statement.all(
      ...partition,
      ...values,
      ...this.#aliveAt(now),
      options.limit,
    ) as unknown as (StoredColumns & Key)[];
    const own = [...partition];
    return rows.map((row) => presented(own, row.slice(4) as Key, row));
  }

  sliceSql(where: string): string {
    const columns = this.#table.clusteringKey;
    const selected = columns.map((column) => `, "${column.name}"`).join('');
    const order = columns.length === 0 ? '' : ` ORDER BY ${columns.map(directed)}`;
    return `SELECT ${this.#stored}${selected} FROM "${this.#table.name}" WHERE ${this.#partitionWhere}${where}${this.#alive()}${order} LIMIT ?`;
  }

  /**
   * Writes the row unless the existing one has to stay: `newer` keeps a row that is not older, `absent` any row that
   * has not expired, `always` none. Returns the row that stayed, or null when this one was written.
   */
  put(row: RowWrite, stamp: RowStamp, over: ReplaceRule, now: number): PresentRow | null {
    const statement = (this.#puts[over] ??= this.#prepare(this.#putSql(over)));
    const expiresAt = row.ttlSeconds === undefined ? null : now + row.ttlSeconds * 1000;
    const { changes } = statement.run(
      ...row.partition,
      ...row.clustering,
      row.body,
      row.format,
      stamp.version,
      stamp.token,
      stamp.timestamp,
      expiresAt,
      ...(over === 'absent' ? [now] : []),
    );
    // Read first: the row that stayed may itself have expired long ago, and then it is removed here.
    const stayed = changes === 0 ? this.#present(row) : null;
    if (this.#table.expires === true) this.#purge(now);
    return stayed;
  }

  dropPartition(partition: Key): void {
    this.#drop ??= this.#prepare(`DELETE FROM "${this.#table.name}" WHERE ${this.#partitionWhere}`);
    this.#drop.run(...partition);
  }

  /** Keys of partitions in their order, after `after`. */
  partitions(after: Key | null, limit: number, now: number): readonly Key[] {
    const names = this.#table.partitionKey.map((column) => `"${column.name}"`);
    const where = after === null ? 'true' : `(${names}) > (${names.map(() => '?')})`;
    const sql = `SELECT DISTINCT ${names} FROM "${this.#table.name}" WHERE ${where}${this.#alive()} ORDER BY ${names} LIMIT ?`;
    return this.#prepare(sql).all(...(after ?? []), ...this.#aliveAt(now), limit) as unknown as readonly Key[];
  }

  #create(): void {
    const { name, partitionKey, clusteringKey, expires } = this.#table;
    const columns = [...partitionKey, ...clusteringKey].map(
      (column) => `"${column.name}" ${column.type === 'text' ? 'TEXT' : 'INTEGER'} NOT NULL`,
    );
    this.#database.exec(`
      CREATE TABLE IF NOT EXISTS "${name}" (
        ${columns},
        body BLOB NOT NULL, format INTEGER NOT NULL, version INTEGER NOT NULL, token TEXT NOT NULL,
        timestamp INTEGER NOT NULL, expires_at INTEGER,
        PRIMARY KEY (${[...partitionKey, ...clusteringKey].map(directed)})
      ) STRICT
    `);
    this.#addColumns();
    if (expires !== true) return;
    this.#database.exec(
      `CREATE INDEX IF NOT EXISTS "${name}_expires" ON "${name}" (expires_at) WHERE expires_at IS NOT NULL`,
    );
  }

  /** Those that a later release added to a table that is there; releases before it leave them alone. */
  #addColumns(): void {
    const { name, added = [] } = this.#table;
    if (added.length === 0) return;
    const columns = this.#database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all();
    const present = new Set(columns.map((column) => column['name']));
    for (const column of added)
      if (!present.has(column.name))
        this.#database.exec(`ALTER TABLE "${name}" ADD COLUMN "${column.name}" ${ADDED_TYPES[column.type]}`);
  }

  #putSql(over: ReplaceRule): string {
    const columns = [...this.#keyNames, 'body', 'format', 'version', 'token', 'timestamp', 'expires_at'];
    const updates = columns.slice(this.#keyNames.length).map((column) => `${column} = excluded.${column}`);
    const condition = {
      always: '',
      newer: ` WHERE excluded.timestamp > "${this.#table.name}".timestamp`,
      absent: ` WHERE expires_at <= ?`,
    }[over];
    return `INSERT INTO "${this.#table.name}" (${columns}) VALUES (${columns.map(() => '?')}) ON CONFLICT DO UPDATE SET ${updates}${condition}`;
  }

  #present(row: RowWrite): PresentRow {
    this.#stayed ??= this.#prepare(`SELECT body, format, timestamp FROM "${this.#table.name}" WHERE ${this.#keyWhere}`);
    const [body, format, timestamp] = this.#stayed.get(...row.partition, ...row.clustering) as unknown as [
      Uint8Array,
      number,
      number,
    ];
    return { body, format, timestamp };
  }

  #alive(): string {
    return this.#table.expires === true ? ' AND (expires_at IS NULL OR expires_at > ?)' : '';
  }

  #aliveAt(now: number): readonly number[] {
    return this.#table.expires === true ? [now] : [];
  }

  #purge(now: number): void {
    if (now < this.#purgeAt) return;
    const { name, clock } = this.#table;
    const before = clock === 'turn' ? now - EXPIRED_TURNS_KEPT_MS : now;
    this.#expire ??= this.#prepare(
      `DELETE FROM "${name}" WHERE (${this.#keyNames}) IN (SELECT ${this.#keyNames} FROM "${name}" WHERE expires_at <= ? LIMIT ${MAX_PURGED_ROWS})`,
    );
    const { changes } = this.#expire.run(before);
    // The limit was reached, so more rows have expired: the next write removes them.
    if (changes < MAX_PURGED_ROWS) this.#purgeAt = now + PURGE_PAUSE_MS;
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

function directed(column: KeyColumn): string {
  return `"${column.name}"${column.order === 'desc' ? ' DESC' : ''}`;
}

/** With keys that no caller has. */
function presented(partition: Key, clustering: Key, [body, format, version, token]: StoredColumns): Row {
  if (typeof body === 'string') return new TextRow(partition, clustering, body, format, version, token);
  return { partition, clustering, body, format, version, token };
}

/** A class, as V8 is slow to make an object that has a getter of its own. */
class TextRow implements Row {
  readonly partition: Key;
  readonly clustering: Key;
  readonly text: string;
  readonly format: number;
  readonly version: number;
  readonly token: string;

  constructor(partition: Key, clustering: Key, text: string, format: number, version: number, token: string) {
    this.partition = partition;
    this.clustering = clustering;
    this.text = text;
    this.format = format;
    this.version = version;
    this.token = token;
  }

  get body(): Uint8Array {
    return Buffer.from(this.text, 'utf8');
  }
}
