import { createRequire } from 'node:module';
import kafkajs, { type Kafka } from 'kafkajs';
import { CONNECTED_CLUSTER, SILENT } from './kafkajs-cluster.fixture.ts';

const { AssignerProtocol } = kafkajs;
const require = createRequire(import.meta.url);
const createConsumer = require('kafkajs/src/consumer') as (options: unknown) => unknown;
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as { createErrorFromCode(code: number): Error };

const NOT_LEADER_FOR_PARTITION = 6;
const UNKNOWN_MEMBER_ID = 25;

interface FetchRequest {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
  }[];
}

/** A fetch that a broker has, and what the test lets it answer. */
export interface Fetching {
  /** The partition that is led by the broker, and from which offset on it is read. */
  readonly from: number;
  /** Records with these offsets. */
  answer(offsets: readonly number[]): void;
  /** Another broker leads the partition. */
  refuse(): void;
}

/**
 * A group of one member, kafkajs's own consumer, in the place of a cluster: partition n of its one topic is led by
 * broker n, and each fetch waits until the test decides what becomes of it. Nothing is committed.
 */
export class ScriptedGroup {
  readonly #topic: string;
  readonly #partitions: readonly number[];
  #assigned: readonly number[];
  readonly #fetches = new Map<number, Fetching[]>();
  #members = 0;
  #known: string | null = null;
  #ended = false;
  readonly #lost = new Set<number>();

  constructor(topic: string, partitions: readonly number[]) {
    this.#topic = topic;
    this.#partitions = partitions;
    this.#assigned = partitions;
  }

  /** Fetches that a broker got, oldest first. */
  fetches(broker: number): readonly Fetching[] {
    return this.#fetches.get(broker) ?? [];
  }

  /** The group has not heard of its member for too long: it has to join as a new one. */
  forgetMember(): void {
    this.#known = null;
  }

  /** It is not among the brokers any more. */
  loseBroker(broker: number): void {
    this.#lost.add(broker);
  }

  /** What the member gets when it joins the next time; the rest is another member's. */
  assign(partitions: readonly number[]): void {
    this.#assigned = partitions;
  }

  /** Nothing more is fetched: the consumer that is being closed waits for its fetches. */
  end(): void {
    this.#ended = true;
    for (const each of [...this.#fetches.values()].flat()) each.answer([]);
  }

  readonly client = (): Kafka =>
    ({
      consumer: (options: object) => createConsumer({ ...options, cluster: this.#cluster(), logger: SILENT }),
    }) as Kafka;

  #cluster(): object {
    const committed: Record<string, Record<number, string>> = {};
    return {
      ...CONNECTED_CLUSTER,
      committedOffsets: () => committed,
      getNodeIds: () => this.#partitions.filter((broker) => !this.#lost.has(broker)).map(String),
      findGroupCoordinator: async () => this.#coordinator,
      findTopicPartitionMetadata: () => this.#partitions.map((id) => ({ partitionId: id, leader: id })),
      findBroker: async ({ nodeId }: { readonly nodeId: string }) => ({
        fetch: (request: FetchRequest) => this.#fetch(Number(nodeId), request),
      }),
    };
  }

  readonly #coordinator = {
    isConnected: () => true,
    heartbeat: async () => {},
    leaveGroup: async () => {},
    offsetCommit: async () => {},
    joinGroup: async ({ memberId }: { readonly memberId: string }) => {
      if (memberId !== '' && memberId !== this.#known) throw createErrorFromCode(UNKNOWN_MEMBER_ID);
      if (memberId === '') this.#known = `member ${++this.#members}`;
      return { generationId: 1, leaderId: 'another', memberId: this.#known, members: [], groupProtocol: 'any' };
    },
    syncGroup: async () => ({
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 1,
        assignment: { [this.#topic]: [...this.#assigned] },
        userData: Buffer.alloc(0),
      }),
    }),
    offsetFetch: async () => ({
      responses: [
        { topic: this.#topic, partitions: this.#partitions.map((partition) => ({ partition, offset: '0' })) },
      ],
    }),
  };

  #fetch(broker: number, { topics }: FetchRequest): Promise<object> {
    const { promise, resolve, reject } = Promise.withResolvers<object>();
    const from = Number(topics[0]!.partitions[0]!.fetchOffset);
    const fetching: Fetching = {
      from,
      answer: (offsets) => resolve({ responses: [this.#response(broker, offsets)] }),
      refuse: () => reject(createErrorFromCode(NOT_LEADER_FOR_PARTITION)),
    };
    this.#fetches.set(broker, [...this.fetches(broker), fetching]);
    if (this.#ended) fetching.answer([]);
    return promise;
  }

  #response(partition: number, offsets: readonly number[]): object {
    const messages = offsets.map((offset) => ({
      ...{ offset: String(offset), key: Buffer.from('k'), value: Buffer.from('v'), headers: {}, timestamp: '0' },
    }));
    const highWatermark = String((offsets.at(-1) ?? -1) + 1);
    return { topicName: this.#topic, partitions: [{ partition, highWatermark, abortedTransactions: [], messages }] };
  }
}
