import type { Admin } from 'kafkajs';
import { settledWithin } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import {
  partitionsOf,
  placeRecords,
  type AppendOptions,
  type GroupProgress,
  type GroupReading,
  type Log,
  type LogRecord,
  type Position,
  type Subscriber,
  type Subscription,
} from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Topic } from '#tables/declarations/topics.ts';
import { checkVersions } from './api-versions.ts';
import { AppendCall, type AppendItem } from './append-call.ts';
import { createClient, ConnectGate, type ClientListener, type KafkaAccess } from './client.ts';
import { KafkaSubscription } from './consumer.ts';
import { kafkaError, logClosed, queueFull } from './errors.ts';
import { ProducerLane } from './producer.ts';
import { groupProgress } from './group-progress.ts';
import { KAFKA_SETTINGS, type KafkaSettings } from './settings.ts';

export interface KafkaLogOptions extends KafkaAccess {
  readonly topics: readonly Topic[];
  /** A prefix of topic and group names, so that several installations can share a cluster. */
  readonly prefix?: string;
  readonly clock: Clock;
  readonly reporter?: Reporter;
  readonly settings?: Partial<KafkaSettings>;
  /** For tests that cut the connections. */
  readonly gate?: ConnectGate;
}

const SOUND_FOR_MS = 10_000;

/**
 * The log on Kafka 3.9 or later; topics must exist. It connects in the background: Kafka may be unreachable at the
 * start and at any time later.
 */
export function createKafkaLog(options: KafkaLogOptions): Log {
  return new KafkaLog(options);
}

/** What Kafka has of our topics, by their names there. */
interface FoundTopics {
  /** Those with enough partitions: of a topic with fewer, some keys would have no partition. */
  readonly usable: ReadonlySet<string>;
  /** Those with a partition that has no leader, in which nothing can be stored now. */
  readonly leaderless: readonly string[];
}

/** Modes: open -> closing (sends in flight may end, members leave their groups) -> closed (every connection is cut). */
class KafkaLog implements Log {
  readonly #options: KafkaLogOptions;
  readonly #settings: KafkaSettings;
  readonly #prefix: string;
  readonly #gate: ConnectGate;
  readonly #topics: ReadonlyMap<string, Topic>;
  readonly #lanes: readonly ProducerLane[];
  readonly #subscriptions = new Set<KafkaSubscription>();
  #usable: Promise<ReadonlySet<string>> | null = null;
  /** Until when the last sound look holds, on the monotonic clock. */
  #soundUntil = Number.NEGATIVE_INFINITY;
  #closing: Promise<void> | null = null;

  constructor(options: KafkaLogOptions) {
    this.#options = options;
    this.#settings = { ...KAFKA_SETTINGS, ...options.settings };
    this.#prefix = options.prefix ?? '';
    this.#gate = options.gate ?? new ConnectGate();
    this.#topics = new Map(options.topics.map((topic) => [topic.name, topic]));
    this.#lanes = Array.from({ length: this.#settings.producers }, () => new ProducerLane(this.#shared()));
  }

  async append(topic: string, records: readonly LogRecord[], options?: AppendOptions): Promise<readonly Position[]> {
    this.#assertOpen();
    const placement = placeRecords(topic, this.partitions(topic), records);
    if (records.length === 0) return [];
    const lanes = Map.groupBy(placement.keys(), (index) => this.#laneOf(placement[index] ?? 0));
    if ([...lanes.keys()].some((lane) => lane.full)) throw queueFull();
    return new Promise((resolve, reject) => {
      const call = new AppendCall(records.length, resolve, reject);
      const deadlineMs = options?.deadlineMs ?? this.#settings.appendDeadlineMs;
      call.onSettled(
        this.#options.clock.after(deadlineMs, () =>
          call.giveUp(`${topic}: Kafka did not confirm within ${deadlineMs} ms`),
        ),
      );
      const items = records.map((record, index): AppendItem => ({
        call,
        index,
        topic: this.#prefix + topic,
        partition: placement[index] ?? 0,
        key: record.key,
        value: Buffer.from(record.value),
        headers: record.headers,
      }));
      for (const [lane, indexes] of lanes) lane.push(indexes.flatMap((index) => items[index] ?? []));
    });
  }

