import type { Clock } from '#ports/clock.ts';

export interface DeadlineOptions<L> {
  readonly clock: Pick<Clock, 'after'>;
  readonly deadlineMs: number;
  /** Called at the deadline. What it returns is the answer then; what it throws is the failure. */
  readonly onLate: () => L;
}

/**
 * What `work` comes to, or, if it has not settled at the deadline, what `onLate` says. The work itself goes on; what it
 * comes to afterwards is dropped. Leaves no timer behind.
 */
export async function withDeadline<T, L>(work: Promise<T>, options: DeadlineOptions<L>): Promise<T | L> {
  const { clock, deadlineMs, onLate } = options;
  const late = Promise.withResolvers<L>();
  const cancel = clock.after(deadlineMs, () => {
    try {
      late.resolve(onLate());
    } catch (error) {
      late.reject(error);
    }
  });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

/** Resolves when `work` has settled, whatever it comes to, or at the deadline. Never rejects. */
export async function settledWithin(
  clock: Pick<Clock, 'after'>,
  deadlineMs: number,
  work: Promise<unknown>,
): Promise<void> {
  const settled = work.then(
    () => {},
    () => {},
  );
  await withDeadline(settled, { clock, deadlineMs, onLate: () => {} });
}
