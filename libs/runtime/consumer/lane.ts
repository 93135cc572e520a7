import type { Message } from '#codec/codec.ts';
import { PortError } from '#ports/errors.ts';
import type { StoredRecord } from '#ports/log.ts';
import { fileRecord, readParked, readParkedKey, writeParkedKey, type ParkedKey } from '#tables/parking.ts';
import { buryRecord } from '../dead-letters.ts';
import type { ConsumerParts, KeyedConsumerOptions } from './keyed-consumer.ts';
import type { OwnedPartition } from './owned-partition.ts';

type Recorded = Pick<StoredRecord, 'offset' | 'value'>;

/** What a batch came to. `lost`: the partition is not ours any more; nothing may be acknowledged. */
type Handled = { readonly kind: 'done' } | { readonly kind: 'lost' } | { readonly kind: 'stuck'; readonly at: number; readonly error: string };

export interface LaneOptions extends Pick<KeyedConsumerOptions, 'name' | 'maxBatch' | 'handle'> {
  /** Waits before what was refused for now is tried again; other lanes may run meanwhile. */
  readonly rest: (milliseconds: number) => Promise<void>;
}

const TRIES_IN_PLACE = 3;
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 2000;
const DRAIN_BATCH = 50;

/**
 * The records of one key. Open: handled in order, a batch at a time. A record that can't be handled parks the key: from then
 * on its records are filed in the store and count as done, until an operator's wish drains them, in order, before newer ones.
 */
export class Lane {
  readonly key: string;
  readonly partition: OwnedPartition;
  /** In the consumer's hands: queued to run or running. */
  scheduled = false;
  /** Met a defect of ours with records in hand: nothing more may run, or it would overtake them. */
  broken = false;
  readonly #options: LaneOptions;
  readonly #parts: ConsumerParts;
  #queue: StoredRecord[] = [];
  #flag: ParkedKey | null = null;

  constructor(key: string, partition: OwnedPartition, options: LaneOptions, parts: ConsumerParts) {
    this.key = key;
    this.partition = partition;
    this.#options = options;
    this.#parts = parts;
  }

  get heldBack(): boolean {
    return this.#flag !== null;
  }

  get hasWork(): boolean {
    return !this.broken && (this.#queue.length > 0 || (this.#flag !== null && this.#flag.wish !== 'none'));
  }

  push(record: StoredRecord): void {
    this.#queue.push(record);
  }

  holdBack(flag: ParkedKey): void {
    this.#flag = flag;
  }

  /** One batch. The offsets that are done with. */
  async runBatch(): Promise<readonly number[]> {
    if (this.#flag !== null) return this.#patiently(() => this.#runParked());
    const batch = this.#queue.splice(0, this.#options.maxBatch);
    const outcome = await this.#handleAll(batch);
    if (outcome.kind === 'lost') return [];
    if (outcome.kind === 'done') return batch.map((record) => record.offset);
    const stuck = batch.findIndex((record) => record.offset === outcome.at);
    this.#queue.unshift(...batch.slice(stuck));
    await this.#patiently(() => this.#park(outcome.error));
    return batch.slice(0, stuck).map((record) => record.offset);
  }

  /** Decodes and handles; one that nobody can read goes to the dead letters and counts as handled. */
  async #handleAll(records: readonly Recorded[]): Promise<Handled> {
    const readable: { readonly record: Recorded; readonly message: Message }[] = [];
    for (const record of records) {
      const decoded = await this.#patiently(() => this.#parts.codec.decode(record.value));
      if (decoded.ok) readable.push({ record, message: decoded.message });
      else if (decoded.why === 'malformed') await this.#patiently(() => buryRecord(this.#parts, { ...this.partition.source, key: this.key, ...record }, decoded.detail));
      else {
        const before = await this.#tryHandling(readable);
        return before.kind === 'done' ? { kind: 'stuck', at: record.offset, error: `unknown schema: ${decoded.detail}` } : before;
      }
    }
    return this.#tryHandling(readable);
  }

  async #tryHandling(readable: readonly { readonly record: Recorded; readonly message: Message }[]): Promise<Handled> {
    if (readable.length === 0) return { kind: 'done' };
    let unexpected = 0;
    for (let failures = 0; this.partition.owned; failures++) {
      try {
        await this.#options.handle(this.key, readable.map((entry) => entry.message));
        return { kind: 'done' };
      } catch (error) {
        const expected = error instanceof PortError && error.kind !== 'refused';
        if (!expected) unexpected++;
        this.#parts.reporter.failure(expected ? 'handling-waits' : 'handling-failed', error, { consumer: this.#options.name, key: this.key, failures });
        if (unexpected >= TRIES_IN_PLACE) return this.#findStuck(readable, String(error));
        await this.#options.rest(backoff(failures));
      }
    }
    return { kind: 'lost' };
  }

