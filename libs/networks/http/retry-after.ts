const DAY_MS = 86_400_000;

/**
 * What a Network asks to wait, a day at most: its windows are no longer, and one that names an instant where seconds
 * belong would hold an account back for years.
 */
export function boundedWaitMs(ms: number): number {
  return Math.min(ms, DAY_MS);
}

/** The seconds of `Retry-After`; null: there are none. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? boundedWaitMs(seconds * 1_000) : null;
}
