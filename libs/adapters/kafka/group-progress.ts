import kafkajs, { type Admin } from 'kafkajs';
import type { GroupProgress, GroupReading } from '#ports/log.ts';
import { extentsOf, positionsOf } from './offsets.ts';

// A CommonJS package: Node finds only some of its names from outside.
const { AssignerProtocol } = kafkajs;

/**
 * What Kafka's coordinators and leaders know of groups, in a handful of requests. `prefix`: of the names of topics and
 * groups in Kafka.
 */
export async function groupProgress(
  admin: Admin,
  prefix: string,
  readings: readonly GroupReading[],
): Promise<readonly GroupProgress[]> {
  const topics = [...new Set(readings.map(({ topic }) => topic))];
  const groups = [...new Set(readings.map(({ group }) => group))];
  const [extents, owners] = await Promise.all([
    Promise.all(topics.map(async (topic) => [topic, await extentsOf(admin, prefix, topic)] as const)),
    groups.length === 0 ? new Map<string, string>() : ownersOf(admin, prefix, groups),
  ]);
  const extentsByTopic = new Map(extents);
  const all = await Promise.all(
    readings.map(async ({ group, topic }) => {
      const positions = await positionsOf(admin, prefix, { group, topics: [topic] });
      const acknowledged = new Map(positions.map(({ partition, next }) => [partition, next]));
      return (extentsByTopic.get(topic) ?? []).map(({ partition, start, end }): GroupProgress => ({
        ...{ group, topic, partition, end },
        next: Math.max(acknowledged.get(partition) ?? start, start),
        owner: owners.get(`${group} ${topic}/${partition}`) ?? null,
      }));
    }),
  );
  return all.flat().toSorted((a, b) => a.partition - b.partition);
}

/** The client and host of each member, by group, topic and partition. */
async function ownersOf(admin: Admin, prefix: string, groups: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { groups: described } = await admin.describeGroups(groups.map((group) => prefix + group));
  const owners = new Map<string, string>();
  for (const { groupId, members } of described) {
    for (const { clientId, clientHost, memberAssignment } of members) {
      const { assignment = {} } = AssignerProtocol.MemberAssignment.decode(memberAssignment) ?? {};
      for (const [topic, partitions] of Object.entries(assignment)) {
        for (const partition of partitions)
          owners.set(
            `${groupId.slice(prefix.length)} ${topic.slice(prefix.length)}/${partition}`,
            `${clientId} at ${clientHost.replace(/^\//, '')}`,
          );
      }
    }
  }
  return owners;
}
