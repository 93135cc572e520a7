import { transition, type Transitions } from '#concurrency/transition.ts';
import type { Clock } from '#ports/clock.ts';
import { type DueTimer, minuteOf } from '#tables/repositories/due.ts';
import type { ShardBody, ShardRow } from '#tables/repositories/shards.ts';
import { isAhead, ReadPositions, type TimerRead } from './read-positions.ts';

/** How long a fired timer is remembered: within this its row or its record in the topic may still arrive. */
const REMEMBER_MINUTES = 10;

/** A timer held in memory: waiting -> firing (its message is being appended) -> fired (the message is in the log). */
export interface HeldTimer {
  readonly timer: DueTimer;
  readonly shard: Shard;
  /** Changed by its shard only. */
  state: 'waiting' | 'firing' | 'fired';
  /** Offsets of timers.v1 that may be acknowledged once it has fired. */
  readonly offsets: number[];
  /** It was read from its row, and had not come through the topic. */
  readonly isRead: boolean;
}

/** What is remembered of a timer that fired, so that it does not fire again when it comes once more. */
interface FiredTimer {
  readonly timer: Pick<DueTimer, 'dueAt'>;
  readonly state: 'fired';
}

/** A minute whose rows behind `after` are not read yet, for want of room in memory; `after` null: none is read. */
export interface PartlyRead {
  readonly minute: number;
  readonly after: Pick<DueTimer, 'dueAt' | 'timerId'> | null;
  /** The reading that began it: whether the minute was read in time is judged by the clock at that moment. */
  readonly read: TimerRead;
}

interface Minute {
  /** Timers held and not fired. */
  open: number;
  /** By instant and id: a timer that comes from its row and from the topic is held once, and fires once. */
  readonly timers: Map<string, HeldTimer | FiredTimer>;
}

type ShardState = 'assigned' | 'claimed' | 'lost';

const TRANSITIONS: Transitions<ShardState> = {
  assigned: ['claimed', 'lost'],
  claimed: ['lost'],
  lost: [],
};

/**
 * What this process knows of one scheduler shard.
 *
 * - assigned: the log gave us the shard's partition of timers.v1. Timers that come through it are held and fire; no row
 *   is read, and the watermark stays.
 * - claimed: its epoch is ours, by the shard's row. Minutes from the watermark on are read, and the watermark moves.
 * - lost: the partition was taken from us, or given to us anew, which makes a new `Shard`. Nothing more is read, fired
 *   or written for this one.
 *
 * A minute has passed when it is over, all of its rows were read in time, and every timer of it has fired.
 */
export class Shard {
  readonly number: number;
  /** The reading under way: one at a time. */
  reading: Promise<void> | null = null;
  #state: ShardState = 'assigned';
  #row: ShardRow | null = null;
  #rowWrittenAt = 0;
  #positions: ReadPositions | null = null;
  #readAndWaiting = 0;
  /** Null: no minute is read in part. */
  partlyRead: PartlyRead | null = null;
  readonly #minutes = new Map<number, Minute>();

  constructor(number: number) {
    this.number = number;
  }

  get state(): ShardState {
    return this.#state;
  }

  /** Timers that were read from rows and have not fired. */
  get readAndWaiting(): number {
    return this.#readAndWaiting;
  }

