import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { PortError } from '#ports/errors.ts';

/** Makes commits durable that are written and not on the disk yet. */
export interface CommitSync {
  /**
   * Resolves when every commit that had returned at the call is on the disk. One call at a time. Once it rejected, with
   * `PortError` `unknown`, nobody knows what of these commits is there, and it must not be called again.
   */
  sync(): Promise<void>;
  /**
   * Asked before a transaction is opened, while no sync is under way: resolves when it may be; null: it may at once.
   */
  between?(): Promise<void> | null;
}

/**
 * The thread: it is told a file descriptor, and answers when what was written to that file until then is on the disk,
 * with null, or with the error. As a text, since a file of TypeScript would need a compiler in its memory.
 */
const THREAD = `
  const { fdatasyncSync } = require('node:fs');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (file) => {
    let error = null;
    try {
      fdatasyncSync(file);
    } catch (refused) {
      error = refused;
    }
    parentPort.postMessage(error);
  });
`;
/** Of the thread; it does nothing but wait. */
const MEMORY_MB = 8;

interface Waiting {
  resolve(): void;
  reject(error: PortError): void;
}

/**
 * Syncs the write-ahead log of a database in a thread of its own, so that the event loop does not stand still while the
 * disk works. A commit takes 0.05 ms without its sync and between 0.3 ms and, on a disk that others use, hundreds with
 * it (docs/benchmarks.md).
 *
 * The thread is not one of libuv's pool, whose threads may all be busy with uploads and with names of receivers that
 * nobody answers for. With `synchronous = NORMAL` SQLite itself syncs the log only before it copies pages from it, and
 * where it begins at its start anew, so that what is in the database file never depends on what is not on the disk.
 */
export class WalSync implements CommitSync, AsyncDisposable {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #worker: Worker;
  #file: number | null = null;
  #waiting: Waiting | null = null;
  /** Why the thread answers nothing any more; null: it lives. */
  #ended: Error | null = null;

  private constructor(database: DatabaseSync, path: string, worker: Worker) {
    this.#database = database;
    this.#path = `${path}-wal`;
    this.#worker = worker;
    worker.on('message', (error: NodeJS.ErrnoException | null) => this.#settle(error));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('its thread has ended')));
  }

  /** `path`: the file of `database`, whose commits are no longer on the disk when they return. */
  static async start(database: DatabaseSync, path: string): Promise<WalSync> {
    const worker = new Worker(THREAD, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      execArgv: [],
    });
    await once(worker, 'online');
    worker.unref();
    database.exec('PRAGMA synchronous = NORMAL');
    return new WalSync(database, path, worker);
  }

  sync(): Promise<void> {
    assert(this.#waiting === null, 'a second sync at once');
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#ended !== null) return this.#settle(this.#ended);
      // While it waits for the disk, the process must not end for want of work.
      this.#worker.ref();
      try {
        // SQLite makes the log with the first commit, and keeps the file until the database is closed.
        this.#file ??= openSync(this.#path, 'r');
        this.#worker.postMessage(this.#file);
      } catch (error) {
        this.#settle(error as Error);
      }
    });
  }

  /** Ends the thread. Commits are on the disk again when they return. */
  async [Symbol.asyncDispose](): Promise<void> {
    assert(this.#waiting === null, 'ended within a sync');
    if (this.#database.isOpen) this.#database.exec('PRAGMA synchronous = FULL');
    await this.#worker.terminate();
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** It may end while nobody waits: a sync that is asked for afterwards must fail, for no answer would come. */
  #end(error: Error): void {
    this.#ended ??= error;
    this.#settle(error);
  }

  #settle(error: Error | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#worker.unref();
    if (error === null) waiting?.resolve();
    else
      waiting?.reject(
        new PortError('unknown', `${this.#path} could not be synced to the disk: ${error.message}`, { cause: error }),
      );
  }
}
