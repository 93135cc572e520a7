import type { Sending, SendFileOptions } from './send-file.ts';

export interface Reservation {
  readonly assetId: string;
  readonly uploadUrl: string;
}

/** Why a step failed. `isPassing`: the same may succeed in a moment, such as when there is no connection. */
export interface StepProblem {
  readonly code: string;
  /** For a person. */
  readonly message: string;
  readonly isPassing: boolean;
}

/** How far the upload of one file is. `away`: the connection was lost, and it goes on by itself. */
export type UploadState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sending'; readonly sentBytes: number }
  | { readonly kind: 'away' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'done'; readonly assetId: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface UploadQueueOptions {
  readonly reserve: (file: File) => Promise<Reservation>;
  readonly complete: (assetId: string) => Promise<void>;
  /** Its failure is no matter: what nobody uses is removed by the server after a while. */
  readonly remove: (assetId: string) => Promise<void>;
  readonly send: (options: SendFileOptions) => Promise<Sending>;
  /** What a rejection of `reserve` and `complete` means. */
  readonly problemOf: (error: unknown) => StepProblem;
  /** Resolves when it is worth trying again; `tries` begins with 1. Rejects when `signal` aborts. */
  readonly untilNextTry: (tries: number, signal: AbortSignal) => Promise<void>;
  readonly onState: (key: string, state: UploadState) => void;
}

/** Side by side: more make each slower, and fewer leave the line idle between two. */
const MAX_AT_ONCE = 3;
/** How often a file is sent from its beginning because the server has lost or ended its upload. */
const MAX_RESTARTS = 3;

interface Entry {
  readonly key: string;
  readonly file: File;
  readonly abort: AbortController;
  /** Reserved at the server and not done: to be removed when it is given up. */
  assetId: string | null;
}

/**
 * Uploads of files, at most three at once, in the order in which they were added. Each goes: *waiting*, *sending*,
 * *checking* (the server looks at the bytes), *done*; a lost connection leads to *away* and back to where it was; what
 * the server refuses is *failed*. `cancel` ends it in any mode, and nothing more is told of it.
 */
export class UploadQueue {
  readonly #options: UploadQueueOptions;
  readonly #waiting: Entry[] = [];
  readonly #running = new Map<string, Entry>();

  constructor(options: UploadQueueOptions) {
    this.#options = options;
  }

  add(key: string, file: File): void {
    this.cancel(key);
    this.#waiting.push({ key, file, abort: new AbortController(), assetId: null });
    this.#options.onState(key, { kind: 'waiting' });
    this.#startNext();
  }

  cancel(key: string): void {
    const waits = this.#waiting.findIndex((entry) => entry.key === key);
    if (waits !== -1) this.#waiting.splice(waits, 1);
    const entry = this.#running.get(key);
    if (entry === undefined) return;
    this.#end(entry);
    if (entry.assetId !== null) this.#options.remove(entry.assetId).catch(() => {});
    this.#startNext();
  }

  /** The page is left. Reservations stay: the same files may be sent again from another page. */
  close(): void {
    this.#waiting.length = 0;
    for (const entry of [...this.#running.values()]) this.#end(entry);
  }

  #end(entry: Entry): void {
    this.#running.delete(entry.key);
    entry.abort.abort();
  }

  #startNext(): void {
    while (this.#running.size < MAX_AT_ONCE) {
      const entry = this.#waiting.shift();
      if (entry === undefined) return;
      this.#running.set(entry.key, entry);
      void this.#run(entry);
    }
  }

  async #run(entry: Entry): Promise<void> {
    const state = await this.#upload(entry).catch((error: unknown): UploadState => ({
      kind: 'failed',
      message: this.#options.problemOf(error).message,
    }));
    if (entry.abort.signal.aborted) return;
    this.#running.delete(entry.key);
    this.#options.onState(entry.key, state);
    this.#startNext();
  }

  async #upload(entry: Entry): Promise<UploadState> {
    for (let restarts = 0; ; restarts++) {
      const { assetId, uploadUrl } = await this.#outlasting(entry, () => this.#options.reserve(entry.file));
      entry.assetId = assetId;
      const refused = (await this.#send(entry, uploadUrl)) ?? (await this.#complete(entry, assetId));
      if (refused === null) return { kind: 'done', assetId };
      // The time for the upload was over, or bytes are missing: the server has removed it, and takes it anew.
      const isGone = ['forbidden', 'upload_incomplete', 'not_found', 'media_unavailable'].includes(refused.code);
      if (!isGone || restarts === MAX_RESTARTS) return { kind: 'failed', message: refused.message };
    }
  }

  /** Null: all of it was sent. A part that was sent before a connection was lost is sent again. */
  async #send(
    { key, file, abort: { signal } }: Entry,
    url: string,
  ): Promise<Pick<StepProblem, 'code' | 'message'> | null> {
    for (let tries = 1; ; tries++) {
      this.#tell(key, signal, { kind: 'sending', sentBytes: 0 });
      const onProgress = (sentBytes: number) => this.#tell(key, signal, { kind: 'sending', sentBytes });
      const sending = await this.#options.send({ url, contentType: file.type, file, signal, onProgress });
      if (sending.kind === 'sent') return null;
      if (sending.kind === 'refused') return sending;
      this.#tell(key, signal, { kind: 'away' });
      await this.#options.untilNextTry(tries, signal);
    }
  }

  async #complete(entry: Entry, assetId: string): Promise<StepProblem | null> {
    const { key, abort } = entry;
    this.#tell(key, abort.signal, { kind: 'checking' });
    try {
      await this.#outlasting(entry, () => this.#options.complete(assetId));
      return null;
    } catch (error) {
      return this.#options.problemOf(error);
    }
  }

  /** The same step again for as long as only the connection or a busy server is in the way. */
  async #outlasting<T>({ key, abort: { signal } }: Entry, step: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (!this.#options.problemOf(error).isPassing) throw error;
        this.#tell(key, signal, { kind: 'away' });
        await this.#options.untilNextTry(tries, signal);
      }
    }
  }

  #tell(key: string, signal: AbortSignal, state: UploadState): void {
    if (!signal.aborted) this.#options.onState(key, state);
  }
}
