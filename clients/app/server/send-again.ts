import { isPassing } from './problem.ts';

const WAITS_MS = [500, 2_000] as const;

/**
 * Sends a change that bears an Idempotency-Key until it is answered, three times at most: a lost answer is no reason to
 * tell a person that nothing was done. Rejects with the last error.
 */
export async function sendAgain<T>(send: () => Promise<T>, waitsMs: readonly number[] = WAITS_MS): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await send();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  return send();
}
