import { NETWORKS } from '#domain/network.ts';
import type { GroupReading } from '#ports/log.ts';
import {
  CHANNEL_PICTURES,
  CONNECTION_UPKEEP,
  DEAD_LETTERS,
  MEDIA_JOBS,
  MEDIA_REMOVALS,
  METRICS_READINGS,
  PUBLISH,
  TIMERS,
  WEBHOOK_DELIVERIES,
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
} from './topics.ts';

/** Every topic, with the one consumer group that reads it. A group has the name of its consumer. */
export const READERS: readonly GroupReading[] = [
  { group: 'workspace', topic: WORKSPACE_COMMANDS.name },
  { group: 'scheduler', topic: TIMERS.name },
  ...NETWORKS.map((network) => ({ group: `publisher-${network}`, topic: PUBLISH[network].name })),
  { group: 'media', topic: MEDIA_JOBS.name },
  { group: 'media-removals', topic: MEDIA_REMOVALS.name },
  { group: 'channel-pictures', topic: CHANNEL_PICTURES.name },
  { group: 'metrics', topic: METRICS_READINGS.name },
  { group: 'upkeep', topic: CONNECTION_UPKEEP.name },
  { group: 'webhooks', topic: WORKSPACE_EVENTS.name },
  { group: 'webhook-deliveries', topic: WEBHOOK_DELIVERIES.name },
  { group: 'dead-letters', topic: DEAD_LETTERS.name },
];

/** The group that reads a topic; null: no topic of this release has the name. */
export function readerOf(topic: string): string | null {
  return READERS.find((reading) => reading.topic === topic)?.group ?? null;
}
