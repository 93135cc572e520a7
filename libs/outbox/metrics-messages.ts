import type { MetricsReading } from '#domain/variant/metrics.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { METRICS_READINGS, shardOf } from '#tables/declarations/topics.ts';

/** Has a Variant's figures read at an instant, in the mailbox of its Channel. */
export function metricsTimer(reading: MetricsReading, at: number): TimerEffect {
  const message = { ...reading, type: 'ReadMetrics' } as const;
  return {
    shard: shardOf(reading.workspaceId),
    timerId: `metrics ${reading.variantId}`,
    dueAt: at,
    topic: METRICS_READINGS.name,
    key: reading.channelId,
    message,
  };
}
