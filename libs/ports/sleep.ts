import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';

/** `Clock.sleep` by the timers of the same clock. */
export function sleepBy(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    // One service's signal may end many sleeps at once; the number of its listeners is no leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(delayMs, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}