  async subscribe(subscriber: Subscriber): Promise<Subscription> {
    this.#assertOpen();
    for (const topic of subscriber.topics) this.partitions(topic);
    const subscription: KafkaSubscription = new KafkaSubscription({
      ...this.#shared(),
      subscriber,
      prefix: this.#prefix,
      onClosed: () => this.#subscriptions.delete(subscription),
    });
    this.#subscriptions.add(subscription);
    subscription.start();
    return subscription;
  }

  async progress(readings: readonly GroupReading[]): Promise<readonly GroupProgress[]> {
    this.#assertOpen();
    // Throws for a topic that is none of ours: Kafka would make it.
    for (const { topic } of readings) this.partitions(topic);
    return this.#asAdmin(this.#options.brokers, (admin) => groupProgress(admin, this.#prefix, readings));
  }

  partitions(topic: string): number {
    return partitionsOf(this.#topics, topic);
  }

  /** A look at Kafka that found everything holds for a while: probes come often, and each look connects anew. */
  async check(): Promise<void> {
    this.#assertOpen();
    const { clock } = this.#options;
    if (clock.monotonic() < this.#soundUntil) return;
    await this.#checkNow();
    this.#soundUntil = clock.monotonic() + SOUND_FOR_MS;
  }

  async #checkNow(): Promise<void> {
    const { usable, leaderless } = await this.#look();
    const missing = [...this.#topics.keys()].filter((topic) => !usable.has(this.#prefix + topic));
    if (missing.length > 0)
      throw new PortError('unavailable', `Kafka has not, or not with enough partitions: ${missing.join(', ')}`);
    if (leaderless.length > 0)
      throw new PortError('unavailable', `Kafka has no leader for a partition of ${leaderless.join(', ')}`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #shared() {
    return {
      client: (listener?: ClientListener) =>
        createClient(this.#options, this.#gate, this.#settings, this.#options.reporter, listener),
      ready: () => this.#ready(),
      settings: this.#settings,
      clock: this.#options.clock,
      reporter: this.#options.reporter,
    };
  }

  /**
   * Once every topic was found, the result is kept; until then each call looks again, together with calls that come
   * meanwhile.
   */
  #ready(): Promise<ReadonlySet<string>> {
    this.#usable ??= this.#look().then(
      ({ usable }) => {
        if (usable.size < this.#topics.size) this.#usable = null;
        return usable;
      },
      (error: unknown) => {
        this.#usable = null;
        throw error;
      },
    );
    return this.#usable;
  }

  async #look(): Promise<FoundTopics> {
    const broker = await checkVersions(this.#options, this.#gate, this.#settings.connectionTimeoutMs);
    return this.#asAdmin([broker], async (admin) => {
      const { topics } = await admin.fetchTopicMetadata();
      const found = new Map(topics.map((topic) => [topic.name, topic.partitions]));
      const ours = [...this.#topics.values()].map(({ name, partitions }) => ({
        ...{ name: this.#prefix + name, wanted: partitions },
        partitions: found.get(this.#prefix + name) ?? [],
      }));
      return {
        usable: new Set(ours.filter((topic) => topic.partitions.length >= topic.wanted).map(({ name }) => name)),
        leaderless: ours
          .filter(({ partitions }) => partitions.some(({ leader }) => leader < 0))
          .map(({ name }) => name),
      };
    });
  }

  /** On a connection of its own, which ends with the work. `brokers`: those that are asked for the others. */
  async #asAdmin<T>(brokers: readonly string[], work: (admin: Admin) => Promise<T>): Promise<T> {
    const { reporter } = this.#options;
    const admin = createClient({ ...this.#options, brokers }, this.#gate, this.#settings, reporter).admin({
      retry: { retries: 2 },
    });
    try {
      await admin.connect();
      return await work(admin);
    } catch (error) {
      throw kafkaError('unavailable', 'Kafka', error);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  /** A partition always uses the same producer, which keeps the order of its records. */
  #laneOf(partition: number): ProducerLane {
    const lane = this.#lanes[partition % this.#lanes.length];
    if (!lane) throw new Error('a log has at least one producer');
    return lane;
  }

  #assertOpen(): void {
    if (this.#closing) throw logClosed();
  }

  async #close(): Promise<void> {
    const { clock } = this.#options;
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    await settledWithin(clock, this.#settings.closeWithinMs, Promise.all(this.#lanes.map((lane) => lane.idle())));
    for (const lane of this.#lanes) lane.close();
    await settledWithin(clock, this.#settings.closeWithinMs, Promise.all(this.#lanes.map((lane) => lane.disconnect())));
    this.#gate.shut();
  }
}
