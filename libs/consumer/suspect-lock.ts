import type { Cancel, Clock } from '#ports/clock.ts';

/** How long a suspect runs alone. With no such bound, one that takes an hour would delay all others. */
const ALONE_MS = 30_000;

export interface Suspect {
  /** How many owners vanished with it. */
  readonly suspicion: number;
  /** Instant of the monotonic clock. */
  readonly notBefore: number;
  /** Takes the suspicion from it, for what happens from now on. */
  readonly withdraw: () => void;
}

interface Waiter extends Pick<Suspect, 'suspicion' | 'withdraw'> {
  readonly enter: () => void;
}

/** A suspect's turn; it calls `leave` when its handler has ended. */
export interface SuspectPermit {
  leave(): void;
}

/**
 * Lets the suspects of one process (see `HandlingMarks`) run one after another, so that only one of them can be what
 * ends the process. Those with the fewest suspicions go first, so that keys without fault get done. After `ALONE_MS`
 * the next may begin while the last still runs; from then on the last one counts as no suspect (`withdraw`).
 *
 * free -> `enter` -> held -> `leave` -> free; held -> (`ALONE_MS` later) overdue -> the next enters -> held.
 */
export class SuspectLock {
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #holder: Waiter | null = null;
  #isOverdue = false;
  #cancel: Cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Null: `signal` was aborted before its turn came. */
  async enter({ suspicion, notBefore, withdraw }: Suspect, signal: AbortSignal): Promise<SuspectPermit | null> {
    const waitMs = notBefore - this.#clock.monotonic();
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    if (signal.aborted) return null;
    const entered = Promise.withResolvers<boolean>();
    const waiter: Waiter = { suspicion, withdraw, enter: () => entered.resolve(true) };
    this.#waiting.push(waiter);
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiter);
      if (at !== -1) this.#waiting.splice(at, 1);
      entered.resolve(false);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#admit();
    const hasEntered = await entered.promise;
    signal.removeEventListener('abort', giveUp);
    const leave = (): void => this.#leave(waiter);
    return hasEntered ? { leave } : null;
  }

  #leave(waiter: Waiter): void {
    if (this.#holder !== waiter) return;
    this.#cancel();
    this.#holder = null;
    this.#admit();
  }

  #admit(): void {
    if (this.#waiting.length === 0 || (this.#holder !== null && !this.#isOverdue)) return;
    const next = this.#waiting.reduce((least, each) => (each.suspicion < least.suspicion ? each : least));
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#cancel();
    this.#holder?.withdraw();
    this.#holder = next;
    this.#isOverdue = false;
    this.#cancel = this.#clock.after(ALONE_MS, () => {
      this.#isOverdue = true;
      this.#admit();
    });
    next.enter();
  }
}
