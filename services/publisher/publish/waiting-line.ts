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
  /** When each returns, in the order of the line. */
  readonly #returns = new Map<string, number>();

  /** When one may ask that stands, or would stand, behind others; null: none is before it. Instants in Unix ms. */
  behindUntil(variantId: string, now: number): number | null {
    let before: number | null = null;
    for (const [other, at] of this.#returns) {
      if (other === variantId) break;
      if (at + MAX_LATE_MS < now) this.#returns.delete(other);
      else before = at;
    }
    return before === null ? null : Math.max(before + BETWEEN_RETURNS_MS, now + NEXT_LOOK_MS);
  }

  /** Keeps the place of one that has one. */
  wait(variantId: string, until: number): void {
    if (this.#returns.size < MAX_IN_LINE || this.#returns.has(variantId)) this.#returns.set(variantId, until);
  }

  leave(variantId: string): void {
    this.#returns.delete(variantId);
  }
}
