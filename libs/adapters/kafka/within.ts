import type { Clock } from '#ports/clock.ts';

/** Resolves when `work` has settled, whatever its outcome, or after `ms`; leaves no timer behind. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const settled = work.then(
    () => done.abort(),
    () => done.abort(),
  );
  await Promise.race([settled, clock.sleep(ms, done.signal)]);
}
