import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import type { MemoryLogOptions } from '#adapters/memory/broker.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec, DeadLetter } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { LogRecord } from '#ports/log.ts';
import { listParkedKeys, readParkedKey, writeParkedKey, type ParkedKeyRow } from '#tables/repositories/parking.ts';
import { DEAD_LETTERS, type Topic } from '#tables/declarations/topics.ts';
import { KeyedConsumer } from './keyed-consumer.ts';
import type { ConsumerPorts, KeyedConsumerOptions } from './consumer-options.ts';

const TOPIC: Topic = { name: 'letters.v1', partitions: 1, doc: 'for tests' };
/** All records stand here, but for those that a test appends itself. */
export const SOURCE = { topic: TOPIC.name, partition: 0 };
export const GROUP = 'readers';
export const UNKNOWN_SCHEMA = Buffer.from([0, 0, 15, 66, 63, 1, 2, 3]);

export interface HandledBatch {
  readonly by: string;
  readonly key: string;
  readonly numbers: readonly number[];
}

/** Consumers of one topic over one log and one store; a message is a number under a key. */
export interface ConsumerHarness {
  readonly clock: MemoryClock;
  readonly log: MemoryLog;
  readonly store: TableStore;
  readonly reporter: MemoryReporter;
  readonly codec: Codec;
  /** Batches whose handling was begun, in order. */
  readonly begun: readonly HandledBatch[];
  /** Numbers of a key that were handled, in order, by any consumer. */
  done(key: string): readonly number[];
  ports(client: string, hooks?: TableHooks): ConsumerPorts;
  consumer(client: string, options?: Partial<KeyedConsumerOptions>, hooks?: TableHooks): Promise<KeyedConsumer>;
  append(key: string, ...numbers: readonly number[]): Promise<void>;
  appendRaw(...records: readonly LogRecord[]): Promise<void>;
  parked(): Promise<readonly ParkedKeyRow[]>;
  wish(key: string, wish: 'retry' | 'skip'): Promise<void>;
  acknowledged(): number | null;
  buried(): Promise<readonly DeadLetter[]>;
  /** Lets time pass until it holds; fails after a minute of it. */
  until(holds: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Numbers that `handle` refuses: `unexpected`, or with what is thrown. */
  readonly failing: Map<number, unknown>;
}

interface HarnessOptions extends Pick<MemoryLogOptions, 'syncs'> {
  /** 1 when left out. */
  readonly partitions?: number;
}

export function openConsumerHarness({ syncs, partitions = 1 }: HarnessOptions = {}): ConsumerHarness {
  const clock = createMemoryClock();
  const log = createMemoryLog({ topics: [{ ...TOPIC, partitions }, DEAD_LETTERS], clock, ...(syncs && { syncs }) });
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ clock, tables });
  const reporter = createMemoryReporter();
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const begun: HandledBatch[] = [];
  const handled: HandledBatch[] = [];
  const failing = new Map<number, unknown>();
  let seed = 1;
  const encoded = (key: string, seenAt: number): LogRecord => ({
    key,
    partition: 0,
    value: codec.encode({ type: 'MarkChannel', workspaceId: key, channelId: 'c', state: 'connected', seenAt }),
  });
  const parked = () => listParkedKeys(store, SOURCE.topic, 0);
  const ports = (client: string, hooks?: TableHooks): ConsumerPorts => ({
    log: log.client(client),
    store: hooks === undefined ? store : createMemoryTableStore({ clock, tables, hooks }),
    codec,
    clock,
    ids: createSeededIds(seed++),
    reporter,
  });
  return {
    ports,
    clock,
    log,
    store,
    reporter,
    codec,
    begun,
    failing,
    done: (key) => handled.flatMap((batch) => (batch.key === key ? batch.numbers : [])),
    consumer: async (client, options = {}, hooks) => {
      const consumer = new KeyedConsumer(
        {
          ...{ name: client, group: GROUP, topics: [SOURCE.topic], maxBatch: 10, concurrency: 8, maxWaiting: 1_000 },
          handle: async (key, messages) => {
            const numbers = messages.map((message) => (message as { seenAt: number }).seenAt);
            begun.push({ by: client, key, numbers });
            const bad = numbers.find((number) => failing.has(number));
            if (bad !== undefined) throw failing.get(bad);
            handled.push({ by: client, key, numbers });
          },
          ...options,
        },
        ports(client, hooks),
      );
      await consumer.start();
      return consumer;
    },
    append: async (key, ...numbers) =>
      void (await log.append(
        SOURCE.topic,
        numbers.map((number) => encoded(key, number)),
      )),
    appendRaw: async (...records) =>
      void (await log.append(
        SOURCE.topic,
        records.map((record) => ({ ...record, partition: 0 })),
      )),
    parked,
    wish: async (key, wish) => {
      const { version, flag } = await readParkedKey(store, SOURCE.topic, 0, key);
      if (
        flag === null ||
        !(await writeParkedKey(store, SOURCE_OF(key), { version, flag: { ...flag, wish }, token: `wish ${version}` }))
      )
        throw new Error(`${key} is not parked`);
    },
    acknowledged: () => log.control.acknowledged(GROUP, SOURCE),
    buried: async () => {
      const records = Array.from({ length: DEAD_LETTERS.partitions }, (_, partition) =>
        log.control.records({ topic: DEAD_LETTERS.name, partition }),
      ).flat();
      return Promise.all(
        records.map(async ({ value }) => {
          const decoded = await codec.decode(value);
          if (!decoded.ok || decoded.message.type !== 'DeadLetter') throw new Error('no dead letter');
          return decoded.message;
        }),
      );
    },
    until: async (holds, what) => {
      for (let passed = 0; passed < 60_000; passed += 50) {
        if (await holds()) return;
        await clock.advance(50);
      }
      throw new Error(`never: ${what}`);
    },
  };
}

const SOURCE_OF = (key: string) => ({ ...SOURCE, key });
