import assert from 'node:assert/strict';
import type { Message } from '#messages/messages.ts';
import { PortError } from '#ports/errors.ts';
import type { StoredRecord } from '#ports/log.ts';
import type { Span } from '#tables/repositories/handling.ts';
import {
  fileRecord,
  readParked,
  readParkedKey,
  writeParkedKey,
  type ParkedKey,
  type ParkingCause,
} from '#tables/repositories/parking.ts';
import { writeDeadLetter } from './dead-letters.ts';
import { MAX_VANISHED_OWNERS } from './handling-marks.ts';
import type { HandlerContext, ConsumerPorts, KeyedConsumerOptions } from './consumer-options.ts';
import type { OwnedPartition } from './owned-partition.ts';
import type { Suspect, SuspectPermit } from './suspect-lock.ts';

type Recorded = Pick<StoredRecord, 'offset' | 'value'>;

type Readable = readonly { readonly record: Recorded; readonly message: Message }[];

/**
 * What a batch came to. `lost`: the partition is not ours any more, or will not be for long; nothing may be
 * acknowledged.
 */
type Handled =
  | { readonly kind: 'done' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'stuck'; readonly at: number; readonly error: string };

export interface KeyLaneOptions extends Pick<KeyedConsumerOptions, 'name' | 'maxBatch' | 'handle' | 'marks'> {
  /** Waits before what was refused for now is tried again; other lanes may run meanwhile. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /** A suspect's turn to run apart from others; null when the partition goes or the process ends before it comes. */
  readonly turn: (suspect: Suspect) => Promise<SuspectPermit | null>;
}

/** Its turn never came. */
class TurnNeverCame extends Error {}

const TRIES_IN_PLACE = 3;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2000;
const DRAIN_BATCH = 50;
const ENDS_PROCESSES = `The last three processes that handled this record vanished while they did: it is held back, so that no further one does. \
Logs and core dumps of those processes say why; retry gives it three more, skip leaves it out.`;
assert(MAX_VANISHED_OWNERS === 3);

/**
 * The records of one key. Open: handled in order, a batch at a time. A record that can't be handled parks the key: from
 * then on its records are filed in the store and count as done, until an operator's wish drains them, in order, before
 * newer ones.
 */
export class KeyLane {
  readonly key: string;
  readonly partition: OwnedPartition;
  /** In the consumer's hands: queued to run or running. */
  scheduled = false;
  /** Met a defect of ours with records in hand: nothing more may run, or it would overtake them. */
  broken = false;
  readonly #options: KeyLaneOptions;
  readonly #parts: ConsumerPorts;
  #queue: StoredRecord[] = [];
  #flag: ParkedKey | null = null;

  constructor(key: string, partition: OwnedPartition, options: KeyLaneOptions, parts: ConsumerPorts) {
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
    const first = this.#queue[0];
    if (first !== undefined && this.#isCondemned(first)) {
      await this.#patiently(() => this.#park(ENDS_PROCESSES, 'vanished_owners'));
      return [];
    }
    // A suspect's records run one by one, so that it is known which of them ends processes.
    const batch = this.#queue.splice(0, this.#isSuspect ? 1 : this.#options.maxBatch);
    const outcome = await this.#handleAll(batch);
    if (outcome.kind === 'lost') return [];
    if (outcome.kind === 'done') return batch.map((record) => record.offset);
    const stuck = batch.findIndex((record) => record.offset === outcome.at);
    this.#queue.unshift(...batch.slice(stuck));
    await this.#patiently(() => this.#park(outcome.error, 'failing'));
    return batch.slice(0, stuck).map((record) => record.offset);
  }

