/** A Post of which Variants failed. */
export interface FailuresOfPost {
  readonly id: string;
  readonly variants: number;
}

/** Under which this browser keeps what was seen. */
export const seenFailuresName = (workspaceId: string): string => `seen-failures.${workspaceId}`;

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

/**
 * What this browser keeps after one failed Variant of the Post is retried: the number of failures seen of the Post,
 * less one. If the Variant fails again, its failure then counts as unseen.
 */
export function afterRetry(postId: string, kept: string | null): string | null {
  const seen = new Map(seenIn(kept));
  const variants = seen.get(postId);
  if (variants === undefined) return kept;
  seen.delete(postId);
  if (variants > 1) seen.set(postId, variants - 1);
  return JSON.stringify(Object.fromEntries(seen));
}

function seenIn(kept: string | null): ReadonlyMap<string, number> {
  try {
    const seen: unknown = JSON.parse(kept ?? '{}');
    return new Map(typeof seen === 'object' && seen !== null ? (Object.entries(seen) as [string, number][]) : []);
  } catch {
    return new Map();
  }
}
