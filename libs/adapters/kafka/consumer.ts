import { setImmediate as nextTurn } from 'node:timers';
import type { Consumer, ConsumerCrashEvent, ConsumerGroupJoinEvent, EachBatchPayload, IHeaders, Kafka } from 'kafkajs';
import { backoffMs } from '#concurrency/backoff.ts';
import { settledWithin } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import type {
  GroupMembership,
  RecordHeaders,
  StoredRecord,
  Subscriber,
  Subscription,
  TopicPartition,
} from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { stickyAssigner } from './assigner.ts';
import type { ClientListener } from './client.ts';
import { missingAcl, reasonOf } from './errors.ts';
import { OffsetCommits } from './offset-commits.ts';
import { PartitionIntake } from './partition-intake.ts';
import { BATCH_RECORDS, type KafkaSettings } from './settings.ts';

export interface KafkaSubscriptionOptions {
  readonly subscriber: Subscriber;
  readonly prefix: string;
  readonly client: (listener?: ClientListener) => Kafka;
  readonly ready: () => Promise<ReadonlySet<string>>;
  readonly settings: KafkaSettings;
  readonly clock: Clock;
  readonly reporter: Reporter | undefined;
  readonly onClosed: () => void;
}

/** What kafkajs does again and again while it is well; while it is not, it tries to connect. */
const signsOfLife = ({ events }: Consumer) =>
  [events.REQUEST, events.REQUEST_TIMEOUT, events.REBALANCING, events.GROUP_JOIN, events.FETCH] as const;

const keyOf = (source: TopicPartition): string => `${source.topic}/${source.partition}`;

/**
 * One member of a Kafka group.
 *
 * Modes: away (looking for Kafka, or joining) <-> joined (rebalances happen inside it) -> closed. A consumer that
 * kafkajs gives up on is discarded: its partitions are revoked and a new one is made, until `close`.
 *
 * kafkajs reports a rebalance after it happened: the partitions lost and won are the difference of two assignments.
 * When the group rebalanced without this member (it has a new member id), all partitions are revoked first, because
 * other members may have owned them.
 *
 * kafkajs also joins from within a fetch, when a broker lost a partition, and lets fetches of other brokers go on. What
 * these bring is then taken for the new assignment, and reading goes on behind it: past records of a partition that was
 * won back which were taken before and not acknowledged. A consumer that wins partitions in this way is discarded, too.
 */
export class KafkaSubscription implements Subscription {
  readonly #options: KafkaSubscriptionOptions;
  readonly #commits: OffsetCommits;
  readonly #held = new Map<string, PartitionIntake>();
  readonly #closing = new AbortController();
  #consumer: Consumer | null = null;
  #memberId = '';
  /** Counts assignments: work that began under an older one must not change the state of a newer one. */
  #rebalance = 0;
  #closed: Promise<void> | null = null;
  #state: GroupMembership['state'] = 'joining';
  /** Why the last consumer ended, until one has joined again. */
  #detail: string | null = null;
  /** What Kafka last answered the present consumer with, where that was an error. */
  #logged: string | null = null;
  /** When the loop last turned, on the monotonic clock. */
  #turnedAt: number;

  constructor(options: KafkaSubscriptionOptions) {
    this.#options = options;
    const { prefix, clock, reporter, settings } = options;
    this.#commits = new OffsetCommits({ prefix, clock, reporter, everyMs: settings.commitEveryMs });
    this.#turnedAt = clock.monotonic();
  }

