import type { ImpliedRows } from '#ports/table.ts';
import type { TopicRecords } from '#ports/table-store.ts';
import { appendMessages, recordsOf, stampedRows, type EncodedRow } from '#outbox/relay.ts';
import { announceNearTimers, dueTimers, LOOK_AHEAD_MS, timerRecords, type TimerOptions } from '#outbox/timers.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';

/**
 * A turn whose rows and timers are written with its compare-and-set, where the store can do that: then its outbox holds
 * only what goes through the log. Where log and store are one, that goes along too, and nothing is left for an outbox.
 */
export interface AtomicTurn {
  /** For the compare-and-set. */
  readonly implied: readonly ImpliedRows[];
  readonly appends: readonly TopicRecords[];
  /** Sends what was not appended, after the compare-and-set. Rejects with `PortError`; repeating is harmless. */
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
  { version, appends }: { readonly version: number; readonly appends: boolean },
): AtomicTurn {
  const timers = dueTimers(options.codec, pending.timers);
  const due = options.due.rows(timers);
  const implied = [...stampedRows(rows, version), ...due.implied];
  const now = options.clock.now();
  const early = appends ? timers.filter(({ dueAt }) => dueAt < now + NEARLY_NEAR_MS) : [];
  return {
    implied,
    appends: appends ? [...recordsOf(options.codec, pending.messages), ...timerRecords(options.codec, early)] : [],
    sendBeside: async () => {
      due.written();
      await Promise.all([
        // A process that was suspended may find a timer near that was far when it was decided.
        announceNearTimers(options, early.length === 0 ? timers : timers.filter((timer) => !early.includes(timer))),
        appends ? null : appendMessages(options, pending.messages),
      ]);
    },
  };
}
