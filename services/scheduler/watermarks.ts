import type { WorldPorts } from '#ports/ports.ts';
import { minuteOf, type DueTimers } from '#tables/repositories/due.ts';
import type { ShardBody, ShardRow, Shards } from '#tables/repositories/shards.ts';
import type { Shard } from './shard.ts';

export interface WatermarkOptions extends Pick<WorldPorts, 'clock' | 'ids' | 'reporter'> {
  readonly due: DueTimers;
  readonly shards: Shards;
}

/** A watermark moves by at least this: after a take-over so few minutes are read again at next to no cost. */
const MOVE_AFTER_MINUTES = 5;
const HOUR_MS = 3_600_000;
/**
 * A minute's rows are kept this long after it passed, to be read again if the clock by which it passed proves to have
 * led. The time is counted by the monotonic clocks of the shard's owners, one after the other: by a wall clock that
 * leaps ahead by days, minutes that are still to come would be dropped.
 */
const KEEP_MS = 24 * HOUR_MS;

/** Takes the epoch of an assigned shard. False: try again. Rejects with `PortError`. */
export async function claimShard(shard: Shard, options: WatermarkOptions): Promise<boolean> {
  const row = await options.shards.claim(shard.number, options.ids.token());
  if (row === null || shard.state === 'lost') return false;
  if (shard.state === 'claimed') {
    shard.claimedTwice(row);
    return true;
  }
  shard.claim(row, options.clock);
  options.reporter.report('shard-claimed', {
    shard: shard.number,
    epoch: row.epoch,
    behindMinutes: minuteOf(options.clock.now()) - row.minute,
  });
  return true;
}

/**
 * Moves a claimed shard's watermark to the first minute that has not passed (at once when `force`, or when it has to go
 * back), and drops minutes that passed long ago. An epoch that was taken from us is claimed again while the log says
 * that the shard is ours: a former owner that woke and claimed it would otherwise be the last one that could move the
 * watermark. Rejects with `PortError`.
 */
export async function moveWatermark(shard: Shard, options: WatermarkOptions, force: boolean): Promise<void> {
  const { row } = shard;
  if (shard.state !== 'claimed' || row === null) return;
  shard.forgetFiredLongAgo(options.clock);
  const watermark = shard.watermark(options.clock);
  const moves = watermark.minute - row.minute;
  if (moves === 0 || (moves > 0 && moves < MOVE_AFTER_MINUTES && !force)) return;
  const to = movedTo(row, watermark, shard.ownedForMs(options.clock));
  await dropMinutes(shard.number, row.dropped, to.dropped, options.due);
  const moved = await options.shards.move(shard.number, row, to, options.ids.token());
  if (moved === null) {
    options.reporter.report('shard-overtaken', { shard: shard.number, epoch: row.epoch });
    const again = await options.shards.claim(shard.number, options.ids.token());
    if (again !== null) shard.rowWritten(again, options.clock);
    return;
  }
  shard.rowWritten(moved, options.clock);
}

/**
 * The row with its watermark moved, owned for `heldMs` more; minutes that passed KEEP_MS ago are to be dropped.
 */
function movedTo(
  row: ShardRow,
  { minute, ...doubt }: Pick<ShardBody, 'minute' | 'doubted'>,
  heldMs: number,
): Omit<ShardBody, 'epoch' | 'owner'> {
  const ownedMs = (row.ownedMs ?? 0) + heldMs;
  // A mark in the future was left by a leading clock and says nothing of when minutes passed.
  const marks = (row.marks ?? []).filter((mark) => mark.minute <= minute);
  const old = marks.filter((mark) => ownedMs - mark.ownedMs >= KEEP_MS);
  const kept = marks.slice(old.length);
  const latest = kept.at(-1);
  if (latest === undefined || ownedMs - latest.ownedMs >= HOUR_MS) kept.push({ minute, ownedMs });
  const dropped = Math.min(minute, Math.max(row.dropped, old.at(-1)?.minute ?? 0));
  return { minute, ...doubt, dropped, ownedMs, marks: kept };
}

/** Drops minutes that hold rows; each empty one would cost a tombstone. */
async function dropMinutes(shard: number, from: number, until: number, due: DueTimers): Promise<void> {
  for await (const minute of due.minutes(shard, from, until)) {
    if ((await due.read(shard, minute, null, 1)).length > 0) await due.drop(shard, minute);
  }
  await due.dropDays(shard, from, until);
}
