/** Graph times: `2026-09-05T14:33:01+0000`, whole seconds. Milliseconds since the epoch, or null. */
export function instantOf(timestamp: string | null): number | null {
  const instant = Date.parse((timestamp ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(instant) ? null : instant;
}

/** A list's `since` for what was made since `instant`: in seconds, with room for a clock that isn't ours. */
export function sinceOf(instant: number): string {
  return String(Math.floor((instant - CLOCK_SKEW_MS) / 1000));
}

/** How much earlier than armed something may say that it was made. */
export const CLOCK_SKEW_MS = 60_000;
