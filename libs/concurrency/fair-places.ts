import assert from 'node:assert/strict';

/** Of a key that has a place or waits for one. */
interface Share {
  held: number;
  /** The how-manieth turn of all its last one was; 0: it had none. */
  lastTurn: number;
  /** Lets in, in the order of asking. */
  readonly waiting: Set<() => void>;
}

/** One that holds this many times the free places waits, so that some stay free for who comes next. */
const TIMES_THE_FREE = 3;

/**
 * A semaphore by key, for a pool that tenants share. A key may take a place as long as it holds less than three times
 * the places that are free: alone it gets three quarters of them, two together three sevenths each, and a newcomer
 * finds one however long the others keep theirs. Of those that may, who holds least is next, then who had its turn
 * longest ago; within a key, who asked first.
 */
export class FairPlaces {
  #free: number;
  #turns = 0;
  readonly #shares = new Map<string, Share>();

  constructor(all: number) {
    assert(Number.isInteger(all) && all > 0, `${all} is no number of places`);
    this.#free = all;
  }

  /** Places that the key has. */
  held(key: string): number {
    return this.#shares.get(key)?.held ?? 0;
  }

  /**
   * Runs `work` in a place. Aborted before there is one, it rejects with the signal's reason; afterwards it is for
   * `work` to heed it.
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const share = this.#shares.get(key) ?? { held: 0, lastTurn: 0, waiting: new Set() };
    this.#shares.set(key, share);
    await this.#enter(key, share, signal);
    try {
      return await work();
    } finally {
      this.#free += 1;
      share.held -= 1;
      this.#forget(key, share);
      this.#admit();
    }
  }

  #enter(key: string, share: Share, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        share.waiting.delete(enter);
        this.#forget(key, share);
        reject(signal!.reason as Error);
      };
      share.waiting.add(enter);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#admit();
    });
  }

  #forget(key: string, { held, waiting }: Share): void {
    if (held === 0 && waiting.size === 0) this.#shares.delete(key);
  }

  #admit(): void {
    for (let share = this.#next(); share !== null; share = this.#next()) {
      const [enter] = share.waiting;
      share.waiting.delete(enter!);
      share.held += 1;
      share.lastTurn = ++this.#turns;
      this.#free -= 1;
      enter!();
    }
  }

  #next(): Share | null {
    let next: Share | null = null;
    for (const share of this.#shares.values()) {
      if (share.waiting.size === 0 || share.held >= TIMES_THE_FREE * this.#free) continue;
      if (next === null || share.held < next.held || (share.held === next.held && share.lastTurn < next.lastTurn))
        next = share;
    }
    return next;
  }
}
