import type { Clock } from '#ports/clock.ts';
import type { DueTimer } from '#tables/repositories/due.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import type { ShardRow } from '#tables/repositories/shards.ts';
import { isAhead, ReadPositions } from './read-positions.ts';

/** A timer held in memory until it has fired. */
export interface HeldTimer {
  readonly timer: DueTimer;
  readonly shard: Shard;
  state: 'waiting' | 'firing' | 'fired';
  /** Offsets of timers.v1 that may be acknowledged once it has fired. */
  readonly offsets: number[];
}

interface Minute {
  /** Held and not fired. */
  open: number;
  /** By instant and id: a timer comes from its row and from the topic, and fires once. */
  readonly timers: Map<string, HeldTimer>;
}

/**
 * What this process knows of one scheduler shard. assigned -> claimed (epoch taken; minutes from the watermark on are
 * read) -> lost. A minute has passed when it is over, its rows have all been read in time and all of it has fired.
 */
export class Shard {
  readonly number: number;
  state: 'assigned' | 'claimed' | 'lost' = 'assigned';
  row: ShardRow | null = null;
  /** The reading under way. */
  reading: Promise<void> | null = null;
  #rowWrittenAt = 0;
  #positions: ReadPositions | null = null;
  readonly #minutes = new Map<number, Minute>();

  constructor(number: number) {
    this.number = number;
  }

  claim(row: ShardRow, clock: Pick<Clock, 'now' | 'monotonic'>): void {
    if (this.state !== 'assigned') throw new Error(`shard ${this.number} is ${this.state}, not assigned`);
    this.took(row, clock);
    this.#positions = new ReadPositions(row, clock);
    this.state = 'claimed';
  }

  /** The row is as we wrote it just now. */
  took(row: ShardRow, clock: Pick<Clock, 'monotonic'>): void {
    this.row = row;
    this.#rowWrittenAt = clock.monotonic();
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
    const dropped = this.row?.dropped ?? 0;
    return Math.max(this.positions.next(clock), isAhead(dropped, clock.now()) ? 0 : dropped);
  }

  /**
   * The timer, newly held; null when it was held before: then its offset waits with it, or is returned to `done` when
   * it has fired.
   */
  hold(timer: DueTimer, offset: number | null, done: (offset: number) => void): HeldTimer | null {
    const number = minuteOf(timer.dueAt);
    const minute = this.#minutes.get(number) ?? { open: 0, timers: new Map<string, HeldTimer>() };
    this.#minutes.set(number, minute);
    const name = `${timer.dueAt} ${timer.timerId}`;
    const known = minute.timers.get(name);
    if (known !== undefined) {
      if (offset !== null && known.state === 'fired') done(offset);
      else if (offset !== null) known.offsets.push(offset);
      return null;
    }
    const held: HeldTimer = { timer, shard: this, state: 'waiting', offsets: offset === null ? [] : [offset] };
    minute.timers.set(name, held);
    minute.open++;
    return held;
  }

  fired(held: HeldTimer): void {
    const minute = this.#minutes.get(minuteOf(held.timer.dueAt));
    if (held.state !== 'firing' || minute === undefined)
      throw new Error(`timer ${held.timer.timerId} is ${held.state}, not firing`);
    held.state = 'fired';
    minute.open--;
  }

  /**
   * The first minute that has not passed. It never goes back but from the future: the watermark of an owner whose clock
   * led would hide the minutes until then from the next owner.
   */
  watermark(clock: Pick<Clock, 'now' | 'monotonic'>): number {
    const now = clock.now();
    let lowest = Math.min(minuteOf(now), this.nextMinute(clock));
    for (const [number, minute] of this.#minutes) if (minute.open > 0 && number < lowest) lowest = number;
    const known = this.row?.minute ?? 0;
    // A timer set late, for a minute that passed, fires from the topic; the watermark stays where it is.
    return isAhead(known, now) ? lowest : Math.max(lowest, known);
  }

  /**
   * A clock that led fired timers before their instants: they fire once more, at their instants. What is held is left
   * as it is.
   */
  forgetFiredAfter(now: number): void {
    for (const [number, { open, timers }] of this.#minutes) {
      for (const [name, { state, timer }] of timers) if (state === 'fired' && timer.dueAt > now) timers.delete(name);
      if (open === 0 && timers.size === 0) this.#minutes.delete(number);
    }
  }

  /** Forgets minutes that passed so long ago that no repeat of their timers is expected. */
  forgetBefore(minute: number): void {
    for (const [number, known] of this.#minutes) if (number < minute && known.open === 0) this.#minutes.delete(number);
  }
}
