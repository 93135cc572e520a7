import type { AppendItem } from './append-call.ts';

export interface BatchLimits {
  readonly sendRecords: number;
  readonly partitionBatchBytes: number;
}

/** The overhead of a record in a batch beside its value and key, estimated generously. */
const RECORD_OVERHEAD_BYTES = 100;

const headerBytes = ({ headers }: AppendItem): number =>
  headers === undefined ? 0 : JSON.stringify(headers).length * 3;

export const bytesOf = (item: AppendItem): number =>
  item.value.byteLength + item.key.length * 3 + RECORD_OVERHEAD_BYTES + headerBytes(item);

/** The records of one partition, in order. */
export type PartitionBatch = readonly [AppendItem, ...AppendItem[]];

/** Records that wait for a send: first come, first served within a partition; partitions take turns. */
export class BatchQueue {
  readonly #partitions = new Map<string, AppendItem[]>();
  #bytes = 0;
  #records = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get records(): number {
    return this.#records;
  }

  push(item: AppendItem): void {
    const key = `${item.topic}/${item.partition}`;
    const waiting = this.#partitions.get(key);
    if (waiting) waiting.push(item);
    else this.#partitions.set(key, [item]);
    this.#bytes += bytesOf(item);
    this.#records += 1;
  }

  /**
   * The records of the next send, by partition. A partition that reached its limit keeps the rest, in order, for a
   * later send.
   */
  take(limits: BatchLimits): readonly PartitionBatch[] {
    const batches: PartitionBatch[] = [];
    let room = limits.sendRecords;
    for (const [key, waiting] of [...this.#partitions]) {
      if (room === 0) break;
      const taken = this.#takeFrom(waiting, room, limits.partitionBatchBytes);
      this.#partitions.delete(key);
      if (waiting.length > taken.length) this.#partitions.set(key, waiting.slice(taken.length));
      room -= taken.length;
      const [first, ...rest] = taken.filter(({ call }) => !call.settled);
      if (first) batches.push([first, ...rest]);
    }
    return batches;
  }

  /** Removes records whose callers have given up; they accumulate while Kafka is unreachable. */
  sweep(): void {
    for (const [key, waiting] of [...this.#partitions]) {
      const alive = waiting.filter((item) => !item.call.settled || this.#forget(item));
      if (alive.length === 0) this.#partitions.delete(key);
      else this.#partitions.set(key, alive);
    }
  }

  drain(): readonly AppendItem[] {
    const items = [...this.#partitions.values()].flat();
    this.#partitions.clear();
    this.#bytes = 0;
    this.#records = 0;
    return items;
  }

  #takeFrom(waiting: readonly AppendItem[], most: number, mostBytes: number): readonly AppendItem[] {
    const taken: AppendItem[] = [];
    let bytes = 0;
    for (const item of waiting) {
      const size = bytesOf(item);
      if (taken.length === most || (taken.length > 0 && bytes + size > mostBytes)) break;
      bytes += size;
      taken.push(item);
      this.#forget(item);
    }
    return taken;
  }

  #forget(item: AppendItem): false {
    this.#bytes -= bytesOf(item);
    this.#records -= 1;
    return false;
  }
}
