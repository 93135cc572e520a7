const IDLE_TIMEOUT_MS = 2_000;

/**
 * Calls back when the browser has nothing else to do, after two seconds at most. Safari has no requestIdleCallback.
 * Returns what prevents the call.
 */
export function whenIdle(callback: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const idle = requestIdleCallback(callback, { timeout: IDLE_TIMEOUT_MS });
    return () => cancelIdleCallback(idle);
  }
  const timer = setTimeout(callback, IDLE_TIMEOUT_MS);
  return () => clearTimeout(timer);
}