  /** Begins to look for Kafka; the first callback comes in the next turn of the event loop at the earliest. */
  start(): void {
    nextTurn(() => void this.#run());
  }

  ack(source: TopicPartition, offset: number): void {
    const intake = this.#held.get(keyOf(source));
    if (!this.#closed && intake?.acknowledge(offset)) this.#commits.add(intake);
  }

  /** Kafka delivers what is acknowledged, and takes nothing back. */
  async isDurable(source: TopicPartition): Promise<boolean> {
    return !this.#closed && this.#held.has(keyOf(source));
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      const intake = this.#held.get(keyOf(source));
      if (intake) intake.paused = true;
    }
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      const intake = this.#held.get(keyOf(source));
      if (!intake?.paused) continue;
      intake.paused = false;
      nextTurn(() => this.#handOver(intake));
    }
  }

  membership(): GroupMembership {
    const idleMs = this.#options.clock.monotonic() - this.#turnedAt;
    return { state: this.#state, detail: this.#detail, idleMs };
  }

  undelivered(): number {
    return [...this.#held.values()].reduce((sum, intake) => sum + intake.undelivered, 0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const { clock, settings } = this.#options;
    const goodbye = async () => {
      await this.#commits.write();
      await this.#consumer?.disconnect();
    };
    const leaving = goodbye().catch((error: unknown) =>
      this.#options.reporter?.report('kafka-consumer-leave-failed', { detail: reasonOf(error) }),
    );
    await settledWithin(clock, settings.closeWithinMs, leaving);
    this.#commits.stop();
    this.#held.clear();
    this.#options.onClosed();
  }

  async #run(): Promise<void> {
    const { clock, settings, reporter, subscriber } = this.#options;
    const backoff = { firstMs: settings.retryFromMs, maxMs: settings.retryToMs };
    let failures = 0;
    const waitMs = (): number => backoffMs(backoff, failures);
    while (!this.#closing.signal.aborted) {
      this.#turned();
      try {
        await this.#untilItBreaks(() => (failures = 0));
      } catch (error) {
        if (this.#closing.signal.aborted) break;
        this.#detail = this.#reasonOf(error);
        reporter?.report('kafka-consumer-restarted', {
          group: subscriber.group,
          detail: this.#detail,
          waitMs: waitMs(),
        });
      }
      if (this.#state === 'joined') this.#state = 'away';
      this.#loseAll();
      if (this.#closing.signal.aborted) break;
      await clock.sleep(waitMs(), this.#closing.signal);
      failures++;
    }
  }

  #reasonOf(error: unknown): string {
    const { subscriber, prefix } = this.#options;
    const topics = subscriber.topics.map((topic) => prefix + topic);
    return missingAcl(error, { group: prefix + subscriber.group, topics, logged: this.#logged }) ?? reasonOf(error);
  }

  /** The life of one consumer. Rejects with the error that ended it. */
  async #untilItBreaks(onJoined: () => void): Promise<void> {
    const { subscriber, prefix, ready, settings, client } = this.#options;
    this.#logged = null;
    const topics = await ready();
    const missing = subscriber.topics.filter((topic) => !topics.has(prefix + topic));
    if (missing.length > 0)
      throw new Error(
        `Kafka has no topic ${missing.map((topic) => prefix + topic).join(', ')} yet, or does not show it to this user: look at its ACLs`,
      );
    if (this.#closing.signal.aborted) return;
    const consumer = client({
      onConnecting: () => this.#turned(),
      onErrorLogged: (error) => (this.#logged = error),
    }).consumer({
      groupId: prefix + subscriber.group,
      partitionAssigners: [
        stickyAssigner(() =>
          [...this.#held.values()].map(({ source }) => ({ ...source, topic: prefix + source.topic })),
        ),
      ],
      sessionTimeout: settings.sessionTimeoutMs,
      heartbeatInterval: settings.heartbeatIntervalMs,
      rebalanceTimeout: settings.rebalanceTimeoutMs,
      minBytes: 1,
      maxWaitTimeInMs: settings.fetchWaitMs,
      maxBytes: settings.fetchBytes,
      maxBytesPerPartition: settings.fetchPartitionBytes,
      metadataMaxAge: settings.leadersAgainMs,
      allowAutoTopicCreation: false,
      // A broken consumer is replaced here, in one place, whatever the cause.
      retry: { restartOnFailure: async () => false },
    });
    this.#consumer = consumer;
    const { promise: crashed, reject } = Promise.withResolvers<never>();
    crashed.catch(() => undefined);
    const endAtClosing = (): void => reject(new Error('closing'));
    this.#closing.signal.addEventListener('abort', endAtClosing, { once: true });
    try {
      consumer.on(consumer.events.CRASH, ({ payload }: ConsumerCrashEvent) => reject(payload.error));
      for (const sign of signsOfLife(consumer)) consumer.on(sign, () => this.#turned());
      const fetching = new Set<unknown>();
      consumer.on(consumer.events.FETCH_START, ({ payload }) => fetching.add(payload.nodeId));
      consumer.on(consumer.events.FETCH, ({ payload }) => fetching.delete(payload.nodeId));
      consumer.on(consumer.events.GROUP_JOIN, (event) => {
        onJoined();
        if (!this.#joined(event, fetching.size > 0))
          reject(new Error('it won partitions while records were being fetched for its last assignment'));
      });
      // Sent ahead of the join on the same connection and not awaited: the next owner does not repeat work that is
      // done, and the group, which waits for our join, is not delayed by the commit.
      consumer.on(consumer.events.REBALANCING, () => void this.#commits.write());
      await Promise.race([crashed, this.#read(consumer)]);
      await crashed;
    } finally {
      this.#closing.signal.removeEventListener('abort', endAtClosing);
      this.#commits.through(null);
      // `close` leaves the group itself, after the last commit.
      if (!this.#closing.signal.aborted) await this.#abandon(consumer);
    }
  }

  async #read(consumer: Consumer): Promise<void> {
    const { subscriber, prefix } = this.#options;
    await consumer.connect();
    // Earliest: a group that is new, or whose offset the log no longer has, reads from the oldest record.
    await consumer.subscribe({ topics: subscriber.topics.map((topic) => prefix + topic), fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 16,
      eachBatch: async (payload) => this.#take(payload),
    });
  }

  async #abandon(consumer: Consumer): Promise<void> {
    this.#consumer = null;
    const { clock, settings } = this.#options;
    await settledWithin(clock, settings.closeWithinMs, consumer.disconnect());
  }

  /** False: the consumer has to be discarded. */
  #joined({ payload }: ConsumerGroupJoinEvent, isAmidFetches: boolean): boolean {
    if (this.#closing.signal.aborted) return true;
    this.#rebalance += 1;
    const { prefix, subscriber, reporter } = this.#options;
    if (payload.memberId !== this.#memberId) this.#loseAll();
    this.#memberId = payload.memberId;
    const ours = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition): TopicPartition => ({ topic: topic.slice(prefix.length), partition })),
    );
    const keys = new Set(ours.map(keyOf));
    const lost = [...this.#held.values()].filter(({ source }) => !keys.has(keyOf(source)));
    const won = ours.filter((source) => !this.#held.has(keyOf(source)));
    if (isAmidFetches && won.length > 0) {
      this.#loseAll();
      return false;
    }
    for (const intake of this.#held.values()) intake.rejoined();
    reporter?.report('kafka-rebalanced', {
      group: subscriber.group,
      rebalance: this.#rebalance,
      revoked: lost.length,
      assigned: won.length,
      partitions: ours.length,
    });
    this.#state = 'joined';
    this.#detail = null;
    this.#lose(lost);
    this.#win(won);
    return true;
  }

  #turned(): void {
    this.#turnedAt = this.#options.clock.monotonic();
  }

  #win(sources: readonly TopicPartition[]): void {
    if (sources.length === 0) return;
    for (const source of sources) {
      this.#held.set(keyOf(source), new PartitionIntake(source));
      // kafkajs remembers stopped fetching from an earlier time when this member had the partition.
      this.#consumer?.resume([this.#upstream(source)]);
    }
    this.#options.subscriber.onAssigned?.(sources);
  }

  #lose(intakes: readonly PartitionIntake[]): void {
    if (intakes.length === 0) return;
    for (const intake of intakes) {
      intake.held = false;
      this.#commits.forget(intake);
      this.#held.delete(keyOf(intake.source));
    }
    if (!this.#closing.signal.aborted) this.#options.subscriber.onRevoked?.(intakes.map(({ source }) => source));
  }

  #loseAll(): void {
    this.#lose([...this.#held.values()]);
  }

  /** Takes a batch over at once: while this runs, kafkajs fetches nothing from that broker and sends no heartbeat. */
  #take({ batch, resolveOffset, commitOffsetsIfNecessary }: EachBatchPayload): void {
    if (this.#closing.signal.aborted) return;
    const source = { topic: batch.topic.slice(this.#options.prefix.length), partition: batch.partition };
    const before = this.#held.get(keyOf(source));
    const first = batch.messages[0];
    const last = batch.messages.at(-1);
    if (!before || !first || !last) return;
    this.#commits.through(commitOffsetsIfNecessary);
    if (before.beganAgain(Number(first.offset), Number(batch.highWatermark))) {
      this.#lose([before]);
      this.#win([source]);
    }
    const held = this.#held.get(keyOf(source));
    if (held) held.end = Number(batch.highWatermark);
    held?.take(
      batch.messages.map(({ key, value, headers: sent, offset, timestamp }): StoredRecord => {
        const headers = headersOf(sent);
        return {
          ...source,
          offset: Number(offset),
          key: key?.toString() ?? '',
          value: value ?? new Uint8Array(),
          ...(headers && { headers }),
          timestamp: Number(timestamp),
        };
      }),
    );
    // Resolving only moves the position of the next fetch; `ack` says what is done.
    resolveOffset(last.offset);
    const intake = this.#held.get(keyOf(source));
    if (intake) this.#handOver(intake);
  }

  #handOver(intake: PartitionIntake): void {
    while (intake.held && !this.#closing.signal.aborted) {
      const records = intake.next(BATCH_RECORDS);
      if (records.length === 0) break;
      try {
        this.#options.subscriber.onRecords(intake.source, records);
      } catch (error) {
        // A programming error: it must end the process, not be retried by kafkajs as if Kafka had failed.
        queueMicrotask(() => {
          throw error;
        });
        return;
      }
    }
    this.#regulate(intake);
  }

  /** Fetching continues through a short pause, so that resuming is free, and stops when too many records wait here. */
  #regulate(intake: PartitionIntake): void {
    const tooMuch = intake.isOver(this.#options.settings);
    if (!intake.held || !this.#consumer || intake.stopped === tooMuch || (intake.stopped && intake.waiting > 0)) return;
    intake.stopped = tooMuch;
    if (tooMuch) this.#consumer.pause([this.#upstream(intake.source)]);
    else this.#consumer.resume([this.#upstream(intake.source)]);
  }

  #upstream({ topic, partition }: TopicPartition): { topic: string; partitions: number[] } {
    return { topic: this.#options.prefix + topic, partitions: [partition] };
  }
}

/** As the port has them; of several values under one name, the first. */
function headersOf(headers: IHeaders | undefined): RecordHeaders | undefined {
  let named: Record<string, string> | undefined;
  for (const name in headers) {
    const value = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) named = { ...named, [name]: first.toString() };
  }
  return named;
}
