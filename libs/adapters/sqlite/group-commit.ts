import assert from 'node:assert/strict';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import { storageFailure } from './storage-failure.ts';
import type { CommitSync } from './wal-sync.ts';

/** What hears of the commits of a database. */
export interface CommitListener {
  /**
   * Works were carried out and are not durable yet. Works that follow from this without waiting for anything but
   * settled promises are in the same commit.
   */
  afterWorks(): void;
  /** A commit failed: its works and all behind it are rejected. Called before any of their callers goes on. */
  afterFailure(): void;
}

export interface GroupCommitOptions {
  /** Left out: commits of the database are on the disk when they return. */
  readonly sync?: CommitSync;
  /** Once, when a sync failed: the process has to end, as only a restart finds what is on the disk. */
  readonly onBroken?: (error: PortError) => void;
  /** Milliseconds. Default: those of the process. */
  readonly monotonic?: () => number;
}

export interface WorkOptions {
  /** Works behind this one may stand on it: an error of its own fails the whole commit. Default: false. */
  readonly carries?: boolean;
  /** False: it only reads, which nothing has to be synced for. Default: true. */
  readonly writes?: boolean;
  /**
   * Called once it is known, with whether the work is durable: in the order of the works, before any caller goes on.
   */
  readonly onSettled?: (isDurable: boolean) => void;
}

interface Entry extends WorkOptions {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * A transaction that has kept the event loop for so long takes no further work: those that wait are in the next one. A
 * Variant's own works are fewer than `FEW_WORKS`, and stay together on a machine that is slow.
 */
const MAX_OPEN_MS = 10;
const FEW_WORKS = 64;
const MAX_WORKS_PER_COMMIT = 512;
/** Of works that follow from works of the same commit, one generation after the other. */
const MAX_ROUNDS = 16;

const BEHIND = new PortError('unavailable', 'a write before this one failed');

/** A transaction that is open, and what it carried out so far. */
interface Window {
  readonly batch: Entry[];
  outcomes: Outcome[];
  /** A work of it threw an error of its own: each work is in a savepoint. */
  isApart: boolean;
  rounds: number;
  readonly openedAt: number;
}

/**
 * One fsync for all the writes that arrive in the same turn of the event loop, or while the disk is busy with those
 * before.
 *
 * Modes: *idle* (nothing waits) -> *scheduled* by the first `enqueue` -> *open* at the next setImmediate: a
 * transaction in which the works that wait are carried out, and after them, in rounds, the works that follow from them
 * without waiting for anything but settled promises -> committed, which is synchronous, and *syncing* -> *idle*, or
 * *scheduled* again when more waits. `close` leads from any of them to *closed*, which accepts no work. The sync may
 * ask for a pause before the next transaction is opened, in which the loop turns and works collect, too. While a commit
 * is synced the event loop turns and works collect: the group grows with the load by itself, and a lone write is not
 * delayed. Without a `CommitSync` the commit itself syncs, and the loop stands still as long.
 *
 * While it is open, nothing runs but what was settled: the event loop goes no further. A read of the database then, and
 * until the sync has ended, sees what may be taken back, so readers wait for `whenClosed` unless they stand on it
 * themselves.
 *
 * Works are durable in the order in which they were enqueued: a failed commit fails all that wait behind it too, as
 * they may stand on what it would have written.
 *
 * A sync that failed leads to *broken*, for good: what was committed stands in the memory of this process, and whether
 * it is on the disk only a recovery at the next start can tell. The operating system may count the pages as written, so
 * a second sync that succeeds would say nothing. All works are rejected from then on, and the process has to end.
 *
 * A commit that syncs by itself and fails in it is rolled back and leaves the store *unsettled*: its record may still
 * be found by a recovery. The next commit then writes a page of its own, whatever its works do, which overwrites that
 * record's place in the WAL and settles the outcome.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #options: GroupCommitOptions;
  readonly #statements: Readonly<Record<'begin' | 'commit' | 'save' | 'release' | 'undo', StatementSync>>;
  #waiting: Entry[] = [];
  #scheduled = false;
  #unsettled = false;
  #window: Window | null = null;
  #syncing = false;
  #broken: PortError | null = null;
  #onClosed: ((isCommitted: boolean) => void)[] = [];
  #listener: CommitListener | null = null;
  #closed: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(database: DatabaseSync, options: GroupCommitOptions = {}) {
    this.#database = database;
    this.#options = options;
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
  enqueue<T>(work: () => T, options: WorkOptions = {}): Promise<T> {
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.reject(refusal);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...options, work, resolve: resolve as (value: unknown) => void, reject });
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

  /** A transaction is open or not synced yet: what a statement reads now may be taken back. */
  get isOpen(): boolean {
    return this.#window !== null || this.#syncing;
  }

  /** Why nothing that a statement reads can be relied on any more; null: it can. */
  get broken(): PortError | null {
    return this.#broken;
  }

