import type { Clock } from '#ports/clock.ts';
import { endIn, leftOf, type WaitEnd } from './wait-end.ts';

/** A Variant that has not returned so long after its instant will not: it was cancelled, or another process has it. */
const MAX_LATE_MS = 5_000;
/** Variants beyond these keep no place: they wait by their timers alone. */
const MAX_IN_LINE = 1_000;
/** Between the returns of two attempts of one account. */
export const BETWEEN_RETURNS_MS = 25;
/** After this a Variant asks again that stands behind one whose return is due. */
const NEXT_LOOK_MS = 500;

/**
 * Variants of one account that wait for its allowance, in the order in which they first asked. Each comes back by a
 * timer, and one that was refused again keeps its place, so that none behind it takes the use that becomes free next.
 */
export class WaitingLine {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** When each returns, in the order of the line. */
  readonly #returns = new Map<string, WaitEnd>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** After how many milliseconds one may ask that stands, or would stand, behind others; null: none is before it. */
  behindMs(variantId: string): number | null {
    let before: number | null = null;
    for (const [other, end] of this.#returns) {
      if (other === variantId) break;
      const left = leftOf(end, this.#clock);
      if (left + MAX_LATE_MS < 0) this.#returns.delete(other);
      else before = left;
    }
    return before === null ? null : Math.max(before + BETWEEN_RETURNS_MS, NEXT_LOOK_MS);
  }

  /** Keeps the place of one that has one. */
  wait(variantId: string, forMs: number): void {
    if (this.#returns.size < MAX_IN_LINE || this.#returns.has(variantId))
      this.#returns.set(variantId, endIn(forMs, this.#clock));
  }

  leave(variantId: string): void {
    this.#returns.delete(variantId);
  }
}
