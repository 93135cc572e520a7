import type { Codec } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { timerIdOf, type DueTimer, type DueTimers } from '#tables/repositories/due.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { TIMERS } from '#tables/declarations/topics.ts';

/** Schedulers read a minute of timers less than this ahead; a timer nearer than this also travels through timers.v1. */
export const LOOK_AHEAD_MS = 5 * 60_000;

export interface TimerOptions {
  readonly due: DueTimers;
  readonly log: Log;
  readonly codec: Codec;
  readonly clock: Clock;
}

/**
 * Sets timers so that none can be missed: the row first, and only after it is acknowledged is it judged whether the
 * moment is so near that the bucket may have been read already; then the timer is told to the shard's owner too. Judged
 * before, a slow write could land behind the reader. Repeating is harmless: what fires twice is ignored by who receives
 * it. Rejects with `PortError`.
 */
export async function setTimers(parts: TimerOptions, timers: readonly TimerEffect[]): Promise<void> {
  if (timers.length === 0) return;
  const due = dueTimers(parts.codec, timers);
  await parts.due.write(due);
  await announceNearTimers(parts, due);
}

/** Timers as rows: the one place that gives them their ids. */
export function dueTimers(codec: Codec, timers: readonly TimerEffect[]): readonly DueTimer[] {
  return timers.map(({ message, ...timer }) => {
    const payload = codec.encode(message);
    return { ...timer, timerId: timerIdOf(timer.timerId, { ...timer, payload }), payload };
  });
}

/**
 * Tells shards' owners of the timers that are near by now; their rows are written. Rejects with `PortError`; repeating
 * is harmless.
 */
export async function announceNearTimers(parts: Omit<TimerOptions, 'due'>, due: readonly DueTimer[]): Promise<void> {
  const near = due.filter((timer) => timer.dueAt < parts.clock.now() + LOOK_AHEAD_MS);
  if (near.length === 0) return;
  await parts.log.append(
    TIMERS.name,
    near.map((timer) => ({
      key: String(timer.shard),
      partition: timer.shard,
      value: parts.codec.encode({ type: 'TimerSet', ...timer }),
    })),
  );
}
