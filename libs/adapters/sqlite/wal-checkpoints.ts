import { once } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

export interface WalCheckpointsOptions {
  readonly database: DatabaseSync;
  /** Its file. */
  readonly path: string;
  /**
   * A descriptor of that file, through which it is synced. It has to stay open for as long as the database: a process
   * that closes any descriptor of a file gives up all of its locks on it.
   */
  readonly file: number;
  /** Pages in the write-ahead log from which on they are copied. Default: 8,000, which are 32 MB. */
  readonly fromPages?: number;
  /** The pages stay in the log, which is as durable as the file, and are copied later. */
  readonly onFailed?: (error: Error) => void;
}

/** Pages of the log, when the pass began, and how many of them are in the file. */
interface Copied {
  readonly log: number;
  readonly checkpointed: number;
}

type Answer = Copied | { readonly error: Error };

export const FROM_PAGES = 8_000;
/** What came into the log while pages were copied is copied in a pause of the commits once it is no more than this. */
export const LAST_PAGES = 500;
/** Writers may be quicker than the disk. */
const MAX_PASSES = 3;
const MEMORY_MB = 8;

/**
 * The thread: a connection of its own, which copies what it may without waiting for anybody. SQLite syncs the file only
 * in the pass after which nothing is left to copy, which the commits wait for: what the passes before it copied is
 * synced before that. As a text, since a file of TypeScript would need a compiler in its memory.
 */
const THREAD = `
  const { fdatasyncSync } = require('node:fs');
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData: { path, file } } = require('node:worker_threads');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -256');
  const statement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort.on('message', (isLast) => {
    try {
      const { log, checkpointed } = statement.get();
      if (!isLast) fdatasyncSync(file);
      parentPort.postMessage({ log, checkpointed });
    } catch (error) {
      parentPort.postMessage({ error });
    }
  });
  parentPort.postMessage('open');
`;

/**
 * Copies pages from the write-ahead log into the database file in a thread, which SQLite otherwise does within a commit
 * each 8,000 pages: on the event loop, for as long as the disk takes.
 *
 * Modes: *idle* -> *copying*, from the first `look` that finds many pages: the thread copies while commits go on, again
 * while many came meanwhile -> *ending*: few are left -> *pausing*, from the next `between` on: the thread copies these
 * while no transaction is open, so that the log is copied whole and the next commit begins it anew -> *idle*. A reader
 * that stays at an older instant, such as a backup, keeps pages in the log: then it is tried again once as many came
 * again.
 *
 * Without its thread, which nothing ends but a defect, SQLite checkpoints by itself again.
 */
export class WalCheckpoints implements AsyncDisposable {
  readonly #options: WalCheckpointsOptions;
  readonly #worker: Worker;
  readonly #pages: StatementSync;
  #mode: 'idle' | 'copying' | 'ending' | 'pausing' | 'closed' = 'idle';
  #passes = 0;
  #from: number;
  #resume: (() => void) | null = null;

  private constructor(options: WalCheckpointsOptions, worker: Worker) {
    this.#options = options;
    this.#worker = worker;
    this.#from = this.#fromPages;
    this.#pages = options.database.prepare('PRAGMA wal_checkpoint(NOOP)');
    worker.on('message', (answer: Answer) => this.#copied(answer));
    worker.on('error', (error) => this.#ended(error));
    worker.on('exit', () => this.#ended(new Error('its thread has ended')));
  }

  static async start(options: WalCheckpointsOptions): Promise<WalCheckpoints> {
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: { path: options.path, file: options.file },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      execArgv: [],
    });
    await once(worker, 'message');
    worker.unref();
    options.database.exec('PRAGMA wal_autocheckpoint = 0');
    return new WalCheckpoints(options, worker);
  }

  /** After a commit. Costs 0.02 ms. */
  look(): void {
    if (this.#mode !== 'idle') return;
    try {
      if (this.#log().log < this.#from) return;
      this.#passes = 1;
      this.#copy('copying');
    } catch (error) {
      this.#options.onFailed?.(error as Error);
    }
  }

  /** Between two transactions: resolves when the next one may be opened; null: it may. */
  between(): Promise<void> | null {
    if (this.#mode !== 'ending') return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#copy('pausing');
    return promise;
  }

  /** Ends the thread, after the commits have. SQLite checkpoints by itself again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#byItself();
    await this.#worker.terminate();
  }

  get #fromPages(): number {
    return this.#options.fromPages ?? FROM_PAGES;
  }

  #log(): Copied {
    return this.#pages.get() as unknown as Copied;
  }

  #copy(mode: 'copying' | 'pausing'): void {
    this.#mode = mode;
    this.#worker.postMessage(mode === 'pausing');
  }

  #copied(answer: Answer): void {
    const mode = this.#mode;
    if (mode === 'closed') return;
    if ('error' in answer) {
      this.#options.onFailed?.(answer.error);
      return this.#idle(this.#from + this.#fromPages);
    }
    if (mode === 'pausing')
      return this.#idle(answer.log === answer.checkpointed ? this.#fromPages : answer.log + this.#fromPages);
    // `log` is that of when the pass began.
    const cameMeanwhile = this.#log().log - answer.log;
    if (cameMeanwhile > LAST_PAGES && this.#passes++ < MAX_PASSES) this.#copy('copying');
    else this.#mode = 'ending';
  }

  /** Copies again from so many pages in the log on. */
  #idle(from: number): void {
    this.#from = from;
    this.#mode = 'idle';
    this.#goOn();
  }

  #goOn(): void {
    this.#resume?.();
    this.#resume = null;
  }

  #ended(error: Error): void {
    if (this.#mode === 'closed') return;
    this.#options.onFailed?.(error);
    this.#byItself();
  }

  #byItself(): void {
    this.#mode = 'closed';
    if (this.#options.database.isOpen) this.#options.database.exec(`PRAGMA wal_autocheckpoint = ${FROM_PAGES}`);
    this.#goOn();
  }
}
