import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#ports/reporter.ts';
import { minuteOf, type DueTimers } from '#tables/repositories/due.ts';
import type { ShardBody, ShardRow, Shards } from '#tables/repositories/shards.ts';
import type { Shard } from './shard.ts';

export interface WatermarkOptions {
  readonly due: DueTimers;
  readonly shards: Shards;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/**
 * A watermark is moved only this often: to read so many empty minutes again after a take-over costs next to nothing.
 */
const MOVE_AFTER_MINUTES = 5;
const HOUR_MS = 3_600_000;
/**
 * A minute's rows are kept this long after it passed, to be read again should the clock by which it passed have led.
 * Counted by monotonic clocks, of owners one after the other: by a wall clock that leaps ahead by days, minutes that
 * are still to come would be dropped.
 */
const KEEP_MS = 24 * HOUR_MS;
const REMEMBER_MINUTES = 10;

/** Takes the epoch of an assigned shard. False: try again. Rejects with `PortError`. */
export async function claimShard(shard: Shard, parts: WatermarkOptions): Promise<boolean> {
  const row = await parts.shards.claim(shard.number, parts.ids.token());
  if (row === null || shard.state === 'lost') return false;
  if (shard.row !== null) {
    // Claimed twice by ourselves, side by side: the later epoch is the one that may move the watermark.
    if (row.version > shard.row.version) shard.row = row;
    return true;
  }
  shard.claim(row, parts.clock);
  parts.reporter.report('shard-claimed', {
    shard: shard.number,
    epoch: row.epoch,
    behindMinutes: minuteOf(parts.clock.now()) - row.minute,
  });
  return true;
}

/**
 * Moves a claimed shard's watermark to the first minute that has not passed (at once when `force`, or when it has to go
 * back), and drops minutes that passed long ago. An epoch that is not ours any more is claimed again while the log
 * still says that the shard is ours: a waking zombie that claimed in between would otherwise leave it with nobody.
 * Rejects with `PortError`.
 */
export async function moveWatermark(shard: Shard, parts: WatermarkOptions, force: boolean): Promise<void> {
  const { row } = shard;
  if (shard.state !== 'claimed' || row === null) return;
  const minute = shard.watermark(parts.clock);
  const moves = minute - row.minute;
  if (moves === 0 || (moves > 0 && moves < MOVE_AFTER_MINUTES && !force)) return;
  const to = movedTo(row, minute, shard.ownedForMs(parts.clock));
  await dropMinutes(shard.number, row.dropped, to.dropped, parts.due);
  const moved = await parts.shards.move(shard.number, row, to, parts.ids.token());
  if (moved === null) {
    parts.reporter.report('shard-overtaken', { shard: shard.number, epoch: row.epoch });
    const again = await parts.shards.claim(shard.number, parts.ids.token());
    if (again !== null) shard.took(again, parts.clock);
    return;
  }
  shard.took(moved, parts.clock);
  shard.forgetBefore(minute - REMEMBER_MINUTES);
}

/**
 * The row with its watermark at `minute`, after `heldMs` more of being owned; what passed KEEP_MS ago is to be dropped.
 */
function movedTo(row: ShardRow, minute: number, heldMs: number): Omit<ShardBody, 'epoch'> {
  const ownedMs = (row.ownedMs ?? 0) + heldMs;
  // A mark that a clock left which led says nothing of when those minutes passed.
  const marks = (row.marks ?? []).filter((mark) => mark.minute <= minute);
  const old = marks.filter((mark) => ownedMs - mark.ownedMs >= KEEP_MS);
  const kept = marks.slice(old.length);
  const latest = kept.at(-1);
  if (latest === undefined || ownedMs - latest.ownedMs >= HOUR_MS) kept.push({ minute, ownedMs });
  const dropped = Math.min(minute, Math.max(row.dropped, old.at(-1)?.minute ?? 0));
  return { minute, dropped, ownedMs, marks: kept };
}

/** Only minutes that hold something are dropped: an empty one dropped would be a tombstone for nothing. */
async function dropMinutes(shard: number, from: number, until: number, due: DueTimers): Promise<void> {
  for await (const minute of due.minutes(shard, from, until)) {
    if ((await due.read(shard, minute, null, 1)).length > 0) await due.drop(shard, minute);
  }
}
