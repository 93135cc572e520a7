import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** What is awaited, for the error text. */
  readonly what: string;
  readonly withinMs?: number;
  /** For what may soon be over again. Default: 25 ms at first, then ever more rarely. */
  readonly everyMs?: number;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
const LATE_AT_MOST = 1 / 20;

/**
 * Whoever is asked needs the processor for what is awaited: a long wait looks rarely, and ends a twentieth late at
 * most.
 */
export function pauseAfter(waitedMs: number): number {
  return Math.min(Math.max(FIRST_PAUSE_MS, waitedMs * LATE_AT_MOST), LONGEST_PAUSE_MS);
}

/**
 * Calls the condition repeatedly until it returns something (neither false, null nor undefined), and resolves with
 * that. An error counts as "not yet". Rejects at the deadline, naming `what` and the last value or error.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  { what, withinMs = 60_000, everyMs }: UntilOptions,
): Promise<NonNullable<T>> {
  const from = performance.now();
  for (;;) {
    let last: unknown;
    try {
      const seen = await look();
      if (seen !== false && seen !== null && seen !== undefined) return seen;
      last = seen;
    } catch (error) {
      last = error;
    }
    const waitedMs = performance.now() - from;
    if (waitedMs > withinMs) {
      throw new Error(
        `${what}: not within ${withinMs} ms; last: ${last instanceof Error ? (last.stack ?? last.message) : JSON.stringify(last)}`,
      );
    }
    await sleep(everyMs ?? pauseAfter(waitedMs));
  }
}
