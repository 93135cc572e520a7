const FIRST_MS = 1_000;
const MAX_MS = 15_000;

/**
 * Resolves when it is worth trying again: at once when the browser is online again, else after a while that doubles
 * with each try, up to 15 s. `tries` begins with 1. Rejects when `signal` aborts.
 */
export function untilNextTry(tries: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.min(MAX_MS, FIRST_MS * 2 ** (tries - 1)));
  const isOver = () => resolve();
  const isAborted = () => reject(signal.reason as Error);
  window.addEventListener('online', isOver);
  signal.addEventListener('abort', isAborted);
  return promise.finally(() => {
    clearTimeout(timer);
    window.removeEventListener('online', isOver);
    signal.removeEventListener('abort', isAborted);
  });
}
