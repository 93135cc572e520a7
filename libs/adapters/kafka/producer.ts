import type { Kafka, Producer } from 'kafkajs';
import { backoffMs } from '#concurrency/backoff.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { AppendItem } from './append-call.ts';
import { BatchQueue, type PartitionBatch } from './batch-queue.ts';
import { missingAcl, reasonOf } from './errors.ts';
import type { KafkaSettings } from './settings.ts';

export interface ProducerLaneOptions {
  readonly client: () => Kafka;
  /** Resolves, with those of our topics that exist, when Kafka is reachable and supports our versions. */
  readonly ready: () => Promise<ReadonlySet<string>>;
  readonly settings: KafkaSettings;
  readonly clock: Clock;
  readonly reporter: Reporter | undefined;
}

/**
 * One idempotent producer with at most one send in flight. With two, a lost acknowledgement makes kafkajs reuse a
 * sequence number for other records, which the broker then drops as repeats although they are acknowledged.
 *
 * Modes: idle -> (push) lingering -> (time or size) sending -> sending again while more waits, else idle. Of a record
 * that is likely to be alone the linger ends with the present step of the event loop. `close` leads from any of them to
 * closed. Callers give up at their deadlines; the send does not. It continues until Kafka answers, because abandoning
 * it and sending other records is exactly the failure described above. After a send that took kafkajs more than one
 * try, the next one has a new producer.
 */
export class ProducerLane {
  readonly #options: ProducerLaneOptions;
  readonly #queue = new BatchQueue();
  #mode: 'idle' | 'lingering' | 'sending' | 'closed' = 'idle';
  #cancelLinger: Cancel = () => {};
  /** When the last send ended, on the monotonic clock. */
  #sentAt = -Infinity;
  #producer: Producer | null = null;
  /** How many records kafkajs has placed in partitions: each record once for each of its tries. */
  #placed = 0;
  readonly #closing = new AbortController();
  #whenIdle: (() => void)[] = [];

  constructor(options: ProducerLaneOptions) {
    this.#options = options;
  }

