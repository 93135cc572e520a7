import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import type { TopicPartition } from '#ports/log.ts';
import { balance } from '../in-process/balance.ts';

/**
 * The name of the group protocol. All members must agree on it, so it changes only with the meaning of their user data.
 */
const PROTOCOL = 'crier-sticky';

/**
 * Assigns partitions evenly and moves as few as that allows. kafkajs's own assigner deals them anew at every join, and
 * each move costs the loser a mailbox and the new owner a cache. Members send the partitions that they hold as user
 * data (JSON).
 */
export function stickyAssigner(held: () => readonly TopicPartition[]): PartitionAssigner {
  return ({ cluster }) => ({
    name: PROTOCOL,
    version: 1,
    protocol: ({ topics }) => ({
      name: PROTOCOL,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: 1,
        topics,
        userData: Buffer.from(JSON.stringify(held())),
      }),
    }),
    assign: async ({ members, topics }) => {
      const parties = members.map(({ memberId, memberMetadata }) => ({ memberId, ...claims(memberMetadata) }));
      parties.sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
      const shares = new Map(parties.map(({ memberId }) => [memberId, {} as Record<string, number[]>]));
      for (const topic of topics) {
        const partitions = cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => partitionId)
          .sort((a, b) => a - b);
        const readers = parties.filter((party) => party.topics.includes(topic));
        if (readers.length === 0) continue;
        const before = partitions.map(
          (partition) => readers.find((party) => party.held.has(`${topic}/${partition}`))?.memberId,
        );
        balance(
          before,
          readers.map(({ memberId }) => memberId),
        ).forEach((owner, index) => {
          const share = shares.get(owner) ?? {};
          (share[topic] ??= []).push(partitions[index] ?? 0);
        });
      }
      return [...shares].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: 1,
          assignment,
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function claims(metadata: Buffer): { readonly topics: readonly string[]; readonly held: ReadonlySet<string> } {
  const decoded = AssignerProtocol.MemberMetadata.decode(metadata);
  const held = decoded?.userData.length ? (JSON.parse(decoded.userData.toString()) as TopicPartition[]) : [];
  return { topics: decoded?.topics ?? [], held: new Set(held.map(({ topic, partition }) => `${topic}/${partition}`)) };
}
