import { createRequire } from 'node:module';
import type { Kafka } from 'kafkajs';
import { CONNECTED_CLUSTER, SILENT } from './kafkajs-cluster.fixture.ts';

const require = createRequire(import.meta.url);
const createProducer = require('kafkajs/src/producer') as (options: unknown) => unknown;
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as { createErrorFromCode(code: number): Error };
const { KafkaJSRequestTimeoutError } = require('kafkajs') as { KafkaJSRequestTimeoutError: new (why: string) => Error };

const NOT_LEADER_FOR_PARTITION = 6;
/** A broker compares a batch with so many before it. */
const REMEMBERED_BATCHES = 5;

interface Entry {
  readonly partition: number;
  readonly firstSequence: number;
  readonly messages: readonly { readonly value: Buffer }[];
}

interface ProduceRequest {
  readonly producerId: number;
  readonly topicData: readonly { readonly topic: string; readonly partitions: readonly Entry[] }[];
}

/** A request to produce that a broker has, and what the test lets become of it. */
export interface Asked {
  /** It is stored, and the producer is told so. */
  answer(): void;
  /** It is stored, and the producer never hears of it. */
  loseAnswer(): void;
  /** It is not stored: another broker leads the partition. */
  refuse(): void;
}

interface Batch {
  readonly producerId: number;
  readonly first: number;
  readonly last: number;
  readonly base: number;
}

/** One partition, as all brokers have it. */
class Partition {
  readonly values: string[] = [];
  #batches: Batch[] = [];

  /** As a broker does: what an idempotent producer sent before is acknowledged, and not stored again. */
  append(producerId: number, { firstSequence, messages }: Entry): number {
    const last = firstSequence + messages.length - 1;
    const own = this.#batches.filter((batch) => batch.producerId === producerId).slice(-REMEMBERED_BATCHES);
    const same = own.find((batch) => batch.first === firstSequence && batch.last === last);
    if (same !== undefined) return same.base;
    const base = this.values.length;
    this.#batches.push({ producerId, first: firstSequence, last, base });
    this.values.push(...messages.map(({ value }) => value.toString()));
    return base;
  }
}

/**
 * Brokers that kafkajs's own producer sends to, in the place of a cluster: partition n is led by broker n, and each
 * request waits until the test decides what becomes of it.
 */
export class Brokers {
  readonly #partitions = new Map<number, Partition>();
  readonly #asked = new Map<number, Asked[]>();
  readonly #brokers = new Map<number, object>();
  #producers = 0;

  /** The values of a partition, in the order of the log. */
  stored(partition: number): readonly string[] {
    return this.#partition(partition).values;
  }

  /** Requests that a broker got, oldest first. */
  asked(broker: number): readonly Asked[] {
    return this.#asked.get(broker) ?? [];
  }

  readonly client = (): Kafka =>
    ({
      producer: (options: object) => createProducer({ ...options, cluster: this.#cluster(), logger: SILENT }),
    }) as Kafka;

  #cluster(): object {
    return {
      retry: { initialRetryTime: 1 },
      targetTopics: new Set<string>(),
      ...CONNECTED_CLUSTER,
      findControllerBroker: async () => ({
        initProducerId: async () => ({ producerId: ++this.#producers, producerEpoch: 0 }),
      }),
      findTopicPartitionMetadata: () => [{ partitionId: 1, leader: 1 }],
      findLeaderForPartitions: (_topic: string, partitions: readonly string[]) =>
        Object.fromEntries(partitions.map((partition) => [partition, [Number(partition)]])),
      findBroker: async ({ nodeId }: { readonly nodeId: string }) => this.#broker(Number(nodeId)),
    };
  }

  #broker(nodeId: number): object {
    const known = this.#brokers.get(nodeId);
    if (known !== undefined) return known;
    const broker = { nodeId, produce: (request: ProduceRequest) => this.#produce(nodeId, request) };
    this.#brokers.set(nodeId, broker);
    return broker;
  }

  #produce(broker: number, { producerId, topicData }: ProduceRequest): Promise<object> {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    const store = (): object => ({
      topics: topicData.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map((entry) => ({
          partition: entry.partition,
          baseOffset: String(this.#partition(entry.partition).append(producerId, entry)),
        })),
      })),
    });
    const asked: Asked = {
      answer: () => resolve(store()),
      loseAnswer: () => {
        store();
        reject(new KafkaJSRequestTimeoutError('no answer in time'));
      },
      refuse: () => reject(createErrorFromCode(NOT_LEADER_FOR_PARTITION)),
    };
    this.#asked.set(broker, [...this.asked(broker), asked]);
    return promise;
  }

  #partition(partition: number): Partition {
    const known = this.#partitions.get(partition) ?? new Partition();
    this.#partitions.set(partition, known);
    return known;
  }
}
