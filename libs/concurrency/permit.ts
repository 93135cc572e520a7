/**
 * A permit of a pool, or why there is none: `by` names the kind of holder that has its share already; `account`: those
 * who take turns as one have it together; `all`: every permit is held. `retryAfterMs`: when a permit is likely to be
 * free for the holder, by how long permits were held lately.
 */
export type Permit<K extends string> =
  | { readonly granted: true; readonly release: () => void }
  | { readonly granted: false; readonly by: K | 'account' | 'all'; readonly retryAfterMs: number };

/** Of so many permits one in `parts`, at least one. */
export function shareOf(permits: number, parts: number): number {
  return Math.max(1, Math.floor(permits / parts));
}

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/**
 * When to ask again. Each permit that is held is as likely as any other to be released next; `waiting` are those that
 * get one before.
 */
export function retryAfterMs({
  meanHeldMs,
  held,
  waiting,
}: {
  readonly meanHeldMs: number;
  readonly held: number;
  readonly waiting: number;
}): number {
  const likelyMs = (meanHeldMs * (1 + waiting)) / (held || 1);
  return Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, Math.ceil(likelyMs)));
}
