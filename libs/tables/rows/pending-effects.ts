import type { TraceCarrier } from '#domain/traceparent.ts';
import type { Message } from '#messages/messages.ts';
import type { Key } from '#ports/table.ts';
import { BODY_FORMAT } from './body.ts';

/** A row of a `turn` table to write at the turn's timestamp; value null = a void body. */
export interface RowEffect {
  readonly table: string;
  readonly partition: Key;
  readonly clustering: Key;
  readonly value: unknown;
  readonly ttlSeconds?: number;
}

/** A future moment: a row in `due`, and a message on timers.v1 when it is near. Firing appends `message` to `topic`. */
export interface TimerEffect extends TraceCarrier {
  readonly shard: number;
  /** The timer's name; the id of its row also has a digest of what it fires. */
  readonly timerId: string;
  readonly dueAt: number;
  readonly topic: string;
  readonly key: string;
  readonly message: Message;
}

export interface MessageEffect extends TraceCarrier {
  readonly topic: string;
  readonly key: string;
  readonly message: Message;
  /**
   * Set in a head, of an event whose `body` is a row of its own beside it (see libs/outbox/event-bodies.ts), and is not
   * in `message`.
   */
  readonly bodyBeside?: true;
}

/**
 * The outbox of a turn, as data that any later owner can carry out again: rows at the turn's timestamp, timers and
 * messages. It is written with the head, so that nothing of it is lost when a process ends.
 */
export interface PendingEffects {
  /** That of the turn, and of its rows' bodies: every owner writes them in this format, also one of another release. */
  readonly format: number;
  readonly rows: readonly RowEffect[];
  readonly timers: readonly TimerEffect[];
  readonly messages: readonly MessageEffect[];
}

export const NO_EFFECTS: PendingEffects = { format: BODY_FORMAT, rows: [], timers: [], messages: [] };

export function isEmptyOutbox(pending: PendingEffects): boolean {
  return pending.rows.length === 0 && pending.timers.length === 0 && pending.messages.length === 0;
}

/**
 * Timestamps of `turn` tables start here (microseconds of 2005) and grow by one a turn: above zero, below any wall
 * clock.
 */
const TURN_EPOCH = 2 ** 50;

export function turnTimestamp(version: number): number {
  return TURN_EPOCH + version;
}
