import kafkajs, { type Admin, type GroupDescription } from 'kafkajs';
import { PortError } from '#ports/errors.ts';
import type { TopicShape } from '#ports/log-admin.ts';
import type { GroupState, LogPositions } from '#ports/log-positions.ts';
import { ConnectGate, createClient, type KafkaAccess } from './client.ts';
import { extentsOf, positionsOf } from './offsets.ts';
import { KAFKA_SETTINGS } from './settings.ts';

// A CommonJS package: Node finds only some of its names from outside.
const { AssignerProtocol } = kafkajs;

export interface KafkaLogPositionsOptions {
  readonly access: KafkaAccess;
  /** As `KafkaLogOptions.prefix`. */
  readonly prefix: string;
}

/** Connects with its first call. */
export function createKafkaLogPositions({ access, prefix }: KafkaLogPositionsOptions): LogPositions {
  const kafka = createClient(access, new ConnectGate(), KAFKA_SETTINGS, undefined);
  let connected: Promise<Admin> | null = null;
  const run = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
    try {
      connected ??= connect(kafka.admin());
      return await work(await connected);
    } catch (error) {
      connected = null;
      throw new PortError('unavailable', `Kafka: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  return {
    extents: (topics) =>
      run(async (admin) => (await Promise.all(topics.map((topic) => extentsOf(admin, prefix, topic.name)))).flat()),
    groups: (topics) => run((admin) => groupsOf(admin, topics, prefix)),
    close: async () => {
      await connected?.then((admin) => admin.disconnect()).catch(() => undefined);
    },
  };
}

async function connect(admin: Admin): Promise<Admin> {
  await admin.connect();
  return admin;
}

async function groupsOf(admin: Admin, topics: readonly TopicShape[], prefix: string): Promise<readonly GroupState[]> {
  const { groups } = await admin.listGroups();
  const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
  if (ids.length === 0) return [];
  const topicNames = topics.map(({ name }) => name);
  const described = await admin.describeGroups(ids);
  const states: GroupState[] = [];
  for (const { groupId, members } of described.groups) {
    const group = groupId.slice(prefix.length);
    const positions = await positionsOf(admin, prefix, { group, topics: topicNames });
    // Without a prefix the groups of others are among them.
    const names = topicNames.map((name) => prefix + name);
    const isOurs = prefix !== '' || positions.length > 0 || members.some((member) => reads(member, names));
    if (isOurs) states.push({ group, members: members.length, positions });
  }
  return states.toSorted((a, b) => a.group.localeCompare(b.group));
}

/**
 * A member that has just joined has no assignment yet; it named the topics when it joined. While its group is being
 * shared out anew Kafka does not tell them: then it may be ours.
 */
function reads({ memberMetadata }: GroupDescription['members'][number], names: readonly string[]): boolean {
  if (memberMetadata.length === 0) return true;
  const topics = AssignerProtocol.MemberMetadata.decode(memberMetadata)?.topics ?? [];
  return topics.some((topic) => names.includes(topic));
}
