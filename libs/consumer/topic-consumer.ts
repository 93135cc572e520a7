import { workingFor } from '#concurrency/work-in-hand.ts';
import type { Message } from '#messages/messages.ts';
import type { TopicPartition } from '#ports/log.ts';
import type { Service } from '#runtime/service.ts';
import type { MessageTopic } from '#tables/declarations/topics.ts';
import type { ConsumerPorts, HandlerContext, KeyedConsumerOptions } from './consumer-options.ts';
import { KeyedConsumer } from './keyed-consumer.ts';
import type { Workload } from './workload.ts';

/** Records of one partition held in memory before it is paused, where a consumer says nothing else. */
export const MAX_WAITING = 5_000;

/** Records of one key handled together, where a consumer says nothing else. */
const MAX_BATCH = 8;

type Tuning = Pick<
  KeyedConsumerOptions,
  'reads' | 'pipelined' | 'gathering' | 'concurrency' | 'concurrencyOfAll' | 'marks' | 'onWaited' | 'turns'
> &
  Partial<Pick<KeyedConsumerOptions, 'maxBatch' | 'maxWaiting'>>;

export interface TopicConsumerOptions<M extends Message> extends Tuning {
  /** Of the service, and of its consumer group. */
  readonly name: string;
  readonly topic: MessageTopic<M>;
  /** As `KeyedConsumerOptions.handle`; every message is of a type that the topic carries. */
  handle(key: string, messages: readonly M[], context: HandlerContext): Promise<void>;
  /** Called with partitions that were assigned or revoked: whatever is remembered of their keys is out of date. */
  onOwnerChanged?(partitions: readonly TopicPartition[]): void;
  /** Before any record arrives. */
  onStart?(): Promise<void>;
  /** When all records that were begun are done; draining ends when it resolves. */
  onDrained?(): Promise<void>;
  /** Before the consumer stops, with or without having drained: ends what its handler began. */
  onStop?(): void;
}

/**
 * The one way in which a service reads a topic: a keyed consumer in a group of the service's name, which hands on only
 * messages of the types that the topic carries. A message of another type is a defect of its producer, and parks its
 * key.
 */
export function createTopicConsumer<M extends Message>(
  options: TopicConsumerOptions<M>,
  ports: ConsumerPorts,
): Service & Workload {
  const { name, topic, handle, onOwnerChanged, onStart, onDrained, onStop, ...tuning } = options;
  const accepted: ReadonlySet<string> = new Set(Object.keys(topic.carries));
  const isAccepted = (message: Message): message is M => accepted.has(message.type);
  const consumer = new KeyedConsumer(
    {
      maxBatch: MAX_BATCH,
      maxWaiting: MAX_WAITING,
      ...tuning,
      name,
      group: name,
      topics: [topic.name],
      handle: (key, messages, context) => {
        if (messages.every(isAccepted)) {
          // All messages of a key are of one Workspace, or of none.
          const [first] = messages;
          if (first !== undefined && 'workspaceId' in first) workingFor(first.workspaceId);
          return handle(key, messages, context);
        }
        const stray = messages.find((message) => !isAccepted(message));
        throw new Error(`${topic.name} does not carry ${stray?.type}`);
      },
      ...(onOwnerChanged && { onAssigned: onOwnerChanged, onRevoked: onOwnerChanged }),
    },
    ports,
  );
  return {
    name,
    start: async () => {
      await onStart?.();
      await consumer.start();
    },
    drain: async () => {
      await consumer.drain();
      await onDrained?.();
    },
    stop: async () => {
      onStop?.();
      await consumer.stop();
    },
    trouble: () => consumer.trouble(),
    membership: () => consumer.membership(),
    owned: () => consumer.owned(),
    waiting: () => consumer.waiting(),
    heldBack: () => consumer.heldBack(),
    behind: () => consumer.behind(),
  };
}

/** A handler for messages that do not gain from being handled together: one after the other, in order. */
export function oneByOne<M>(
  work: (message: M) => Promise<void>,
): (key: string, messages: readonly M[]) => Promise<void> {
  return async (_key, messages) => {
    for (const message of messages) await work(message);
  };
}