  /** Resolves when the transaction that is open is durable or has failed, with which of both; null: none is open. */
  whenClosed(): Promise<boolean> | null {
    return this.isOpen ? new Promise((resolve) => void this.#onClosed.push(resolve)) : null;
  }

  #refusal(): PortError | null {
    if (this.#broken !== null) return new PortError('unavailable', this.#broken.message, { cause: this.#broken });
    return this.#closing === null ? null : new PortError('unavailable', 'the database is closed');
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const pause = this.#options.sync?.between?.() ?? null;
    if (pause === null) setImmediate(() => this.#open());
    else void pause.then(() => setImmediate(() => this.#open()));
  }

  #open(): void {
    assert(this.#waiting.length > 0, 'scheduled without work');
    this.#window = { batch: [], outcomes: [], isApart: false, rounds: 0, openedAt: this.#monotonic() };
    this.#round();
  }

  /** Carries out what waits; then again, once all promises are settled that this settled, or commits. */
  #round(): void {
    const window = this.#window!;
    const failure = this.#carryOut(window);
    if (failure !== null) return this.#end(window, { failure: failure.error });
    window.rounds++;
    this.#listener?.afterWorks();
    // A tick that is asked for by a promise comes when no settled promise is left.
    queueMicrotask(() =>
      process.nextTick(() => {
        const mayGoOn = window.rounds < MAX_ROUNDS && !this.#isFull(window);
        if (mayGoOn && this.#waiting.length > 0) this.#round();
        else this.#commit(window);
      }),
    );
  }

  #commit(window: Window): void {
    const { sync, onBroken } = this.#options;
    const outcomes = this.#committed(window);
    const isOnDisk = sync === undefined || window.batch.every(({ writes }) => writes === false);
    if (isOnDisk || 'failure' in outcomes) return this.#end(window, outcomes);
    this.#window = null;
    this.#syncing = true;
    sync.sync().then(
      () => this.#end(window, outcomes),
      (error: PortError) => {
        this.#broken = error;
        this.#end(window, { failure: error });
        onBroken?.(error);
      },
    );
  }

  #end({ batch }: Window, outcomes: readonly Outcome[] | { readonly failure: unknown }): void {
    this.#window = null;
    this.#syncing = false;
    // A transaction that could not even be opened has carried out nothing: its failure is that of all who wait.
    if ('failure' in outcomes) this.#failBehind(batch.length === 0 ? outcomes.failure : BEHIND);
    this.#answer(batch, outcomes);
    for (const resolve of this.#onClosed.splice(0)) resolve(!('failure' in outcomes));
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
    else this.#closed?.();
  }

  #failBehind(failure: unknown): void {
    const behind = this.#waiting.splice(0);
    this.#listener?.afterFailure();
    this.#answer(behind, { failure });
  }

  /** Null: it went well. Else the transaction is rolled back, and this is why. */
  #carryOut(window: Window): { readonly error: unknown } | null {
    const from = window.batch.length;
    try {
      if (from === 0) this.#begin();
      for (const entry of this.#waiting) {
        window.batch.push(entry);
        window.outcomes.push(window.isApart ? this.#applyApart(entry) : { value: entry.work() });
        if (this.#isFull(window)) break;
      }
      return null;
    } catch (error) {
      this.#rollBack();
      if (window.isApart || storageFailure(error) !== null) return { error: this.#failed(error) };
    } finally {
      this.#waiting.splice(0, window.batch.length - from);
    }
    // One of them threw an error of its own. All run again, each in a savepoint; savepoints are too expensive to use in
    // every commit.
    window.isApart = true;
    try {
      this.#begin();
      window.outcomes = window.batch.map((entry) => this.#applyApart(entry));
      return null;
    } catch (error) {
      this.#rollBack();
      return { error: this.#failed(error) };
    }
  }

  #committed({ outcomes }: Window): readonly Outcome[] | { readonly failure: unknown } {
    try {
      this.#statements.commit.run();
      this.#unsettled = false;
      return outcomes;
    } catch (error) {
      this.#rollBack();
      return { failure: this.#failed(error) };
    }
  }

  #isFull({ batch, openedAt }: Window): boolean {
    if (batch.length < FEW_WORKS) return false;
    return batch.length >= MAX_WORKS_PER_COMMIT || this.#monotonic() - openedAt >= MAX_OPEN_MS;
  }

  #monotonic(): number {
    return (this.#options.monotonic ?? performance.now.bind(performance))();
  }

  #begin(): void {
    this.#statements.begin.run();
    if (this.#unsettled) this.touch();
  }

  /** Some disk errors roll back by themselves, some leave the transaction open. */
  #rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  #failed(error: unknown): unknown {
    const failure = storageFailure(error);
    this.#unsettled ||= failure?.kind === 'unknown';
    return failure ?? error;
  }

  #applyApart(entry: Entry): Outcome {
    const { save, release, undo } = this.#statements;
    save.run();
    try {
      const value = entry.work();
      release.run();
      return { value };
    } catch (error) {
      if (entry.carries === true || storageFailure(error) !== null) throw error;
      undo.run();
      release.run();
      return { error };
    }
  }

  #answer(batch: readonly Entry[], outcomes: readonly Outcome[] | { readonly failure: unknown }): void {
    const answers = batch.map((_, index): Outcome => {
      if ('failure' in outcomes) return { error: outcomes.failure };
      const outcome = outcomes[index];
      assert(outcome !== undefined);
      return outcome;
    });
    batch.forEach(({ onSettled }, index) => onSettled?.('value' in answers[index]!));
    batch.forEach(({ resolve, reject }, index) => {
      const answer = answers[index]!;
      if ('error' in answer) reject(answer.error);
      else resolve(answer.value);
    });
  }
}
