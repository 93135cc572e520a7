import type { DueTimer } from '#tables/due.ts';
import { minuteOf } from '#tables/due.ts';
import type { ShardRow } from '#tables/shards.ts';

/** A timer held in memory until it has fired. */
export interface Held {
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
  readonly timers: Map<string, Held>;
}

/**
 * What this process knows of one scheduler shard. assigned -> claimed (epoch taken; minutes from the watermark on are read) -> lost.
 * A minute has passed when it is over, its rows have all been read and all of it has fired.
 */
export class Shard {
  readonly number: number;
  state: 'assigned' | 'claimed' | 'lost' = 'assigned';
  row: ShardRow | null = null;
  /** Every minute before this one has been read whole. */
  nextMinute = 0;
  /** The reading under way. */
  reading: Promise<void> | null = null;
  readonly #minutes = new Map<number, Minute>();

  constructor(number: number) {
    this.number = number;
  }

  /** The timer, newly held; null when it was held before: then its offset waits with it, or is returned to `done` when it has fired. */
  hold(timer: DueTimer, offset: number | null, done: (offset: number) => void): Held | null {
    const number = minuteOf(timer.dueAt);
    const minute = this.#minutes.get(number) ?? { open: 0, timers: new Map<string, Held>() };
    this.#minutes.set(number, minute);
    const name = `${timer.dueAt} ${timer.timerId}`;
    const known = minute.timers.get(name);
    if (known !== undefined) {
      if (offset !== null && known.state === 'fired') done(offset);
      else if (offset !== null) known.offsets.push(offset);
      return null;
    }
    const held: Held = { timer, shard: this, state: 'waiting', offsets: offset === null ? [] : [offset] };
    minute.timers.set(name, held);
    minute.open++;
    return held;
  }

  fired(held: Held): void {
    const minute = this.#minutes.get(minuteOf(held.timer.dueAt));
    if (held.state !== 'firing' || minute === undefined) throw new Error(`timer ${held.timer.timerId} is ${held.state}, not firing`);
    held.state = 'fired';
    minute.open--;
  }

  /** The first minute that has not passed, given that `current` is not over. */
  watermark(current: number): number {
    let lowest = Math.min(current, this.nextMinute);
    for (const [number, minute] of this.#minutes) if (minute.open > 0 && number < lowest) lowest = number;
    // A timer set late, for a minute that passed, fires from the topic; the watermark stays where it is.
    return Math.max(lowest, this.row?.minute ?? 0);
  }

  /** Forgets minutes that passed so long ago that no repeat of their timers is expected. */
  forgetBefore(minute: number): void {
    for (const [number, known] of this.#minutes) if (number < minute && known.open === 0) this.#minutes.delete(number);
  }
}
