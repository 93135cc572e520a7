import { CrierError } from './crier-error.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
/** Longer waits than this are the caller's to plan. */
const MAX_RETRY_AFTER_SECONDS = 300;

/** About half a minute, where the server names no time of its own. */
export const DEFAULT_MAX_RETRIES = 6;

/**
 * How long to wait before the attempt after `retries` repetitions, in milliseconds; null: give up. What the server
 * asked for is obeyed, and a little chance keeps many clients from coming back at once.
 */
export function delayBefore(retries: number, maxRetries: number, { retryAfterSeconds }: CrierError): number | null {
  if (retries >= maxRetries) return null;
  if (retryAfterSeconds !== null)
    return retryAfterSeconds > MAX_RETRY_AFTER_SECONDS ? null : retryAfterSeconds * 1_000 + Math.random() * 250;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retries) * (0.5 + Math.random() / 2);
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
