import type { Clock } from '#ports/clock.ts';
import { minuteOf, type DueTimers } from '#tables/repositories/due.ts';
import type { TimerRead } from './read-positions.ts';
import type { HeldTimer, Shard } from './shard.ts';

/**
 * A minute's rows are read this long before it begins. Far less than the look-ahead of those who set timers, so
 * whatever is written after the read comes through the topic as well: one read is enough, unless our clock led by more
 * than HARMLESS_LEAD_MS.
 */
const READ_AHEAD_MS = 30_000;
const PAGE = 2_000;

/**
 * Reads the minutes of a claimed shard that are near or past and not read yet. One reading at a time; rejects with
 * `PortError`.
 */
export async function readMinutes(
  shard: Shard,
  due: DueTimers,
  clock: Clock,
  add: (held: HeldTimer) => void,
): Promise<void> {
  while (shard.reading !== null) await shard.reading.catch(() => {});
  if (shard.state !== 'claimed') return;
  const until = minuteOf(clock.now() + READ_AHEAD_MS) + 1;
  const from = shard.nextMinute(clock);
  if (until <= from) return;
  shard.reading = readSpan(shard, due, { from, until, positions: shard.positions.begin(clock) }, add).finally(() => {
    shard.reading = null;
  });
  await shard.reading;
}

/** How long before the watermark a timer may be due that was set before it moved there. */
const SET_LATE_MINUTES = 5;

/**
 * Reads again what was read, from a little before the watermark on; what was held since fires no second time. Rejects
 * with `PortError`.
 */
export async function readAgain(
  shard: Shard,
  due: DueTimers,
  clock: Clock,
  add: (held: HeldTimer) => void,
): Promise<void> {
  while (shard.reading !== null) await shard.reading.catch(() => {});
  if (shard.state !== 'claimed' || shard.row === null) return;
  shard.positions.readAgainFrom(Math.max(shard.row.dropped, shard.row.minute - SET_LATE_MINUTES));
  await readMinutes(shard, due, clock, add);
}

interface Span {
  readonly from: number;
  readonly until: number;
  readonly positions: TimerRead;
}

async function readSpan(
  shard: Shard,
  due: DueTimers,
  { from, until, positions }: Span,
  add: (held: HeldTimer) => void,
): Promise<void> {
  for await (const minute of due.minutes(shard.number, from, until)) {
    await readMinute(shard, due, minute, add);
    if (shard.state === 'lost') return;
    positions.readTo(minute + 1);
  }
  positions.readTo(until);
}

async function readMinute(shard: Shard, due: DueTimers, minute: number, add: (held: HeldTimer) => void): Promise<void> {
  let after: { dueAt: number; timerId: string } | null = null;
  for (;;) {
    const timers = await due.read(shard.number, minute, after, PAGE);
    for (const timer of timers) {
      const held = shard.hold(timer, null, () => {});
      if (held !== null) add(held);
    }
    if (timers.length < PAGE || shard.state === 'lost') return;
    after = timers.at(-1)!;
  }
}
