import type { Codec } from '#messages/messages.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { TopicRecords } from '#ports/table-store.ts';
import { timerIdOf, type DueTimer, type DueTimers } from '#tables/repositories/due.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { TIMERS } from '#tables/declarations/topics.ts';

/** Schedulers read a minute of timers less than this ahead; a timer nearer than this also travels through timers.v1. */
export const LOOK_AHEAD_MS = 5 * 60_000;

export interface TimerOptions extends Pick<WorldPorts, 'log' | 'clock'> {
  readonly due: DueTimers;
  readonly codec: Codec;
}

/**
 * Sets timers so that none can be missed. The row is written first. Only once it is acknowledged is the timer judged to
 * be near or not: a near one also goes to the shard's owner through timers.v1, since its minute may have been read. If
 * that were judged before the write, a slow write could land behind the reader. Repeating is harmless: receivers ignore
 * a message that they handled. Rejects with `PortError`.
 */
export async function setTimers(options: TimerOptions, timers: readonly TimerEffect[]): Promise<void> {
  await writeTimers(options, dueTimers(options.codec, timers));
}

/** The same, of timers as rows. */
export async function writeTimers(options: TimerOptions, due: readonly DueTimer[]): Promise<void> {
  if (due.length === 0) return;
  await options.due.write(due);
  await announceNearTimers(options, due);
}

/** Timers as rows: the one place that gives them their ids. */
export function dueTimers(codec: Codec, timers: readonly TimerEffect[]): readonly DueTimer[] {
  return timers.map(({ message, trace, ...timer }) => {
    const payload = codec.encode(message);
    return { ...timer, timerId: timerIdOf(timer.timerId, { ...timer, payload }, trace), payload };
  });
}

/**
 * Sends timers that are near by now to the owners of their shards, once their rows are written. Rejects with
 * `PortError`; repeating is harmless.
 */
export async function announceNearTimers(options: Omit<TimerOptions, 'due'>, due: readonly DueTimer[]): Promise<void> {
  const near = due.filter((timer) => timer.dueAt < options.clock.now() + LOOK_AHEAD_MS);
  await Promise.all(timerRecords(options.codec, near).map(({ topic, records }) => options.log.append(topic, records)));
}

/** What tells the owners of their shards of timers; empty where there is none to tell of. */
export function timerRecords(codec: Codec, timers: readonly DueTimer[]): readonly TopicRecords[] {
  if (timers.length === 0) return [];
  const records = timers.map((timer) => ({
    key: String(timer.shard),
    partition: timer.shard,
    value: codec.encode({ type: 'TimerSet', ...timer }),
  }));
  return [{ topic: TIMERS.name, records }];
}
