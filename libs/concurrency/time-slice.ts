import type { Clock } from '#ports/clock.ts';

/** Long enough that yielding costs nothing beside the work, short enough that no request notices. */
const SLICE_MS = 10;

/**
 * Cooperative scheduling of long work on the one event loop: work in pieces asks between any two of them, and waits for
 * the loop's next turn once its slice is used up. Without it a request of a hundred Posts delays all others until its
 * last piece is done. Works that share one object go on one after the other, each in a turn of its own; otherwise a
 * turn would be as long as all their slices together.
 */
export class TimeSlices {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock;
  }

  /** Of one piece of work: the function returned is to be awaited between its pieces. */
  begin(): () => Promise<void> | void {
    let begun = this.#clock.monotonic();
    return () => {
      if (this.#clock.monotonic() - begun < SLICE_MS) return;
      return this.#nextTurn().then(() => {
        begun = this.#clock.monotonic();
      });
    };
  }

  #nextTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => this.#clock.sleep(0));
    return this.#lastTurn;
  }
}
