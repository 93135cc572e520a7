import assert from 'node:assert/strict';
import { transition, type Transitions } from '#concurrency/transition.ts';
import type { StoredRecord, TopicPartition } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { OffsetTracker } from './offset-tracker.ts';
import { RecordAges } from './record-ages.ts';
import { HandlingMarks } from './handling-marks.ts';
import type { ConsumerPorts, KeyedConsumerOptions } from './consumer-options.ts';

/** Records that may still arrive after the log was asked to pause the partition. */
const MAX_IN_FLIGHT = 100_000;
/**
 * Records that are done and behind one that is not, so that they can not be acknowledged: the next owner handles them
 * again. A key may be tried for as long as its part of the store is away, and the others of its partition go on.
 */
const MAX_UNACKNOWLEDGED = 50_000;
/** Of the records of a partition that wait: one may have a megabyte, so that their number alone bounds no memory. */
const MAX_WAITING_BYTES = 16 * 1024 ** 2;

type State = 'assigned' | 'opened' | 'lost';
const TRANSITIONS: Transitions<State> = { assigned: ['opened', 'lost'], opened: ['lost'], lost: ['lost'] };

/**
 * One assignment of one partition to this process.
 *
 * assigned (its parked keys and handling marks are being read; records wait) -> `open` -> opened (records run) ->
 * `lose` -> lost. A lost one never comes back: when the partition is assigned again, that is a new object, so that a
 * late completion of the old assignment can not acknowledge records for the new one.
 *
 * Beside that, running -> `mustPause` (too many records wait, or too large ones, or too many stand behind one that
 * waits: backpressure) -> paused -> `mayResume` (half of them are done) -> running.
 */
export class OwnedPartition {
  readonly source: TopicPartition;
  /** What this owner leaves to the next one about the records that it handles. */
  readonly marks: HandlingMarks;
  readonly #maxWaiting: number;
  readonly #reporter: Reporter;
  readonly #tracker: OffsetTracker;
  readonly #ages = new RecordAges();
  /** By offset, of the records that are not done. */
  readonly #bytes = new Map<number, number>();
  #waitingBytes = 0;
  #state: State = 'assigned';
  readonly #losing = new AbortController();
  #paused = false;

  constructor(
    source: TopicPartition,
    { group, maxWaiting }: Pick<KeyedConsumerOptions, 'group' | 'maxWaiting'>,
    ports: ConsumerPorts,
  ) {
    this.source = source;
    this.marks = new HandlingMarks(group, this, ports);
    this.#maxWaiting = maxWaiting;
    this.#reporter = ports.reporter;
    this.#tracker = new OffsetTracker(maxWaiting + MAX_UNACKNOWLEDGED + MAX_IN_FLIGHT);
  }

  get owned(): boolean {
    return this.#state !== 'lost';
  }

  get opened(): boolean {
    return this.#state === 'opened';
  }

  /** Records that were taken and are not done. */
  get waiting(): number {
    return this.#bytes.size;
  }

  /** Records that were taken and are not acknowledged: also those that are done, behind one that is not. */
  get unacknowledged(): number {
    return this.#tracker.size;
  }

  /** When the oldest record that was taken and is not done was written; null: none waits. */
  oldestAt(): number | null {
    const { lowest } = this.#tracker;
    return lowest === null ? null : this.#ages.writtenAt(lowest);
  }

  open(): void {
    this.#enter('opened');
  }

  /** A repeat changes nothing. */
  lose(): void {
    this.#enter('lost');
    this.#losing.abort();
  }

  /** Aborted when the partition is lost. */
  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  /** False: this record was taken before. */
  begin({ offset, timestamp, value }: Pick<StoredRecord, 'offset' | 'timestamp' | 'value'>): boolean {
    assert(this.owned, 'a lost partition takes no records');
    if (!this.#tracker.begin(offset)) return false;
    this.#bytes.set(offset, value.byteLength);
    this.#waitingBytes += value.byteLength;
    this.marks.take(offset);
    this.#ages.take(offset, timestamp);
    return true;
  }

  /** The offset up to which everything is done now, when it moved. */
  finish(offsets: readonly number[]): number | null {
    assert(this.owned, 'a lost partition acknowledges nothing');
    let upTo: number | null = null;
    for (const offset of offsets) {
      upTo = this.#tracker.done(offset) ?? upTo;
      this.#waitingBytes -= this.#bytes.get(offset) ?? 0;
      this.#bytes.delete(offset);
    }
    if (this.#tracker.size === 0) this.#ages.clear();
    return upTo;
  }

  /** True once, when more records, or bytes of them, wait than memory should hold. */
  mustPause(): boolean {
    if (this.#paused || !this.#isFull(1)) return false;
    this.#paused = true;
    this.#reporter.report('mailbox-full', {
      topic: this.source.topic,
      partition: this.source.partition,
      waiting: this.waiting,
      unacknowledged: this.unacknowledged,
    });
    return true;
  }

  /** True once, when half of them are done. */
  mayResume(): boolean {
    if (!this.#paused || this.#isFull(0.5)) return false;
    this.#paused = false;
    return true;
  }

  /** `part`: of what may wait. */
  #isFull(part: number): boolean {
    return (
      this.waiting >= part * this.#maxWaiting ||
      this.#waitingBytes >= part * MAX_WAITING_BYTES ||
      this.unacknowledged >= part * MAX_UNACKNOWLEDGED
    );
  }

  #enter(state: State): void {
    this.#state = transition('an owned partition', TRANSITIONS, this.#state, state);
  }
}
