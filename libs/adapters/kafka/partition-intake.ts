import type { StoredRecord, TopicPartition } from '#ports/log.ts';
import type { KafkaSettings } from './settings.ts';

/**
 * The state of one partition since it was assigned: records fetched that wait because it is paused, and how far
 * fetching and acknowledging have come.
 *
 * After a rebalance kafkajs reads a partition that we kept again from its last committed offset. Those records were
 * delivered already and are dropped here, up to where fetching had come.
 */
export class PartitionIntake {
  readonly source: TopicPartition;
  /** True until the partition is revoked. */
  held = true;
  /** Paused by the subscriber. */
  paused = false;
  /** Paused at Kafka, which sends nothing more. */
  stopped = false;
  /** One after the last offset acknowledged; null: none yet. */
  acknowledged: number | null = null;
  /** One after the newest record at Kafka, by the last fetch. */
  end = 0;
  readonly #backlog: StoredRecord[] = [];
  #backlogBytes = 0;
  /** One after the last offset fetched. */
  #fetched = 0;
  /** The same since the last rebalance; null: none yet. */
  #fetchedSinceJoin: number | null = null;

  constructor(source: TopicPartition) {
    this.source = source;
  }

  /** Records that were not handed over, as far as the last fetch told. */
  get undelivered(): number {
    return this.#backlog.length + (this.#fetched === 0 ? 0 : Math.max(0, this.end - this.#fetched));
  }

  get waiting(): number {
    return this.#backlog.length;
  }

  /** More waits here than memory should hold. */
  isOver({ backlogRecords, backlogBytes }: Pick<KafkaSettings, 'backlogRecords' | 'backlogBytes'>): boolean {
    return this.#backlog.length >= backlogRecords || this.#backlogBytes >= backlogBytes;
  }

  /** Fetching begins again at the last committed offset. */
  rejoined(): void {
    this.#fetchedSinceJoin = null;
  }

  /**
   * True when the topic was created anew: its offsets are below what was fetched. `end`: one after the newest offset
   * there.
   */
  beganAgain(first: number, end: number): boolean {
    return end < this.#fetched || (this.#fetchedSinceJoin !== null && first < this.#fetchedSinceJoin);
  }

  take(records: readonly StoredRecord[]): void {
    const last = records.at(-1);
    if (!last) return;
    this.#fetchedSinceJoin = last.offset + 1;
    for (const record of records) {
      if (record.offset < this.#fetched) continue;
      this.#backlog.push(record);
      this.#backlogBytes += record.value.byteLength;
    }
    this.#fetched = Math.max(this.#fetched, last.offset + 1);
  }

  /** The next records to deliver, at most `limit`; none while paused. */
  next(limit: number): readonly StoredRecord[] {
    const next = this.paused ? [] : this.#backlog.splice(0, limit);
    for (const { value } of next) this.#backlogBytes -= value.byteLength;
    return next;
  }

  /** False when it moves nothing. */
  acknowledge(offset: number): boolean {
    if (offset < (this.acknowledged ?? 0)) return false;
    this.acknowledged = offset + 1;
    return true;
  }
}
