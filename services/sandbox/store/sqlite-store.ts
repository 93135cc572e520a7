import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '#ports/clock.ts';
import { scanBounds, type SandboxStore } from './store.ts';

const CACHED_VALUES = 10_000;

/** A checkpoint waits for the disk and blocks all requests: 16 MB of log make it rare in a burst. */
const SCHEMA = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA cache_size = -8192;
  CREATE TABLE IF NOT EXISTS kept (shelf TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (shelf, key)) WITHOUT ROWID;
`;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Unwritten {
  readonly shelf: string;
  readonly key: string;
  /** null: to be deleted. */
  readonly value: object | null;
}

/**
 * The store as one SQLite file that belongs to one process.
 *
 * Modes: clean (all is committed) -> dirty (puts wait in memory, or in an open transaction) -> clean again by a commit;
 * failed (a commit did not succeed: memory and file differ, so every later `durable` rejects); closed.
 *
 * Commits are grouped: the first `durable()` of a group arms a timer, every call before it fires shares its commit, and
 * a value that is put many times in between (a rate window, for example) is written once. With WAL and
 * synchronous=NORMAL a commit survives the death of the process, kill -9 included; a power cut may lose the last
 * moments, never the file.
 */
class SqliteStore implements SandboxStore {
  readonly #clock: Clock;
  readonly #database: DatabaseSync;
  readonly #statements;
  readonly #cache = new Map<string, object | null>();
  #unwritten = new Map<string, Unwritten>();
  #waiting: Waiter[] = [];
  #inTransaction = false;
  #commitArmed = false;
  #failure: Error | null = null;
  #closed = false;

  constructor(file: string, clock: Clock) {
    this.#clock = clock;
    this.#database = new DatabaseSync(file);
    this.#database.exec(SCHEMA);
    const prepare = (sql: string) => this.#database.prepare(sql);
    const range =
      'SELECT key, value FROM kept WHERE shelf = ?1 AND (key > ?2 OR (key = ?2 AND ?3)) AND key < ?4 AND key >= ?2 ORDER BY key';
    this.#statements = {
      get: prepare('SELECT value FROM kept WHERE shelf = ? AND key = ?'),
      put: prepare('INSERT INTO kept VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'),
      delete: prepare('DELETE FROM kept WHERE shelf = ? AND key = ?'),
      deleteBefore: prepare('DELETE FROM kept WHERE shelf = ? AND key >= ? AND key < ?'),
      ascending: prepare(`${range} ASC LIMIT ?5`),
      descending: prepare(`${range} DESC LIMIT ?5`),
    };
  }

  get(shelf: string, key: string): object | null {
    const id = `${shelf}\n${key}`;
    const cached = this.#cache.get(id);
    if (cached !== undefined) return cached;
    const row = this.#statements.get.get(shelf, key);
    const value = row === undefined ? null : (JSON.parse(row['value'] as string) as object);
    this.#remember(id, value);
    return value;
  }

  put(shelf: string, key: string, value: object): void {
    this.#write({ shelf, key, value });
  }

  delete(shelf: string, key: string): void {
    this.#write({ shelf, key, value: null });
  }

  scan(shelf: string, range: Parameters<SandboxStore['scan']>[1]) {
    this.#writeOut();
    const { from, fromIncluded, until } = scanBounds(range);
    const statement = range.descending ? this.#statements.descending : this.#statements.ascending;
    const rows = statement.all(shelf, from, fromIncluded ? 1 : 0, until, range.limit ?? -1);
    return rows.map((row) => ({ key: row['key'] as string, value: JSON.parse(row['value'] as string) as object }));
  }

  deleteBefore(shelf: string, prefix: string, until: string): void {
    this.#begin();
    this.#writeOut();
    this.#statements.deleteBefore.run(shelf, prefix, until);
    this.#cache.clear();
  }

  durable(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#unwritten.size === 0 && !this.#inTransaction) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#commitArmed) return;
      this.#commitArmed = true;
      this.#clock.after(0, () => this.#commit());
    });
  }

  trouble(): string | null {
    return this.#failure === null ? null : `the sandbox cannot keep its data: ${this.#failure.message}`;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#commit();
    this.#closed = true;
    this.#database.close();
  }

  #write(write: Unwritten): void {
    if (this.#closed) throw new Error('The sandbox store is closed.');
    const id = `${write.shelf}\n${write.key}`;
    this.#unwritten.set(id, write);
    this.#remember(id, write.value);
  }

  /** The cache always holds unwritten values, so that `get` never reads an older value from the file. */
  #remember(id: string, value: object | null): void {
    if (this.#cache.size >= CACHED_VALUES) {
      this.#writeOut();
      this.#cache.clear();
    }
    this.#cache.set(id, value);
  }

  #begin(): void {
    if (this.#inTransaction) return;
    this.#database.exec('BEGIN');
    this.#inTransaction = true;
  }

  #writeOut(): void {
    if (this.#unwritten.size === 0) return;
    this.#begin();
    const writes = this.#unwritten;
    this.#unwritten = new Map();
    for (const { shelf, key, value } of writes.values()) {
      if (value === null) this.#statements.delete.run(shelf, key);
      else this.#statements.put.run(shelf, key, JSON.stringify(value));
    }
  }

  #commit(): void {
    this.#commitArmed = false;
    if (this.#closed) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      if (this.#failure !== null) throw this.#failure;
      this.#writeOut();
      if (this.#inTransaction) this.#database.exec('COMMIT');
      this.#inTransaction = false;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      for (const waiter of waiting) waiter.reject(this.#failure);
      return;
    }
    for (const waiter of waiting) waiter.resolve();
  }
}

/** `file`: a path, or ':memory:'. `clock` paces the commits; it must be one whose timers fire by themselves. */
export function createSqliteStore(file: string, clock: Clock): SandboxStore {
  return new SqliteStore(file, clock);
}
