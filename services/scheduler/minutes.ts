import type { Clock } from '#ports/clock.ts';
import { minuteOf, type DueTimer, type DueTimers } from '#tables/repositories/due.ts';
import type { TimerRead } from './read-positions.ts';
import type { HeldTimer, PartlyRead, Shard } from './shard.ts';

/**
 * A minute's rows are read this long before it begins. That is far less than LOOK_AHEAD_MS, so a timer that is written
 * after the read also comes through the topic: one read is enough, unless our clock led by more than HARMLESS_LEAD_MS.
 */
export const READ_AHEAD_MS = 30_000;

export interface MinuteOptions {
  readonly due: DueTimers;
  readonly clock: Clock;
  /** Takes each timer that was not held before. */
  readonly add: (held: HeldTimer) => void;
  /**
   * Whether more timers of the shard may be read into memory. Rows are read in the order of their instants: what is in
   * memory fires before what waits for room, so that waiting makes nothing late.
   */
  readonly hasRoom: (shard: Shard) => boolean;
  /** Rows that are read at once. */
  readonly page: number;
}

/**
 * Reads the minutes of a claimed shard that are near or past and not read yet, as far as there is room. One reading at
 * a time; rejects with `PortError`.
 */
export async function readMinutes(shard: Shard, options: MinuteOptions): Promise<void> {
  while (shard.reading !== null) await shard.reading.catch(() => {});
  if (shard.state !== 'claimed') return;
  const until = minuteOf(options.clock.now() + READ_AHEAD_MS) + 1;
  const from = shard.nextMinute(options.clock);
  if (until <= from) return;
  const read = shard.positions.begin(options.clock);
  shard.reading = readSpan(shard, { from, until, read }, options).finally(() => {
    shard.reading = null;
  });
  await shard.reading;
}

/** How far before the watermark a timer may be due that was set before the watermark moved there. */
const SET_LATE_MINUTES = 5;

/**
 * Reads minutes again, from a little before the watermark on; timers that were held since do not fire a second time.
 * Rejects with `PortError`.
 */
export async function readAgain(shard: Shard, options: MinuteOptions): Promise<void> {
  while (shard.reading !== null) await shard.reading.catch(() => {});
  if (shard.state !== 'claimed' || shard.row === null) return;
  shard.positions.readAgainFrom(Math.max(shard.row.dropped, shard.row.minute - SET_LATE_MINUTES));
  await readMinutes(shard, options);
}

interface Span {
  readonly from: number;
  readonly until: number;
  readonly read: TimerRead;
}

async function readSpan(shard: Shard, { from, until, read }: Span, options: MinuteOptions): Promise<void> {
  const part = shard.partlyRead;
  shard.partlyRead = null;
  const goesOn = part?.minute === from && part.read.mayGoOn() ? part : null;
  for await (const minute of options.due.minutes(shard.number, from, until)) {
    const begun = minute === goesOn?.minute ? goesOn : { minute, after: null, read };
    // The minutes that were passed over hold nothing. Had they to be read still, the next reading would begin at them,
    // and read this minute from its beginning again, however much of it is read now.
    begun.read.readTo(minute);
    shard.partlyRead = await readMinute(shard, begun, options);
    if (shard.state === 'lost' || shard.partlyRead !== null) return;
    begun.read.readTo(minute + 1);
  }
  read.readTo(until);
}

/** Null: all of it was read. */
async function readMinute(
  shard: Shard,
  { minute, after, read }: PartlyRead,
  { due, add, hasRoom, page }: MinuteOptions,
): Promise<PartlyRead | null> {
  for (let last = after; ;) {
    if (!hasRoom(shard)) return { minute, after: last, read };
    const timers: readonly DueTimer[] = await due.read(shard.number, minute, last, page);
    for (const timer of timers) {
      const held = shard.hold(timer, null, () => {});
      if (held !== null) add(held);
    }
    if (timers.length < page || shard.state === 'lost') return null;
    const { dueAt, timerId } = timers.at(-1)!;
    last = { dueAt, timerId };
  }
}
