import { expect, vi } from 'vitest';
import type { Log, Readiness, StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';

export const nameOf = (source: TopicPartition): string => `${source.topic}/${source.partition}`;

export interface ReaderOptions {
  readonly group: string;
  readonly topics: readonly string[];
  readonly reads?: Readiness;
  /** Acknowledge each batch at once. */
  readonly acknowledge?: boolean;
  readonly onRecords?: (reader: Reader, source: TopicPartition, records: readonly StoredRecord[]) => void;
}

/** A subscriber that records every callback. */
export class Reader {
  readonly records: StoredRecord[] = [];
  readonly owned = new Set<string>();
  /** `assigned a/0`, `revoked a/0`, in order. */
  readonly history: string[] = [];
  #subscription: Subscription | null = null;

  static async open(log: Log, options: ReaderOptions): Promise<Reader> {
    const reader = new Reader();
    reader.#subscription = await log.subscribe({
      group: options.group,
      topics: options.topics,
      ...(options.reads && { reads: options.reads }),
      onAssigned: (partitions) => reader.#note('assigned', partitions),
      onRevoked: (partitions) => reader.#note('revoked', partitions),
      onRecords: (source, records) => {
        reader.records.push(...records);
        const last = records.at(-1);
        if (options.acknowledge && last) reader.subscription.ack(source, last.offset);
        options.onRecords?.(reader, source, records);
      },
    });
    return reader;
  }

  get subscription(): Subscription {
    if (!this.#subscription) throw new Error('called back before subscribe resolved');
    return this.#subscription;
  }

  keys(source?: TopicPartition): readonly string[] {
    return this.of(source).map((record) => record.key);
  }

  of(source?: TopicPartition): readonly StoredRecord[] {
    return source ? this.records.filter((record) => nameOf(record) === nameOf(source)) : this.records;
  }

  async until(condition: (reader: this) => void): Promise<void> {
    await eventually(() => condition(this));
  }

  async untilOwns(partitions: number): Promise<void> {
    await this.until(() => expect(this.owned.size).toBe(partitions));
  }

  #note(what: 'assigned' | 'revoked', partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      this.history.push(`${what} ${nameOf(source)}`);
      if (what === 'assigned') this.owned.add(nameOf(source));
      else this.owned.delete(nameOf(source));
    }
  }
}

/** Waits until `condition` no longer throws; fails with its last error. */
export async function eventually(condition: () => void, timeoutMs = 60_000): Promise<void> {
  await vi.waitFor(condition, { timeout: timeoutMs, interval: 5 });
}