  /** One by one, to park from the record that fails and not from its innocent neighbours. */
  async #findStuck(readable: readonly { readonly record: Recorded; readonly message: Message }[], error: string): Promise<Handled> {
    if (readable.length === 1) return { kind: 'stuck', at: readable[0]!.record.offset, error };
    for (const entry of readable) {
      const outcome = await this.#tryHandling([entry]);
      if (outcome.kind !== 'done') return outcome;
    }
    return { kind: 'done' };
  }

  async #park(error: string): Promise<void> {
    const { topic, partition } = this.partition.source;
    const { version, flag } = await readParkedKey(this.#parts.store, topic, partition, this.key);
    const now = this.#parts.clock.now();
    const next: ParkedKey = flag ?? { topic, partition, key: this.key, episode: this.#parts.ids.uuid7(now), wish: 'none', drainedTo: -1, error, parkedAt: now, held: 0 };
    if (flag === null && !(await writeParkedKey(this.#parts.store, next, version, next, this.#parts.ids.token()))) {
      throw new PortError('unavailable', 'somebody else parked or freed the key');
    }
    this.#flag = next;
    this.#parts.reporter.report('key-parked', { topic, partition, key: this.key, error });
  }

  /** Parked: drains when an operator wishes it, else files what came. */
  async #runParked(): Promise<readonly number[]> {
    const { topic, partition } = this.partition.source;
    const { version, flag } = await readParkedKey(this.#parts.store, topic, partition, this.key);
    if (flag === null) {
      this.#flag = null;
      return [];
    }
    this.#flag = flag;
    if (flag.wish !== 'none') {
      await this.#drain(flag, version);
      return [];
    }
    const record = this.#queue[0];
    if (record === undefined) return [];
    await fileRecord(this.#parts.store, flag, record);
    // Filed under a flag that was cleared meanwhile, the record would be forgotten: count it by compare-and-set, or handle it.
    if (!(await writeParkedKey(this.#parts.store, flag, version, { ...flag, held: flag.held + 1 }, this.#parts.ids.token()))) return [];
    this.#queue.shift();
    return [record.offset];
  }

  async #drain(flag: ParkedKey, version: number): Promise<void> {
    const records = await readParked(this.#parts.store, flag, DRAIN_BATCH);
    if (records.length === 0) {
      if (await writeParkedKey(this.#parts.store, flag, version, null, this.#parts.ids.token())) {
        this.#flag = null;
        this.#parts.reporter.report('key-freed', { topic: flag.topic, partition: flag.partition, key: flag.key });
      }
      return;
    }
    const skipped = flag.wish === 'skip' ? records[0]!.offset : null;
    if (skipped !== null) this.#parts.reporter.report('record-skipped', { topic: flag.topic, partition: flag.partition, key: flag.key, offset: skipped });
    const outcome = await this.#handleAll(skipped === null ? records : records.slice(1));
    if (outcome.kind === 'lost') return;
    const next: ParkedKey =
      outcome.kind === 'done'
        ? { ...flag, wish: 'retry', drainedTo: records.at(-1)!.offset }
        : { ...flag, wish: 'none', drainedTo: records.findLast((record) => record.offset < outcome.at)?.offset ?? flag.drainedTo, error: outcome.error };
    await writeParkedKey(this.#parts.store, flag, version, next, this.#parts.ids.token());
  }

  /** Until it works or the partition is lost: the store or the log being away must not lose or reorder a record. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (!this.partition.owned || !(error instanceof PortError) || error.kind === 'refused') throw error;
        this.#parts.reporter.failure('handling-waits', error, { consumer: this.#options.name, key: this.key, failures });
        await this.#options.rest(backoff(failures));
      }
    }
  }
}

function backoff(failures: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
}
