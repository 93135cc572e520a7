import { DEFAULT_RETENTION_DAYS, type TopicShape, type TopicState } from '#ports/log-admin.ts';

/** Limits a batch, not a record: a producer's batch of many records near 1 MB must fit. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

const DAY_MS = 86_400_000;

/** Those of a topic that `settingsFor` gives. */
export const TOPIC_SETTINGS = [
  'cleanup.policy',
  'retention.ms',
  'max.message.bytes',
  'message.timestamp.type',
  'min.insync.replicas',
  'unclean.leader.election.enable',
] as const;

/** By name, as Kafka writes them. */
export type TopicSettings = Readonly<Record<string, string | undefined>>;

/** The settings of a topic that is made. */
export function settingsFor(topic: TopicShape, replication: number): Record<(typeof TOPIC_SETTINGS)[number], string> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String((topic.retentionDays ?? DEFAULT_RETENTION_DAYS) * DAY_MS),
    'max.message.bytes': String(MAX_MESSAGE_BYTES),
    'message.timestamp.type': 'LogAppendTime',
    // An acknowledged record is on two brokers, and writes continue while one of three is down.
    'min.insync.replicas': String(replication >= 3 ? 2 : 1),
    'unclean.leader.election.enable': 'false',
  };
}

export interface TopicFound {
  readonly topic: TopicShape;
  /** As Kafka knows it. */
  readonly name: string;
  /** The least number of copies. */
  readonly replication: number;
  /** null: it is missing. */
  readonly state: TopicState | null;
  readonly settings: TopicSettings;
}

/** Where a topic is not as it must be, a sentence each. More copies, a longer retention or larger batches are right. */
export function topicDifferences({ topic, name, replication, state, settings }: TopicFound): readonly string[] {
  if (state === null) return [`topic ${name} is missing`];
  const wanted = settingsFor(topic, replication);
  const differs = (setting: (typeof TOPIC_SETTINGS)[number], why: string): string | false =>
    `topic ${name} has ${setting}=${settings[setting] ?? 'none'} and needs ${wanted[setting]}: ${why}`;
  const isLess = (setting: (typeof TOPIC_SETTINGS)[number]): boolean =>
    amountOf(settings[setting]) < amountOf(wanted[setting]);
  return [
    state.partitions !== topic.partitions &&
      `topic ${name} has ${state.partitions} partitions and must have ${topic.partitions}: keys are placed by that number`,
    state.replication < replication &&
      `topic ${name} has ${state.replication} copies, and CRIER_KAFKA_REPLICATION asks for ${replication}`,
    settings['cleanup.policy'] !== wanted['cleanup.policy'] &&
      differs('cleanup.policy', 'compaction removes records that were not read yet'),
    isLess('retention.ms') && differs('retention.ms', 'what is not read by then is lost'),
    isLess('max.message.bytes') && differs('max.message.bytes', 'larger batches are refused'),
    settings['message.timestamp.type'] !== wanted['message.timestamp.type'] &&
      differs('message.timestamp.type', "ages are counted by the brokers' clocks"),
    isLess('min.insync.replicas') && differs('min.insync.replicas', 'a record that is on one broker alone can be lost'),
    settings['unclean.leader.election.enable'] !== wanted['unclean.leader.election.enable'] &&
      differs('unclean.leader.election.enable', 'a broker that lags would become leader and lose records'),
  ].filter((line) => line !== false);
}

/** Kafka writes -1 for a retention without end. */
function amountOf(written: string | undefined): number {
  const amount = Number(written ?? 0);
  return amount < 0 ? Infinity : amount;
}
