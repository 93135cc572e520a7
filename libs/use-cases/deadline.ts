import type { Clock } from '#ports/clock.ts';

/** Deadline of each of the two waits of a request: for its caller, and for the result of its use case. */
const DEADLINE_MS = 12_000;

/** The result of `work`, or `late` when it takes too long; a result after that is dropped. */
export function within<T>(clock: Clock, work: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(DEADLINE_MS, () => resolve(late));
    work.then(resolve, reject).finally(cancel);
  });
}
