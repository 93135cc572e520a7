import { MachineClock, type SystemClock } from './clock.ts';

/** Wall time that moves by so much against monotonic time has leapt, or the machine slept. */
const LEAP_MS = 2_000;

export interface SteadyClock extends SystemClock {
  /** How far the machine's wall time has leapt without having been confirmed; 0: it has not. */
  leapMs(): number;
  /** The leap was right: it was the machine's sleep, or its clock was put right. */
  confirm(leapMs: number): void;
}

/**
 * The machine's time, in which a leap counts only once it is confirmed: what is due at the new instant is not to happen
 * before somebody has said that the instant has come. Until then time goes on from where it was.
 */
export function createSteadyClock(): SteadyClock {
  return new SteadyMachineClock(0);
}

class SteadyMachineClock extends MachineClock implements SteadyClock {
  /** From monotonic to wall time, leaps left out that are not confirmed. */
  #offsetMs = Date.now() - performance.now();

  override unmoved(): number {
    const leapMs = this.leapMs();
    // The two clocks of a machine drift apart by its corrections, which are no leaps.
    if (leapMs === 0) this.#offsetMs = Date.now() - performance.now();
    return Math.floor(performance.now() + this.#offsetMs);
  }

  leapMs(): number {
    const movedMs = Date.now() - performance.now() - this.#offsetMs;
    return Math.abs(movedMs) > LEAP_MS ? movedMs : 0;
  }

  confirm(leapMs: number): void {
    this.#offsetMs += leapMs;
  }
}
