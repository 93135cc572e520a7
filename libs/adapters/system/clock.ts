import type { Cancel, Clock } from '#ports/clock.ts';
import { sleepBy } from '#ports/sleep.ts';

/** The longest delay that setTimeout honours; it runs a longer one at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface SystemClock extends Clock {
  /** Puts wall time `ms` further ahead of the machine's, for good. */
  advance(ms: number): void;
}

/** The machine's time, `aheadMs` ahead of it. */
export function createSystemClock(options: { readonly aheadMs?: number } = {}): SystemClock {
  return new MachineClock(options.aheadMs ?? 0);
}

export class MachineClock implements SystemClock {
  #aheadMs: number;
  readonly #listeners = new Set<() => void>();

  constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
  }

  now(): number {
    return this.unmoved() + this.#aheadMs;
  }

  unmoved(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  /** Measured on the monotonic clock from start to end: an error of one long timeout is corrected by the next. */
  after(delayMs: number, run: () => void): Cancel {
    const dueAt = this.monotonic() + Math.max(0, delayMs);
    let timeout: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = dueAt - this.monotonic();
      // A timeout of n ms may end up to one ms early; rounding up makes a second timeout rare.
      timeout = setTimeout(
        () => (this.monotonic() >= dueAt - 1 ? run() : arm()),
        // Node warns of a negative one, in a line of its own on standard error.
        Math.min(Math.max(0, Math.ceil(leftMs)), MAX_TIMEOUT_MS),
      );
    };
    arm();
    return () => clearTimeout(timeout);
  }

  /** Of no time: until the event loop has looked for what has come, and not the millisecond of the shortest timer. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return delayMs <= 0 ? new Promise((resolve) => void setImmediate(resolve)) : sleepBy(this, delayMs, signal);
  }

  onMoved(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const listener of [...this.#listeners]) listener();
  }
}
