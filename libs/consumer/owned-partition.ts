import type { TopicPartition } from '#ports/log.ts';
import type { Reporter } from '#ports/reporter.ts';
import { OffsetTracker } from './offset-tracker.ts';
import { HandlingMarks } from './handling-marks.ts';
import type { ConsumerPorts, KeyedConsumerOptions } from './consumer-options.ts';

/** Records that may still arrive after a pause was asked for. */
const ON_THEIR_WAY = 100_000;

/**
 * One assignment of one partition: assigned (its parked keys are being read; records wait) -> opened -> lost. A lost
 * one never comes back: assigned again means a new object, so that late completions of an old assignment can't
 * acknowledge for the new.
 */
export class OwnedPartition {
  readonly source: TopicPartition;
  /** What the next owner is told of what this one handles. */
  readonly marks: HandlingMarks;
  readonly #maxWaiting: number;
  readonly #reporter: Reporter;
  readonly #tracker: OffsetTracker;
  #state: 'assigned' | 'opened' | 'lost' = 'assigned';
  readonly #losing = new AbortController();
  #paused = false;

  constructor(
    source: TopicPartition,
    { group, maxWaiting }: Pick<KeyedConsumerOptions, 'group' | 'maxWaiting'>,
    parts: ConsumerPorts,
  ) {
    this.source = source;
    this.marks = new HandlingMarks(group, this, parts);
    this.#maxWaiting = maxWaiting;
    this.#reporter = parts.reporter;
    this.#tracker = new OffsetTracker(maxWaiting + ON_THEIR_WAY);
  }

  get owned(): boolean {
    return this.#state !== 'lost';
  }

  get opened(): boolean {
    return this.#state === 'opened';
  }

  get waiting(): number {
    return this.#tracker.size;
  }

  open(): void {
    if (this.#state === 'assigned') this.#state = 'opened';
  }

  lose(): void {
    this.#state = 'lost';
    this.#losing.abort();
  }

  /** Aborted when it is lost. */
  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  /** False: this record was taken before. */
  begin(offset: number): boolean {
    if (!this.#tracker.begin(offset)) return false;
    this.marks.take(offset);
    return true;
  }

  /** The offset up to which everything is done now, when it moved. */
  finish(offsets: readonly number[]): number | null {
    let upTo: number | null = null;
    for (const offset of offsets) upTo = this.#tracker.done(offset) ?? upTo;
    return upTo;
  }

  /** True once, when more waits than memory should hold. */
  mustPause(): boolean {
    if (this.#paused || this.waiting < this.#maxWaiting) return false;
    this.#paused = true;
    this.#reporter.report('mailbox-full', {
      topic: this.source.topic,
      partition: this.source.partition,
      waiting: this.waiting,
    });
    return true;
  }

  /** True once, when half of it is done. */
  mayResume(): boolean {
    if (!this.#paused || this.waiting > this.#maxWaiting / 2) return false;
    this.#paused = false;
    return true;
  }
}
