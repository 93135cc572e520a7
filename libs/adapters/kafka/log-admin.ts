import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin, type Kafka } from 'kafkajs';

import { PortError } from '#ports/errors.ts';
import type { LogAdmin, TopicShape, TopicState } from '#ports/log-admin.ts';
import { createClient, ConnectGate, type KafkaAccess } from './client.ts';
import { KAFKA_SETTINGS } from './settings.ts';
import {
  MAX_MESSAGE_BYTES,
  settingsFor,
  TOPIC_SETTINGS,
  topicDifferences,
  type TopicSettings,
} from './topic-settings.ts';

// A CommonJS package: Node finds only some of its names from outside.
const { ConfigResourceTypes, KafkaJSProtocolError } = kafkajs;

export interface KafkaLogAdminOptions {
  readonly access: KafkaAccess;
  /** A prefix of every topic's name, so that several installations can share a Kafka. */
  readonly topicPrefix?: string;
  /** How long `ensureTopics` waits for leaders. Default: 60,000. */
  readonly deadlineMs?: number;
}

const POLL_MS = 100;
const REFUSALS = [
  'INVALID_REPLICATION_FACTOR',
  'INVALID_PARTITIONS',
  'INVALID_CONFIG',
  'INVALID_TOPIC_EXCEPTION',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
];

export function createKafkaLogAdmin(options: KafkaLogAdminOptions): LogAdmin {
  return new KafkaLogAdmin(options);
}

/** Connects with its first call; after a failed call the next one makes a new connection. */
class KafkaLogAdmin implements LogAdmin {
  readonly #kafka: Kafka;
  readonly #prefix: string;
  readonly #deadlineMs: number;
  #admin: Promise<Admin> | null = null;

  constructor(options: KafkaLogAdminOptions) {
    this.#kafka = createClient(options.access, new ConnectGate(), KAFKA_SETTINGS, undefined);
    this.#prefix = options.topicPrefix ?? '';
    this.#deadlineMs = options.deadlineMs ?? 60_000;
  }

