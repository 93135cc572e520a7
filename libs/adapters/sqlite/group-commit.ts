import assert from 'node:assert/strict';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import { storageFailure } from './storage-failure.ts';

/** What hears of the commits of a database. */
export interface CommitListener {
  /**
   * In the turn of the event loop that commits, right before it does. Works that follow from this without waiting for
   * anything but settled promises are in the same commit.
   */
  beforeCommit(): void;
  /** A commit failed: its works and all behind it are rejected. Called before any of their callers goes on. */
  afterFailure(): void;
}

interface Entry {
  readonly work: () => unknown;
  /** Works behind this one may stand on it: an error of its own fails the whole commit. */
  readonly carries: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Bounds how long one transaction blocks the event loop; the remaining works follow in the next turn. */
const MAX_WORKS_PER_COMMIT = 512;

/**
 * One fsync for all the writes that arrive in the same turn of the event loop.
 *
 * Modes: *idle* (nothing waits) -> *scheduled* by the first `enqueue` -> *committing* at the next setImmediate, wholly
 * synchronous, -> *idle*, or *scheduled* again when more waits. `close` leads from any of them to *closed*, which
 * accepts no work. While the commit's fsync blocks the loop, requests collect in the sockets: the group grows with the
 * load by itself, and a lone write is not delayed.
 *
 * Works are durable in the order in which they were enqueued: a failed commit fails all that wait behind it too, as
 * they may stand on what it would have written.
 *
 * A commit whose fsync failed leaves the store *unsettled*: its record may still be found by a recovery. The next
 * commit then writes a page of its own, whatever its works do, which overwrites that record's place in the WAL and
 * settles the outcome.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<'begin' | 'commit' | 'save' | 'release' | 'undo', StatementSync>>;
  #waiting: Entry[] = [];
  #scheduled = false;
  #unsettled = false;
  #listener: CommitListener | null = null;
  #closed: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      save: database.prepare('SAVEPOINT work'),
      release: database.prepare('RELEASE work'),
      undo: database.prepare('ROLLBACK TO work'),
    };
  }

  /**
   * Runs `work` (synchronous statements on this database, no transaction of its own) in a transaction shared with its
   * neighbours, in order of arrival. Resolves with its value after the transaction is on the disk. An error of `work`
   * rejects this promise alone and undoes this work alone; its neighbours then run a second time, on the state they
   * found the first time. If the work `carries` others, its error fails the commit. A failed commit rejects every work
   * of it: `PortError` `unavailable` (rolled back), or `unknown` (the fsync failed); those that wait behind it were not
   * begun, and are rejected as `unavailable`.
   */
  enqueue<T>(work: () => T, { carries = false }: { readonly carries?: boolean } = {}): Promise<T> {
    if (this.#closing !== null) return Promise.reject(new PortError('unavailable', 'the database is closed'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, carries, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /**
   * Accepts no new work and resolves when everything enqueued has been answered. The database stays open. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#closed = resolve;
      if (!this.#scheduled) resolve();
    });
    return this.#closing;
  }

  /** There is at most one listener. */
  listen(listener: CommitListener): void {
    assert(this.#listener === null, 'a second listener of commits');
    this.#listener = listener;
  }

  /**
   * For a work: a write that changes no data. Setting the user version writes the first page even when it stays the
   * same.
   */
  touch(): void {
    const version = this.#database.prepare('PRAGMA user_version').get()?.['user_version'];
    this.#database.exec(`PRAGMA user_version = ${Number(version)}`);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Both run in one phase of the event loop, with all promises that are settled in between.
    if (this.#listener !== null) setImmediate(() => this.#listener?.beforeCommit());
    setImmediate(() => {
      assert(this.#waiting.length > 0, 'scheduled without work');
      const batch = this.#waiting.splice(0, MAX_WORKS_PER_COMMIT);
      const outcomes = this.#commit(batch);
      if ('failure' in outcomes) this.#failBehind();
      this.#answer(batch, outcomes);
      this.#scheduled = false;
      if (this.#waiting.length > 0) this.#schedule();
      else this.#closed?.();
    });
  }

  #failBehind(): void {
    const behind = this.#waiting.splice(0);
    this.#listener?.afterFailure();
    this.#answer(behind, { failure: new PortError('unavailable', 'a write before this one failed') });
  }

  /** The outcome of each work; or, when the commit failed, the outcome of all of them. */
  #commit(batch: readonly Entry[]): readonly Outcome[] | { readonly failure: unknown } {
    try {
      return this.#transact(() => batch.map(({ work }) => ({ value: work() })));
    } catch (error) {
      if (storageFailure(error) !== null) return this.#failed(error);
    }
    // One of them threw an error of its own. All run again, each in a savepoint; savepoints are too expensive to use in
    // every commit.
    try {
      return this.#transact(() => batch.map((entry) => this.#applyApart(entry)));
    } catch (error) {
      return this.#failed(error);
    }
  }

  #transact<T>(apply: () => T): T {
    const { begin, commit } = this.#statements;
    try {
      begin.run();
      if (this.#unsettled) this.touch();
      const outcome = apply();
      commit.run();
      this.#unsettled = false;
      return outcome;
    } catch (error) {
      // Some disk errors roll back by themselves, some leave the transaction open.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #failed(error: unknown): { readonly failure: unknown } {
    const failure = storageFailure(error);
    this.#unsettled ||= failure?.kind === 'unknown';
    return { failure: failure ?? error };
  }

  #applyApart(entry: Entry): Outcome {
    const { save, release, undo } = this.#statements;
    save.run();
    try {
      const value = entry.work();
      release.run();
      return { value };
    } catch (error) {
      if (entry.carries || storageFailure(error) !== null) throw error;
      undo.run();
      release.run();
      return { error };
    }
  }

  #answer(batch: readonly Entry[], outcomes: readonly Outcome[] | { readonly failure: unknown }): void {
    batch.forEach((entry, index) => {
      if ('failure' in outcomes) return entry.reject(outcomes.failure);
      const outcome = outcomes[index];
      assert(outcome !== undefined);
      if ('error' in outcome) entry.reject(outcome.error);
      else entry.resolve(outcome.value);
    });
  }
}
