import type { ChangedPosts } from '#tables/repositories/recent-changes.ts';

/** What a page that is open is told. */
export type ChangeSignal =
  /** These Posts changed, and perhaps Channels. */
  | { readonly kind: 'changed'; readonly postIds: ChangedPosts; readonly channels: boolean }
  /** Some changes were missed: everything that is shown may be out of date. */
  | { readonly kind: 'stale' };

/** Called with one signal at a time: while its promise is pending, what comes is merged into the next. */
export type ChangeListener = (signal: ChangeSignal) => void | Promise<void>;

const MAX_IDS = 100;
const STALE: ChangeSignal = { kind: 'stale' };

/** Both in one; bounded, however much comes. */
export function merged(one: ChangeSignal, other: ChangeSignal): ChangeSignal {
  if (one.kind === 'stale' || other.kind === 'stale') return STALE;
  const channels = one.channels || other.channels;
  if (one.postIds === 'all' || other.postIds === 'all') return { kind: 'changed', postIds: 'all', channels };
  const ids = new Set([...one.postIds, ...other.postIds]);
  return { kind: 'changed', postIds: ids.size > MAX_IDS ? 'all' : [...ids], channels };
}

/**
 * The signals for one listener. idle -> telling -> telling the next, as long as something came meanwhile -> idle;
 * closed from any of them, for good. A listener that is slow makes nobody else wait, and holds one signal.
 */
export class SignalQueue {
  readonly #listener: ChangeListener;
  readonly #onFailure: (error: unknown) => void;
  #waiting: ChangeSignal | null = null;
  #isTelling = false;
  #isClosed = false;

  constructor(listener: ChangeListener, onFailure: (error: unknown) => void) {
    this.#listener = listener;
    this.#onFailure = onFailure;
  }

  offer(signal: ChangeSignal): void {
    if (this.#isClosed) return;
    this.#waiting = this.#waiting === null ? signal : merged(this.#waiting, signal);
    if (!this.#isTelling) void this.#tell();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = null;
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    while (this.#waiting !== null) {
      const signal = this.#waiting;
      this.#waiting = null;
      try {
        await this.#listener(signal);
      } catch (error) {
        this.#onFailure(error);
      }
    }
    this.#isTelling = false;
  }
}
