import type { LiveChange } from '#services/app/live/live-change.ts';

/** Several changes in one. */
export interface ChangeBatch {
  readonly postIds: readonly string[];
  readonly channels: boolean;
  /** Everything that is shown is to be read again. */
  readonly all: boolean;
}

export interface ChangeBatchesOptions {
  /** Reads again what changed; must not reject. */
  readonly read: (batch: ChangeBatch) => Promise<void>;
  /** Calls back after so many ms; returns what prevents it. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

/** Long enough for the Variants of one Post, far below the second within which a change is to be seen. */
const QUIET_MS = 150;
/** Under changes that never pause. */
const MAX_WAIT_MS = 400;
/** More than the server takes in one call: reading all that is shown costs less than several of them. */
const MAX_NAMED_POSTS = 100;

/**
 * Collects changes, and has them read when they pause for 150 ms, or after 400 ms at most. Modes: *idle* (nothing
 * collected, nothing being read), *collecting* (a timer runs) and *reading* (one read at a time: what comes meanwhile
 * is collected and read next, so that a slow server is asked less often instead of more).
 */
export class ChangeBatches {
  readonly #options: ChangeBatchesOptions;
  #postIds = new Set<string>();
  #channels = false;
  #all = false;
  #isReading = false;
  #cancelQuiet: (() => void) | null = null;
  #cancelWait: (() => void) | null = null;

  constructor(options: ChangeBatchesOptions) {
    this.#options = options;
  }

  add(change: LiveChange): void {
    if (change.kind === 'stale') {
      this.#all = true;
      this.#channels = true;
    } else {
      for (const id of change.postIds) this.#postIds.add(id);
      this.#channels ||= change.channels;
      this.#all ||= change.all;
    }
    if (!this.#isReading) this.#wait();
  }

  stop(): void {
    this.#stopWaiting();
    this.#take();
  }

  #wait(): void {
    this.#cancelQuiet?.();
    this.#cancelQuiet = this.#options.after(QUIET_MS, () => void this.#read());
    this.#cancelWait ??= this.#options.after(MAX_WAIT_MS, () => void this.#read());
  }

  #stopWaiting(): void {
    this.#cancelQuiet?.();
    this.#cancelWait?.();
    this.#cancelQuiet = null;
    this.#cancelWait = null;
  }

  async #read(): Promise<void> {
    this.#stopWaiting();
    this.#isReading = true;
    try {
      await this.#options.read(this.#take());
    } finally {
      this.#isReading = false;
    }
    if (this.#all || this.#channels || this.#postIds.size > 0) this.#wait();
  }

  #take(): ChangeBatch {
    const all = this.#all || this.#postIds.size > MAX_NAMED_POSTS;
    const batch = { postIds: all ? [] : [...this.#postIds], channels: this.#channels, all };
    this.#postIds = new Set();
    this.#channels = false;
    this.#all = false;
    return batch;
  }
}
