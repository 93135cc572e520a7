import type { ImpliedRows } from '#ports/table-store.ts';
import { appendMessages, stampedRows, type EncodedRow } from '#outbox/relay.ts';
import { dueTimers, LOOK_AHEAD_MS, announceNearTimers, type TimerOptions } from '#outbox/timers.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';

/**
 * A turn of which the compare-and-set writes its rows and timers too, where the store can do that: then the head
 * promises nothing of them, and only what goes through the log is done afterwards.
 */
export interface AtomicTurn {
  /** For the compare-and-set. */
  readonly implied: readonly ImpliedRows[];
  /** Sends what rows can't carry. Only after the compare-and-set. Rejects with `PortError`; repeating is harmless. */
  send(): Promise<void>;
}

/** A turn decided longer ago than this is decided anew before it is written. */
export const DECISION_HOLDS_MS = 30_000;
/** Until a decision is too old, and as long again for the compare-and-set and a scheduler's clock. */
const NEARLY_NEAR_MS = LOOK_AHEAD_MS + 2 * DECISION_HOLDS_MS;

/**
 * What the head promises of a whole turn: its messages, and those timers that will be, or might have become, near when
 * it is written: a scheduler may have read their minute already, so it has to be told of them, whoever dies before.
 */
export function owedBeside({ format, timers, messages }: PendingEffects, now: number): PendingEffects {
  return { format, rows: [], timers: timers.filter(({ dueAt }) => dueAt < now + NEARLY_NEAR_MS), messages };
}

export function atomicTurn(
  parts: TimerOptions,
  pending: PendingEffects,
  rows: readonly EncodedRow[],
  version: number,
): AtomicTurn {
  const timers = dueTimers(parts.codec, pending.timers);
  const due = parts.due.rows(timers);
  return {
    implied: [...stampedRows(rows, version), ...due.implied],
    send: async () => {
      due.written();
      await Promise.all([announceNearTimers(parts, timers), appendMessages(parts, pending.messages)]);
    },
  };
}
