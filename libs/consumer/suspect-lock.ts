import type { Cancel, Clock } from '#ports/clock.ts';

/** How long a suspect runs apart from others. Longer, and one that takes an hour would hold up all. */
const APART_MS = 30_000;

export interface Suspect {
  /** How many owners vanished with it. */
  readonly suspicion: number;
  readonly notBefore: number;
  /** Takes the blame from it. */
  readonly withdraw: () => void;
}

interface Waiter extends Pick<Suspect, 'suspicion' | 'withdraw'> {
  readonly enter: () => void;
}

/** A suspect's turn; `leave` when its handler has ended. */
export interface SuspectPermit {
  leave(): void;
}

/**
 * Lets suspects of one process (see `HandlingMarks`) run one after another, so that of those at work when a process
 * vanishes one is to blame. Who was suspected least goes first: the innocent get done. After `APART_MS` the next may
 * begin while the last still runs; `withdraw` takes the blame from that one for then.
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

  /** `notBefore`: of the monotonic clock. Null: `signal` was aborted before its turn came. */
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
    this.#cancel = this.#clock.after(APART_MS, () => {
      this.#isOverdue = true;
      this.#admit();
    });
    next.enter();
  }
}
