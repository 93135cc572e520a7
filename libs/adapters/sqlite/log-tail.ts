import type { StoredRecord } from '#ports/log.ts';

/** The approximate memory of a record beside its value: its objects, its key and its headers. */
const RECORD_OVERHEAD_BYTES = 600;

interface Tail {
  readonly records: StoredRecord[];
  /** Index of the oldest record that is kept; those before it are waiting to be cut off. */
  start: number;
}

/**
 * The newest records of all partitions, so that subscribers who keep up are served without reading from the disk what
 * was just written. Bounded over all partitions together: the oldest records are dropped first. Records that are not
 * here must be read from the disk.
 */
export class LogTail {
  readonly #maxBytes: number;
  readonly #tails = new Map<number, Tail>();
  /** Source of each record kept, oldest first; those before `#orderStart` are dropped. */
  #order: number[] = [];
  #orderStart = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(source: number, record: StoredRecord): void {
    const tail = this.#tails.get(source) ?? { records: [], start: 0 };
    this.#tails.set(source, tail);
    tail.records.push({ ...record, value: alone(record.value) });
    this.#order.push(source);
    this.#bytes += record.value.byteLength + RECORD_OVERHEAD_BYTES;
    while (this.#bytes > this.#maxBytes && this.#orderStart < this.#order.length) this.#dropOldest();
  }

  /** Up to `limit` records at or after offset `from`; null when the answer may need older records than are kept. */
  read(source: number, from: number, limit: number): readonly StoredRecord[] | null {
    const tail = this.#tails.get(source);
    const oldest = tail?.records[tail.start];
    if (!tail || !oldest || oldest.offset > from) return null;
    const at = firstAtOrAfter(tail, from);
    return tail.records.slice(at, at + limit);
  }

  #dropOldest(): void {
    const source = this.#order[this.#orderStart++];
    const tail = source === undefined ? undefined : this.#tails.get(source);
    const dropped = tail?.records[tail.start];
    if (!tail || !dropped) throw new Error('the order of the tail names a record that is not kept');
    this.#bytes -= dropped.value.byteLength + RECORD_OVERHEAD_BYTES;
    tail.start += 1;
    // Cutting only when half is dropped keeps the cost of a drop constant.
    if (tail.start * 2 > tail.records.length) {
      tail.records.splice(0, tail.start);
      tail.start = 0;
    }
    if (this.#orderStart * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#orderStart);
      this.#orderStart = 0;
    }
  }
}

/**
 * Small Buffers are pieces of slabs of 64 KiB that they share with others, and one piece keeps its whole slab. A record
 * of the tail, which outlives what was made beside it, would keep some twenty times its own bytes.
 */
function alone(value: Uint8Array): Uint8Array {
  return value.buffer.byteLength === value.byteLength ? value : new Uint8Array(value);
}

function firstAtOrAfter(tail: Tail, offset: number): number {
  let low = tail.start;
  let high = tail.records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tail.records[middle]?.offset ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
