/** A Post of which Variants failed. */
export interface FailuresOfPost {
  readonly id: string;
  readonly variants: number;
}

/** What this browser keeps when the person has seen these: how many Variants of each Post had failed by then. */
export function seenText(failures: readonly FailuresOfPost[]): string {
  return JSON.stringify(Object.fromEntries(failures.map(({ id, variants }) => [id, variants])));
}

/**
 * How many Variants failed that were not seen. Told by Posts, not by their times: a Variant fails up to hours after it
 * was due, and a person may have looked in between. `kept`: what `seenText` made; null: nothing was.
 */
export function unseenFailures(failures: readonly FailuresOfPost[], kept: string | null): number {
  const seen = seenIn(kept);
  return failures.reduce((sum, { id, variants }) => sum + Math.max(0, variants - (seen.get(id) ?? 0)), 0);
}

function seenIn(kept: string | null): ReadonlyMap<string, number> {
  try {
    const seen: unknown = JSON.parse(kept ?? '{}');
    return new Map(typeof seen === 'object' && seen !== null ? (Object.entries(seen) as [string, number][]) : []);
  } catch {
    return new Map();
  }
}
