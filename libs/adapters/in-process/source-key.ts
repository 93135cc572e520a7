import type { TopicPartition } from '#ports/log.ts';

export const sourceKey = (source: TopicPartition): string => `${source.topic}/${source.partition}`;
