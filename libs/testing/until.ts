import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** What is awaited, for the error text. */
  readonly what: string;
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Calls the condition repeatedly until it returns something (neither false, null nor undefined), and resolves with
 * that. An error counts as "not yet". Rejects at the deadline, naming `what` and the last value or error.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  { what, withinMs = 60_000, everyMs = 25 }: UntilOptions,
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
    if (performance.now() - from > withinMs) {
      throw new Error(
        `${what}: not within ${withinMs} ms; last: ${last instanceof Error ? (last.stack ?? last.message) : JSON.stringify(last)}`,
      );
    }
    await sleep(everyMs);
  }
}