  /** Timers in memory: those that have not fired, and those of which it is remembered that they have. */
  get known(): number {
    return [...this.#minutes.values()].reduce((sum, { timers }) => sum + timers.size, 0);
  }

  /** As last written by us; null until the shard is claimed. */
  get row(): ShardRow | null {
    return this.#row;
  }

  claim(row: ShardRow, clock: Pick<Clock, 'now' | 'monotonic'>): void {
    this.#enter('claimed');
    this.#row = row;
    this.#rowWrittenAt = clock.monotonic();
    this.#positions = new ReadPositions(row, clock);
  }

  /**
   * Two claims of ours ran side by side, and each took an epoch: only the later one may move the watermark. How far the
   * minutes were read stays as it is.
   */
  claimedTwice(row: ShardRow): void {
    if (row.version > this.#claimedRow().version) this.#row = row;
  }

  /** Our write of the row was taken: a new watermark or epoch. Ignored when a later write was answered before it. */
  rowWritten(row: ShardRow, clock: Pick<Clock, 'monotonic'>): void {
    if (row.version < this.#claimedRow().version) return;
    this.#row = row;
    this.#rowWrittenAt = clock.monotonic();
  }

  lose(): void {
    this.#enter('lost');
  }

  #enter(state: ShardState): void {
    this.#state = transition(`shard ${this.number}`, TRANSITIONS, this.#state, state);
  }

  #claimedRow(): ShardRow {
    if (this.#row === null) throw new Error(`shard ${this.number} was never claimed`);
    return this.#row;
  }

  /** Since its row was written, in milliseconds of monotonic time. */
  ownedForMs(clock: Pick<Clock, 'monotonic'>): number {
    return Math.round(clock.monotonic() - this.#rowWrittenAt);
  }

  get positions(): ReadPositions {
    if (this.#positions === null) throw new Error(`shard ${this.number} was never claimed`);
    return this.#positions;
  }

  /** Every minute before this one has been read, and in time if the clock is right now. */
  nextMinute(clock: Pick<Clock, 'now' | 'monotonic'>): number {
    const dropped = this.#row?.dropped ?? 0;
    return Math.max(this.positions.next(clock), isAhead(dropped, clock.now()) ? 0 : dropped);
  }

  /**
   * The timer, newly held; null when it was held before: then its offset is acknowledged with it, or by `done` if it
   * has fired.
   */
  hold(timer: DueTimer, offset: number | null, done: (offset: number) => void): HeldTimer | null {
    const number = minuteOf(timer.dueAt);
    const minute = this.#minutes.get(number) ?? { open: 0, timers: new Map<string, HeldTimer | FiredTimer>() };
    this.#minutes.set(number, minute);
    const name = nameOf(timer);
    const known = minute.timers.get(name);
    if (known !== undefined) {
      if (offset !== null) {
        if ('offsets' in known) known.offsets.push(offset);
        else done(offset);
      }
      return null;
    }
    const isRead = offset === null;
    const held: HeldTimer = { timer, shard: this, state: 'waiting', offsets: isRead ? [] : [offset], isRead };
    minute.timers.set(name, held);
    minute.open++;
    if (isRead) this.#readAndWaiting++;
    return held;
  }

  /** The timer's message is about to be appended. */
  firing(held: HeldTimer): void {
    if (held.state !== 'waiting') throw new Error(`timer ${held.timer.timerId} is ${held.state}, not waiting`);
    held.state = 'firing';
  }

  /**
   * The timer's message is in the log. That it fired is remembered while it may come once more from its row or the
   * topic; not of a backlog, all of which would be in memory then: what of that comes once more fires once more.
   */
  fired(held: HeldTimer, now: number): void {
    const { dueAt, timerId } = held.timer;
    const number = minuteOf(dueAt);
    const minute = this.#minutes.get(number);
    if (held.state !== 'firing' || minute === undefined)
      throw new Error(`timer ${timerId} is ${held.state}, not firing`);
    held.state = 'fired';
    minute.open--;
    if (held.isRead) this.#readAndWaiting--;
    if (number >= minuteOf(now) - REMEMBER_MINUTES) {
      minute.timers.set(nameOf(held.timer), { timer: { dueAt }, state: 'fired' });
      return;
    }
    minute.timers.delete(nameOf(held.timer));
    if (minute.timers.size === 0) this.#minutes.delete(number);
  }

  /**
   * The first minute that has not passed. It goes back only when it lies in the future: a watermark that an owner with
   * a leading clock left there would hide the minutes before it from the next owner. It is doubtful from where the
   * clock rose, if it moved since.
   */
  watermark(clock: Pick<Clock, 'now' | 'monotonic'>): Pick<ShardBody, 'minute' | 'doubted'> {
    const now = clock.now();
    let lowest = Math.min(minuteOf(now), this.nextMinute(clock));
    for (const [number, minute] of this.#minutes) if (minute.open > 0 && number < lowest) lowest = number;
    const known = this.#row?.minute ?? 0;
    // A timer that is set for a minute that passed comes through the topic and fires; the watermark stays.
    const minute = isAhead(known, now) ? lowest : Math.max(lowest, known);
    const doubted = this.positions.beforeRise ?? minute;
    return doubted < minute ? { minute, doubted } : { minute };
  }

  /**
   * Forgets timers that a leading clock fired before their instants, so that they fire once more, at their instants.
   * Timers that wait stay as they are.
   */
  forgetFiredAfter(now: number): void {
    for (const [number, { open, timers }] of this.#minutes) {
      for (const [name, { state, timer }] of timers) if (state === 'fired' && timer.dueAt > now) timers.delete(name);
      if (open === 0 && timers.size === 0) this.#minutes.delete(number);
    }
  }

  /**
   * Forgets what fired so long ago that no repeat is expected; not what waits, and nothing of a minute whose rows are
   * still to be read. By the clock and not by the watermark, which stands still for as long as one timer can not fire,
   * while all others go on.
   */
  forgetFiredLongAgo(clock: Pick<Clock, 'now' | 'monotonic'>): void {
    const oldest = Math.min(minuteOf(clock.now()) - REMEMBER_MINUTES, this.nextMinute(clock));
    for (const [number, { timers }] of this.#minutes) {
      if (number >= oldest) continue;
      for (const [name, { state }] of timers) if (state === 'fired') timers.delete(name);
      if (timers.size === 0) this.#minutes.delete(number);
    }
  }
}

function nameOf({ dueAt, timerId }: Pick<DueTimer, 'dueAt' | 'timerId'>): string {
  return `${dueAt} ${timerId}`;
}
