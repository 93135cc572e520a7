import type { ImpliedRows } from '#ports/table.ts';
import type { TopicRecords } from '#ports/table-store.ts';
import {
  appendMessages,
  recordsOf,
  relayOf,
  stampedRows,
  type OwedEffects,
  type Relay,
  type RelayOptions,
} from '#outbox/relay.ts';
import { announceNearTimers, dueTimers, LOOK_AHEAD_MS, timerRecords } from '#outbox/timers.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';

/** How a turn carries out its effects: with its compare-and-set, and as a relay after it. */
export interface TurnEffects extends Relay {
  /** For the compare-and-set. */
  readonly implied?: readonly ImpliedRows[];
  readonly appends?: readonly TopicRecords[];
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

export function effectsOfTurn(options: RelayOptions, owed: OwedEffects): TurnEffects {
  // After the compare-and-set where that is of one partition: its outbox holds them all until then.
  return options.store.atom === 'partition' ? relayOf(options, owed) : effectsWithin(options, owed);
}

/**
 * Rows and timers are written with the compare-and-set, where the store can do that: then its outbox holds only what
 * goes through the log. Where log and store are one, that goes along too, and nothing is left for an outbox.
 */
function effectsWithin(options: RelayOptions, { pending, rows, version }: OwedEffects): TurnEffects {
  const appends = options.store.atom === 'store_and_log';
  const timers = dueTimers(options.codec, pending.timers);
  const due = options.due.rows(timers);
  const implied = [...stampedRows(rows, version), ...due.implied];
  const now = options.clock.now();
  const early = appends ? timers.filter(({ dueAt }) => dueAt < now + NEARLY_NEAR_MS) : [];
  return {
    implied,
    appends: appends ? [...recordsOf(options.codec, pending.messages), ...timerRecords(options.codec, early)] : [],
    write: async () => {},
    send: async () => {
      due.written();
      await Promise.all([
        // A process that was suspended may find a timer near that was far when it was decided.
        announceNearTimers(options, early.length === 0 ? timers : timers.filter((timer) => !early.includes(timer))),
        appends ? null : appendMessages(options, pending.messages),
      ]);
    },
  };
}
