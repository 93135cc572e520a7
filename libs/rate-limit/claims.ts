import type { Claim, ClaimRow } from '#tables/repositories/requests.ts';

/** How far the clocks of two replicas may be apart. A claim stamped by another replica counts that much longer. */
export const SKEW_MS = 2_000;

/**
 * In order, those that count for at most `most` together: one for which there is no room leaves it to those behind it.
 */
export function fitting<T extends { readonly uses: number }>(all: readonly T[], most: number): readonly T[] {
  let left = most;
  return all.filter(({ uses }) => {
    if (uses > left) return false;
    left -= uses;
    return true;
  });
}

/**
 * The claims on one credential that a replica knows to stand: its own and others', each in about the order of its
 * stamps. Only what may still lie in one rolling window with now is kept.
 */
export class Claims {
  readonly #replica: string;
  readonly #windowMs: number;
  readonly #own = new Map<string, Claim>();
  readonly #others = new Map<string, Claim>();
  /** Refusals, kept as long as their claims may be read again. */
  readonly #refused = new Map<string, number>();
  #uses = 0;

  constructor(replica: string, windowMs = 60_000) {
    this.#replica = replica;
    this.#windowMs = windowMs;
  }

  /** How much they count for together. */
  get uses(): number {
    return this.#uses;
  }

  has(requestId: string): boolean {
    return this.#own.has(requestId) || this.#others.has(requestId);
  }

  /**
   * Takes in what was read at `now`, for the minute up to `windowEnd`, which a slow store may have left long ago. What
   * left the window before is passed over, and what a clock that went wrong stamped farther ahead than any minute
   * reaches.
   */
  add(rows: readonly ClaimRow[], windowEnd: number, now: number): void {
    for (const row of rows) {
      if (row.kind === 'refused') {
        this.refuse(row);
      } else if (
        !this.#refused.has(row.requestId) &&
        this.#leavesAt(row) > windowEnd &&
        row.at <= now + this.#windowMs + SKEW_MS
      ) {
        const shelf = this.#shelf(row);
        this.#uses += row.uses - (shelf.get(row.requestId)?.uses ?? 0);
        // One that was known keeps its place in the order.
        shelf.set(row.requestId, row);
      }
    }
  }

  refuse(claim: Pick<Claim, 'at' | 'requestId'>): void {
    this.#refused.set(claim.requestId, claim.at);
    this.#drop(this.#own, claim.requestId);
    this.#drop(this.#others, claim.requestId);
  }

  /** Lets go of what has left the window by `now`. */
  forget(now: number): void {
    for (const shelf of [this.#own, this.#others]) {
      for (const [id, claim] of shelf) {
        if (this.#leavesAt(claim) > now) break;
        this.#drop(shelf, id);
      }
    }
    for (const [id, at] of this.#refused) {
      if (at + this.#windowMs + SKEW_MS > now) break;
      this.#refused.delete(id);
    }
  }

  /**
   * The ids of the first claims by (at, requestId), the order every replica sees them in, that count for at most
   * `limit` together.
   */
  first(limit: number): ReadonlySet<string> {
    const all = [...this.#own.values(), ...this.#others.values()].sort(
      (a, b) => a.at - b.at || (a.requestId < b.requestId ? -1 : 1),
    );
    return new Set(fitting(all, limit).map((claim) => claim.requestId));
  }

  /** When the oldest leaves; null when there is none. */
  nextFreeAt(): number | null {
    const leaving = [this.#own, this.#others].flatMap((shelf) =>
      [...shelf.values()].slice(0, 1).map((claim) => this.#leavesAt(claim)),
    );
    return leaving.length === 0 ? null : Math.min(...leaving);
  }

  /** When so much has left that what is left counts for at most `most`; null: it never will, or does already. */
  atMostAt(most: number): number | null {
    const shelves = [this.#own, this.#others].map((shelf) => shelf.values());
    const heads = shelves.map((shelf) => shelf.next());
    let left = this.#uses;
    let at: number | null = null;
    while (left > most) {
      const [own, other] = heads.map(({ value }) => (value === undefined ? Infinity : this.#leavesAt(value)));
      const index = own! <= other! ? 0 : 1;
      const { value } = heads[index]!;
      if (value === undefined) return null;
      left -= value.uses;
      at = Math.max(at ?? 0, this.#leavesAt(value));
      heads[index] = shelves[index]!.next();
    }
    return at;
  }

  clear(): void {
    this.#own.clear();
    this.#others.clear();
    this.#uses = 0;
    this.#refused.clear();
  }

  #drop(shelf: Map<string, Claim>, requestId: string): void {
    this.#uses -= shelf.get(requestId)?.uses ?? 0;
    shelf.delete(requestId);
  }

  #shelf(claim: Claim): Map<string, Claim> {
    return claim.replica === this.#replica ? this.#own : this.#others;
  }

  #leavesAt(claim: Claim): number {
    return claim.at + this.#windowMs + (claim.replica === this.#replica ? 0 : SKEW_MS);
  }
}
