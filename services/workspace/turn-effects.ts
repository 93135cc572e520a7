import type { ImpliedRows } from '#ports/table.ts';
import type { TableStore, TopicRecords } from '#ports/table-store.ts';
import {
  appendMessages,
  recordsOf,
  sendMessages,
  stampedRows,
  tellChanges,
  writeRows,
  type EncodedRow,
} from '#outbox/relay.ts';
import {
  announceNearTimers,
  dueTimers,
  LOOK_AHEAD_MS,
  timerRecords,
  writeTimers,
  type TimerOptions,
} from '#outbox/timers.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';

/** How a turn carries out its effects: with its compare-and-set, or after it. */
export interface TurnEffects {
  /** For the compare-and-set. */
  readonly implied?: readonly ImpliedRows[];
  readonly appends?: readonly TopicRecords[];
  /** Writes the rows that were not implied, after the compare-and-set. Rejects with `PortError`; may be repeated. */
  write(): Promise<void>;
  /** Sends what was not appended, after `write`. Rejects with `PortError`; may be repeated. */
  send(): Promise<void>;
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

export interface EffectsOptions extends TimerOptions {
  readonly store: TableStore;
}

/** What a turn owes, and the version that it makes. */
interface OwedEffects {
  readonly pending: PendingEffects;
  readonly rows: readonly EncodedRow[];
  readonly version: number;
}

export function effectsOfTurn(options: EffectsOptions, owed: OwedEffects): TurnEffects {
  return options.store.atom === 'partition' ? effectsBehind(options, owed) : effectsWithin(options, owed);
}

/** So few rows and timers are one request. */
const FEW_ROWS = 16;

/**
 * After the compare-and-set: its outbox holds them all until then. Messages wait for the rows, which their receivers
 * read, and for no timer, unless both are in one request.
 */
function effectsBehind(options: EffectsOptions, { pending, rows, version }: OwedEffects): TurnEffects {
  const timers = dueTimers(options.codec, pending.timers);
  const [beside, behind] = rows.length + timers.length <= FEW_ROWS ? [timers, []] : [[], timers];
  return {
    write: () => writeRows(options, { rows, timers: beside, version }),
    send: async () => {
      await Promise.all([
        sendMessages(options, { timers: beside, messages: pending.messages }),
        writeTimers(options, behind),
        tellChanges(options.store, rows, version),
      ]);
    },
  };
}

/**
 * Rows and timers are written with the compare-and-set, where the store can do that: then its outbox holds only what
 * goes through the log. Where log and store are one, that goes along too, and nothing is left for an outbox.
 */
function effectsWithin(options: EffectsOptions, { pending, rows, version }: OwedEffects): TurnEffects {
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