  get #isSuspect(): boolean {
    return this.partition.marks.suspicion(this.key) > 0;
  }

  #isCondemned({ offset }: Recorded): boolean {
    const condemned = this.partition.marks.condemned(this.key);
    return condemned !== null && offset >= condemned;
  }

  /** Decodes and handles; one that nobody can read goes to the dead letters and counts as handled. */
  async #handleAll(records: readonly Recorded[]): Promise<Handled> {
    const readable: { readonly record: Recorded; readonly message: Message }[] = [];
    for (const record of records) {
      const decoded = await this.#patiently(() => this.#parts.codec.decode(record.value));
      if (decoded.ok) readable.push({ record, message: decoded.message });
      else if (decoded.why === 'malformed')
        await this.#patiently(() =>
          writeDeadLetter(this.#parts, { ...this.partition.source, key: this.key, ...record }, decoded.detail),
        );
      else {
        const before = await this.#tryHandling(readable);
        return before.kind === 'done'
          ? { kind: 'stuck', at: record.offset, error: `unknown schema: ${decoded.detail}` }
          : before;
      }
    }
    return this.#tryHandling(readable);
  }

  async #tryHandling(readable: Readable): Promise<Handled> {
    if (readable.length === 0) return { kind: 'done' };
    let unexpected = 0;
    for (let failures = 0; this.partition.owned; failures++) {
      try {
        await this.#handle(readable);
        return { kind: 'done' };
      } catch (error) {
        if (error instanceof TurnNeverCame) return { kind: 'lost' };
        const expected = error instanceof PortError && error.kind !== 'refused';
        if (!expected) unexpected++;
        this.#parts.reporter.failure(expected ? 'handling-waits' : 'handling-failed', error, {
          consumer: this.#options.name,
          key: this.key,
          failures,
        });
        if (unexpected >= TRIES_IN_PLACE) return this.#findStuck(readable, String(error));
        await this.#options.rest(backoff(failures));
      }
    }
    return { kind: 'lost' };
  }

  /** Once. It either returns or throws: the process outlived it. */
  async #handle(readable: Readable): Promise<void> {
    const [first, last] = [readable[0]!.record.offset, readable.at(-1)!.record.offset];
    const { marks } = this.partition;
    const attempt: HandlerContext = { marked: (work) => this.#marked([first, last], work) };
    const handle = (): Promise<void> =>
      this.#options.handle(
        this.key,
        readable.map((entry) => entry.message),
        attempt,
      );
    try {
      await marks.claim();
      if (this.#options.marks !== 'by_handler' && (this.#flag !== null || marks.watches(this.key, first)))
        await attempt.marked(handle);
      else await handle();
    } catch (error) {
      if (error instanceof TurnNeverCame) throw error;
      marks.clear(this.key, last);
      throw error;
    }
    marks.clear(this.key, last);
  }

  /**
   * Between handling and handling nothing is marked: who waits for an engine that is away has no part in what happens
   * meanwhile.
   */
  async #marked<T>(records: Span, work: () => Promise<T>): Promise<T> {
    const { marks } = this.partition;
    const suspicion = marks.suspicion(this.key);
    const suspect = { suspicion, notBefore: marks.notBefore(this.key), withdraw: () => marks.withdraw(this.key) };
    const turn = suspicion > 0 ? await this.#options.turn(suspect) : null;
    if (suspicion > 0 && turn === null) throw new TurnNeverCame();
    await marks.begin(this.key, records);
    try {
      return await work();
    } finally {
      marks.pause(this.key);
      turn?.leave();
    }
  }

  /** One by one, to park from the record that fails and not from its innocent neighbours. */
  async #findStuck(readable: Readable, error: string): Promise<Handled> {
    if (readable.length === 1) return { kind: 'stuck', at: readable[0]!.record.offset, error };
    for (const entry of readable) {
      const outcome = await this.#tryHandling([entry]);
      if (outcome.kind !== 'done') return outcome;
    }
    return { kind: 'done' };
  }

  async #park(error: string, cause: ParkingCause): Promise<void> {
    const { topic, partition } = this.partition.source;
    const { version, flag } = await readParkedKey(this.#parts.store, topic, partition, this.key);
    const now = this.#parts.clock.now();
    const next: ParkedKey = flag ?? {
      topic,
      partition,
      key: this.key,
      episode: this.#parts.ids.uuid7(now),
      wish: 'none',
      drainedTo: -1,
      error,
      cause,
      parkedAt: now,
      held: 0,
    };
    if (flag === null && !(await writeParkedKey(this.#parts.store, next, version, next, this.#parts.ids.token()))) {
      throw new PortError('unavailable', 'somebody else parked or freed the key');
    }
    this.#flag = next;
    // Parked: whatever the key was suspected of is counted anew once an operator wants it tried again.
    this.partition.marks.clear(this.key);
    this.#parts.reporter.report('key-parked', { topic, partition, key: this.key, cause, error });
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
    // Filed under a flag that was cleared meanwhile, the record would be forgotten: count it by compare-and-set, or
    // handle it.
    if (
      !(await writeParkedKey(
        this.#parts.store,
        flag,
        version,
        { ...flag, held: flag.held + 1 },
        this.#parts.ids.token(),
      ))
    )
      return [];
    this.#queue.shift();
    return [record.offset];
  }

  async #drain(flag: ParkedKey, version: number): Promise<void> {
    // With one that is left out.
    const most = this.#isSuspect ? (flag.wish === 'skip' ? 2 : 1) : DRAIN_BATCH;
    const records = await readParked(this.#parts.store, flag, most);
    if (records.length === 0) {
      if (await writeParkedKey(this.#parts.store, flag, version, null, this.#parts.ids.token())) {
        this.#flag = null;
        this.#parts.reporter.report('key-freed', { topic: flag.topic, partition: flag.partition, key: flag.key });
      }
      return;
    }
    const skipped = flag.wish === 'skip' ? records[0]!.offset : null;
    if (skipped !== null)
      this.#parts.reporter.report('record-skipped', {
        topic: flag.topic,
        partition: flag.partition,
        key: flag.key,
        offset: skipped,
      });
    const wanted = skipped === null ? records : records.slice(1);
    const isCondemned = wanted[0] !== undefined && this.#isCondemned(wanted[0]);
    const outcome: Handled = isCondemned
      ? { kind: 'stuck', at: wanted[0]!.offset, error: ENDS_PROCESSES }
      : await this.#handleAll(wanted);
    if (outcome.kind === 'lost') return;
    const next: ParkedKey =
      outcome.kind === 'done'
        ? { ...flag, wish: 'retry', drainedTo: records.at(-1)!.offset }
        : {
            ...{ ...flag, wish: 'none', error: outcome.error, cause: isCondemned ? 'vanished_owners' : 'failing' },
            drainedTo: records.findLast((record) => record.offset < outcome.at)?.offset ?? flag.drainedTo,
          };
    await writeParkedKey(this.#parts.store, flag, version, next, this.#parts.ids.token());
    if (!isCondemned) return;
    this.partition.marks.clear(this.key);
    this.#parts.reporter.report('key-parked', {
      topic: flag.topic,
      partition: flag.partition,
      key: flag.key,
      cause: 'vanished_owners',
      error: ENDS_PROCESSES,
    });
  }

  /** Until it works or the partition is lost: the store or the log being away must not lose or reorder a record. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (!this.partition.owned || !(error instanceof PortError) || error.kind === 'refused') throw error;
        this.#parts.reporter.failure('handling-waits', error, {
          consumer: this.#options.name,
          key: this.key,
          failures,
        });
        await this.#options.rest(backoff(failures));
      }
    }
  }
}

function backoff(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
}
