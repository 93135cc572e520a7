import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#ports/reporter.ts';
import { minuteOf, type DueTimers } from '#tables/due.ts';
import type { Shards } from '#tables/shards.ts';
import type { Shard } from './shard.ts';

export interface WatermarkParts {
  readonly due: DueTimers;
  readonly shards: Shards;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/** A watermark is moved only this often: to read so many empty minutes again after a take-over costs next to nothing. */
const MOVE_AFTER_MINUTES = 5;
/** A minute's rows are kept this long after it passed, for who wants to look. */
const KEEP_MINUTES = 24 * 60;
const REMEMBER_MINUTES = 10;

/** Takes the epoch of an assigned shard. False: try again. Rejects with `PortError`. */
export async function claimShard(shard: Shard, parts: WatermarkParts): Promise<boolean> {
  const row = await parts.shards.claim(shard.number, parts.ids.token());
  if (row === null || shard.state === 'lost') return false;
  if (shard.row !== null) {
    // Claimed twice by ourselves, side by side: the later epoch is the one that may move the watermark.
    if (row.version > shard.row.version) shard.row = row;
    return true;
  }
  shard.row = row;
  shard.nextMinute = row.minute;
  shard.state = 'claimed';
  parts.reporter.report('shard-claimed', { shard: shard.number, epoch: row.epoch, behindMinutes: minuteOf(parts.clock.now()) - row.minute });
  return true;
}

/**
 * Moves a claimed shard's watermark over the minutes that have passed (at once when `force`), and drops those that passed a day ago.
 * An epoch that is not ours any more is claimed again while the log still says that the shard is ours: a waking zombie that claimed
 * in between would otherwise leave it with nobody. Rejects with `PortError`.
 */
export async function moveWatermark(shard: Shard, parts: WatermarkParts, force: boolean): Promise<void> {
  const { row } = shard;
  if (shard.state !== 'claimed' || row === null) return;
  const minute = shard.watermark(minuteOf(parts.clock.now()));
  if (minute - row.minute < (force ? 1 : MOVE_AFTER_MINUTES)) return;
  const dropped = Math.max(row.dropped, minute - KEEP_MINUTES);
  await dropMinutes(shard.number, row.dropped, dropped, parts.due);
  const moved = await parts.shards.move(shard.number, row, { minute, dropped }, parts.ids.token());
  if (moved === null) {
    parts.reporter.report('shard-overtaken', { shard: shard.number, epoch: row.epoch });
    const again = await parts.shards.claim(shard.number, parts.ids.token());
    if (again !== null) shard.row = again;
    return;
  }
  shard.row = moved;
  shard.forgetBefore(minute - REMEMBER_MINUTES);
}

/** Only minutes that hold something are dropped: an empty one dropped would be a tombstone for nothing. */
async function dropMinutes(shard: number, from: number, until: number, due: DueTimers): Promise<void> {
  for await (const minute of due.minutes(shard, from, until)) {
    if ((await due.read(shard, minute, null, 1)).length > 0) await due.drop(shard, minute);
  }
}