  async ensureTopics(
    topics: readonly TopicShape[],
    options: { readonly replication: number },
  ): Promise<readonly string[]> {
    return this.#run(async (admin) => {
      const names = await admin.listTopics();
      const missing = topics.filter((topic) => !names.includes(this.#nameOf(topic)));
      if (missing.length > 0) {
        // Another process may create the topics at this moment. In either case the topics are checked afterwards.
        await admin.createTopics({
          waitForLeaders: false,
          topics: missing.map((topic) => this.#creation(topic, options.replication)),
        });
      }
      const giveUpAt = performance.now() + this.#deadlineMs;
      for (const topic of topics) await this.#leadersAnswer(admin, topic, giveUpAt);
      await this.#refuseUnusable(admin, topics);
      return missing.map((topic) => topic.name);
    });
  }

  async describe(topics: readonly TopicShape[]): Promise<readonly TopicState[]> {
    return this.#run((admin) => this.#describe(admin, topics));
  }

  async differences(
    topics: readonly TopicShape[],
    { replication }: { readonly replication: number },
  ): Promise<readonly string[]> {
    return this.#run(async (admin) => {
      const states = new Map((await this.#describe(admin, topics)).map((state) => [state.name, state]));
      const there = topics.filter(({ name }) => states.has(name));
      const settings = there.length === 0 ? new Map() : await this.#settingsOf(admin, there);
      return topics.flatMap((topic) =>
        topicDifferences({
          ...{ topic, name: this.#nameOf(topic), replication },
          state: states.get(topic.name) ?? null,
          settings: settings.get(this.#nameOf(topic)) ?? {},
        }),
      );
    });
  }

  async close(): Promise<void> {
    const admin = this.#admin;
    this.#admin = null;
    await admin?.then((connected) => connected.disconnect()).catch(() => undefined);
  }

  async #describe(admin: Admin, topics: readonly TopicShape[]): Promise<readonly TopicState[]> {
    const names = await admin.listTopics();
    const existing = topics.filter((topic) => names.includes(this.#nameOf(topic)));
    if (existing.length === 0) return [];
    const metadata = await admin.fetchTopicMetadata({ topics: existing.map((topic) => this.#nameOf(topic)) });
    const partitionsOf = new Map(metadata.topics.map((topic) => [topic.name, topic.partitions]));
    return existing.map((topic) => {
      const partitions = partitionsOf.get(this.#nameOf(topic)) ?? [];
      return {
        name: topic.name,
        partitions: partitions.length,
        replication: Math.min(...partitions.map((partition) => partition.replicas.length)),
      };
    });
  }

  #creation(topic: TopicShape, replication: number) {
    const config = settingsFor(topic, replication);
    return {
      topic: this.#nameOf(topic),
      numPartitions: topic.partitions,
      replicationFactor: replication,
      configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
    };
  }

  /** Metadata names leaders up to a second before they lead, so the offsets are asked of the leaders themselves. */
  async #leadersAnswer(admin: Admin, topic: TopicShape, giveUpAt: number): Promise<void> {
    for (;;) {
      try {
        await admin.fetchTopicOffsets(this.#nameOf(topic));
        return;
      } catch (error) {
        if (performance.now() > giveUpAt)
          throw new PortError('unavailable', `Kafka: topic ${this.#nameOf(topic)} has no leaders yet`, {
            cause: error,
          });
      }
      await sleep(POLL_MS);
    }
  }

  async #refuseUnusable(admin: Admin, topics: readonly TopicShape[]): Promise<void> {
    const states = new Map((await this.#describe(admin, topics)).map((state) => [state.name, state]));
    const settings = await this.#settingsOf(admin, topics);
    const troubles = topics.flatMap((topic) => {
      const name = this.#nameOf(topic);
      const partitions = states.get(topic.name)?.partitions;
      const largest = Number(settings.get(name)?.['max.message.bytes'] ?? 0);
      return [
        ...(partitions === topic.partitions
          ? []
          : [
              `topic ${name} has ${partitions} partitions and must have ${topic.partitions}: keys are placed by that number, so use a topic prefix of your own`,
            ]),
        ...(largest >= MAX_MESSAGE_BYTES
          ? []
          : [`topic ${name} takes batches of ${largest} bytes: set its max.message.bytes to ${MAX_MESSAGE_BYTES}`]),
      ];
    });
    if (troubles.length > 0) throw new PortError('refused', `Kafka: ${troubles.join('; ')}`);
  }

  /** By the name that Kafka knows the topic by. */
  async #settingsOf(admin: Admin, topics: readonly TopicShape[]): Promise<ReadonlyMap<string, TopicSettings>> {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((topic) => ({
        type: ConfigResourceTypes.TOPIC,
        name: this.#nameOf(topic),
        configNames: [...TOPIC_SETTINGS],
      })),
    });
    return new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
      ]),
    );
  }

  #nameOf(topic: TopicShape): string {
    return `${this.#prefix}${topic.name}`;
  }

  async #run<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      this.#admin ??= connect(this.#kafka.admin());
      return await work(await this.#admin);
    } catch (error) {
      await this.close();
      if (error instanceof PortError) throw error;
      const refusal = causesOf(error).find(
        (cause) => cause instanceof KafkaJSProtocolError && REFUSALS.includes(cause.type),
      );
      const cause = refusal ?? error;
      throw new PortError(
        refusal === undefined ? 'unavailable' : 'refused',
        `Kafka: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause: error },
      );
    }
  }
}

async function connect(admin: Admin): Promise<Admin> {
  await admin.connect();
  return admin;
}

function causesOf(error: unknown): readonly unknown[] {
  const { errors, cause } = error as { readonly errors?: readonly unknown[]; readonly cause?: unknown };
  return [error, ...(errors ?? []), ...(cause === undefined || cause === error ? [] : causesOf(cause))];
}
