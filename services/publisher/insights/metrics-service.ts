import type { Codec } from '#messages/messages.ts';
import type { Network } from '#domain/network.ts';
import type { NetworkMetrics } from '#networks/contract/adapter.ts';
import type { Connections } from '#connections/connections.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import { metricsTimer } from '#outbox/metrics-messages.ts';
import type { Service } from '#runtime/service.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import type { Workload } from '#consumer/workload.ts';
import { METRICS_READINGS } from '#tables/declarations/topics.ts';
import { createMetricsRows } from '#tables/repositories/variant-metrics.ts';
import { reportNeedsReconnect } from '#commands/send-command.ts';
import { isOfRemovedPost } from '../removed-posts.ts';
import { MetricsReader } from './metrics-reader.ts';

export interface MetricsServiceOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly http: HttpClient;
  readonly ids: Ids;
  readonly connections: Connections;
  readonly metrics: Readonly<Partial<Record<Network, NetworkMetrics>>>;
}

/** Channels at once in one process: figures may be read late. */
const CHANNELS_AT_ONCE = 8;

/**
 * Reads the figures of published Variants from Networks, each time a timer fires. Apart from publishing, so that a
 * Network whose figures are slow delays no Post.
 */
export function createMetricsService(options: MetricsServiceOptions): Service & Workload {
  const reader = new MetricsReader({
    ...options,
    isRemoved: (reading) => isOfRemovedPost(reading, options),
    rows: createMetricsRows(options.store, () => options.ids.token()),
    setNext: (reading, at) => setTimers(options, [metricsTimer(reading, at)]),
    markChannel: (reading) => reportNeedsReconnect(options, reading),
  });
  return createTopicConsumer(
    {
      name: 'metrics',
      topic: METRICS_READINGS,
      concurrency: CHANNELS_AT_ONCE,
      handle: oneByOne((message) => reader.run(message)),
    },
    options,
  );
}
