import type { ImpliedRows } from '#ports/table.ts';
import { appendMessages, stampedRows, type EncodedRow } from '#outbox/relay.ts';
import { dueTimers, LOOK_AHEAD_MS, announceNearTimers, type TimerOptions } from '#outbox/timers.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';

/**
 * A turn whose rows and timers are written with its compare-and-set, where the store can do that: then its outbox holds
 * only what goes through the log.
 */
export interface AtomicTurn {
  /** For the compare-and-set. */
  readonly implied: readonly ImpliedRows[];
  /** Sends messages and near timers, after the compare-and-set. Rejects with `PortError`; repeating is harmless. */
  sendBeside(): Promise<void>;
}

/** A turn decided longer ago than this is decided anew before it is written. */
export const DECISION_HOLDS_MS = 30_000;
/** The look-ahead, the time until a decision is too old, and as much for the compare-and-set and clocks that differ. */
const NEARLY_NEAR_MS = LOOK_AHEAD_MS + 2 * DECISION_HOLDS_MS;

/**
 * The outbox of an atomic turn: its messages, and the timers that may be near when it is written. A scheduler may have
 * read the minute of such a timer already, so the timer has to reach it through timers.v1, even if this process ends.
 */
export function outboxBeside({ format, timers, messages }: PendingEffects, now: number): PendingEffects {
  return { format, rows: [], timers: timers.filter(({ dueAt }) => dueAt < now + NEARLY_NEAR_MS), messages };
}

export function atomicTurn(
  options: TimerOptions,
  pending: PendingEffects,
  rows: readonly EncodedRow[],
  version: number,
): AtomicTurn {
  const timers = dueTimers(options.codec, pending.timers);
  const due = options.due.rows(timers);
  return {
    implied: [...stampedRows(rows, version), ...due.implied],
    sendBeside: async () => {
      due.written();
      await Promise.all([announceNearTimers(options, timers), appendMessages(options, pending.messages)]);
    },
  };
}
