import type { Clock } from '#ports/clock.ts';

/** Long enough that giving way costs nothing beside the work, short enough that nobody notices. */
const SLICE_MS = 10;

/**
 * Cooperative scheduling of long work on the one event loop: who works in pieces asks between any two, and waits for
 * the loop's next turn once its slice is used up. Without it a request of a hundred Posts holds everybody until its
 * last piece is done. All who share one object are let on one after the other, each in a turn of its own: else a turn
 * would be as long as all their slices together.
 */
export class TimeSlices {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #letOn: Promise<void> = Promise.resolve();

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
    this.#letOn = this.#letOn.then(() => this.#clock.sleep(0));
    return this.#letOn;
  }
}
