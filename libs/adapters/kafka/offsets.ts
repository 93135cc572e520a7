import type { Admin } from 'kafkajs';
import type { GroupPosition, PartitionExtent } from '#ports/log-positions.ts';

/** By partition. `prefix`: of the names of topics and groups in Kafka, here and below. */
export async function extentsOf(admin: Admin, prefix: string, topic: string): Promise<readonly PartitionExtent[]> {
  const found = await admin.fetchTopicOffsets(prefix + topic);
  return found
    .map(({ partition, low, high }) => ({ topic, partition, start: Number(low), end: Number(high) }))
    .toSorted((a, b) => a.partition - b.partition);
}

/** Of partitions of these topics of which the group acknowledged something. */
export async function positionsOf(
  admin: Admin,
  prefix: string,
  { group, topics }: { readonly group: string; readonly topics: readonly string[] },
): Promise<readonly GroupPosition[]> {
  const names = topics.map((topic) => prefix + topic);
  const found = await admin.fetchOffsets({ groupId: prefix + group, topics: names });
  return found.flatMap(({ topic, partitions }) =>
    partitions
      .map(({ partition, offset }) => ({ topic: topic.slice(prefix.length), partition, next: Number(offset) }))
      // -1: it never acknowledged a record of the partition.
      .filter(({ next }) => next >= 0),
  );
}