  get full(): boolean {
    if (this.#queue.bytes < this.#options.settings.queueBytes) return false;
    this.#queue.sweep();
    return this.#queue.bytes >= this.#options.settings.queueBytes;
  }

  push(items: readonly AppendItem[]): void {
    if (this.#mode === 'closed') throw new Error('pushed to a closed producer');
    for (const item of items) this.#queue.push(item);
    if (this.#mode === 'idle') this.#linger();
    if (this.#mode === 'lingering' && this.#queue.records >= this.#options.settings.flushRecords) this.#flush();
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    if (this.#mode === 'lingering') this.#flush();
    if (this.#mode === 'sending') await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Rejects the records that wait. The gate cuts the connections; a send in flight ends with them. */
  close(): void {
    this.#mode = 'closed';
    this.#cancelLinger();
    this.#closing.abort();
    for (const { call } of this.#queue.drain()) call.giveUp('the log was closed before the record was sent');
  }

  async disconnect(): Promise<void> {
    const producer = this.#producer;
    this.#producer = null;
    await producer
      ?.disconnect()
      .catch((error: unknown) => this.#options.reporter?.failure('kafka-producer-disconnect-failed', error));
  }

  #linger(): void {
    const { clock, settings } = this.#options;
    this.#mode = 'lingering';
    if (clock.monotonic() - this.#sentAt < settings.loneAfterMs)
      this.#cancelLinger = clock.after(settings.lingerMs, () => this.#flush());
    else
      queueMicrotask(() => {
        if (this.#mode === 'lingering') this.#flush();
      });
  }

  #flush(): void {
    this.#cancelLinger();
    this.#mode = 'sending';
    void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    while (this.#mode === 'sending' && this.#queue.records > 0) {
      await this.#send(this.#queue.take(this.#options.settings));
      this.#sentAt = this.#options.clock.monotonic();
    }
    if (this.#mode === 'sending') this.#mode = 'idle';
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #send(taken: readonly PartitionBatch[]): Promise<void> {
    const opened = await this.#open(taken);
    if (!opened) return;
    for (const [{ topic, call }, ...rest] of taken) {
      if (opened.topics.has(topic)) continue;
      for (const each of [call, ...rest.map((item) => item.call)])
        each.giveUp(`Kafka has no topic ${topic} yet, or with too few partitions`);
    }
    let left = alive(taken);
    let placed = this.#placed;
    for (const { call } of left.flat()) call.markSent();
    try {
      // A partition whose leader changed during a retry can be missing from the answer although the call resolves. Its
      // batch must be sent again unchanged: otherwise its next sequence number would be given to other records.
      while (left.length > 0) {
        placed += left.flat().length;
        left = settleAnswered(left, await sendOnce(opened.producer, left));
      }
      // kafkajs begins a next try as soon as one broker failed, and does not wait for what it then sends a second time
      // to a broker that was only slow. If the answer to that is lost, it gives the sequence numbers to the records of
      // the next send, which the broker drops as repeats. A new producer has numbers of its own.
      if (this.#placed > placed) await this.disconnect();
    } catch (error) {
      this.#options.reporter?.failure('kafka-send-failed', error, { records: left.flat().length });
      const topics = [...new Set(left.flat().map(({ topic }) => topic))];
      const reason = missingAcl(error, { topics, toWrite: true }) ?? reasonOf(error);
      for (const { call } of left.flat()) call.giveUp(`Kafka did not confirm: ${reason}`, error);
      // Its sequence numbers no longer agree with the broker's: a new producer begins from zero.
      await this.disconnect();
    }
  }

  /**
   * Retries until there is a connection, until no caller waits any more, or until the producer is closed (null).
   * Nothing is sent meanwhile.
   */
  async #open(
    taken: readonly PartitionBatch[],
  ): Promise<{ readonly producer: Producer; readonly topics: ReadonlySet<string> } | null> {
    const { clock, settings, reporter } = this.#options;
    const backoff = { firstMs: settings.retryFromMs, maxMs: settings.retryToMs };
    for (let failures = 0; alive(taken).length > 0; failures++) {
      try {
        const topics = await this.#options.ready();
        this.#producer ??= await this.#connect();
        return { producer: this.#producer, topics };
      } catch (error) {
        if (this.#closing.signal.aborted) break;
        const waitMs = backoffMs(backoff, failures);
        reporter?.report('kafka-connect-retried', { detail: reasonOf(error), waitMs });
        await clock.sleep(waitMs, this.#closing.signal);
      }
    }
    for (const { call } of taken.flat()) call.giveUp('the log was closed before the record was sent');
    return null;
  }

  async #connect(): Promise<Producer> {
    const producer = this.#options.client().producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // Every record names its partition; passing a partitioner keeps kafkajs from warning about its default.
      createPartitioner:
        () =>
        ({ message }) => {
          this.#placed += 1;
          return message.partition ?? 0;
        },
      retry: { retries: Number.MAX_SAFE_INTEGER, maxRetryTime: this.#options.settings.retryToMs },
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      await producer.disconnect().catch(() => undefined);
      throw error;
    }
  }
}

function alive(batches: readonly PartitionBatch[]): readonly PartitionBatch[] {
  return batches.flatMap((batch) => {
    const [first, ...rest] = batch.filter(({ call }) => !call.settled);
    return first ? [[first, ...rest] as const] : [];
  });
}

const answerKey = (topic: string, partition: number): string => `${topic}/${partition}`;

/** The first offset given, by partition. */
async function sendOnce(producer: Producer, batches: readonly PartitionBatch[]): Promise<ReadonlyMap<string, number>> {
  const byTopic = Map.groupBy(batches.flat(), ({ topic }) => topic);
  const answers = await producer.sendBatch({
    acks: -1,
    topicMessages: [...byTopic].map(([topic, items]) => ({
      topic,
      messages: items.map(({ key, value, partition, headers }) => ({
        key,
        value,
        partition,
        ...(headers && { headers }),
      })),
    })),
  });
  return new Map(
    answers.map(({ topicName, partition, baseOffset }) => [answerKey(topicName, partition), Number(baseOffset)]),
  );
}

/** Settles the calls whose batches were answered; returns the batches that were not. */
function settleAnswered(
  batches: readonly PartitionBatch[],
  offsets: ReadonlyMap<string, number>,
): readonly PartitionBatch[] {
  return batches.filter((batch) => {
    const [{ topic, partition }] = batch;
    const base = offsets.get(answerKey(topic, partition));
    if (base === undefined) return true;
    batch.forEach(({ call, index }, place) => call.stored(index, { partition, offset: base + place }));
    return false;
  });
}
