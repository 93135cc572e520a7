import type { Message } from '#messages/messages.ts';
import type { StoredRecord } from '#ports/log.ts';
import type { HandOver } from './hand-over.ts';

export type LaneRecord = Pick<StoredRecord, 'offset' | 'value' | 'headers'>;
export type Readable = readonly { readonly record: LaneRecord; readonly message: Message }[];

/** There is at least one. */
export const firstOffset = (readable: Readable): number => readable[0]!.record.offset;

/** One try to handle records. */
export interface Try {
  /** The hand-over that gives them the turn; null: it is their turn. */
  readonly predecessor: HandOver | null;
  /** The hand-over by which they give the turn to the next record. */
  readonly own: HandOver;
  readonly ended: Promise<void>;
}

export interface FirstTry {
  readonly readable: Readable;
  readonly first: Try;
}

interface Ahead {
  readonly record: StoredRecord;
  readonly predecessor: HandOver;
  /** Null: it can not be decoded. That is found again, and dealt with, in its turn. */
  readonly begun: Promise<FirstTry | null>;
}

export interface BegunAheadOptions {
  readonly mayBegin: (record: StoredRecord) => boolean;
  /** Never rejects. Null: it can not be decoded. */
  readonly begin: (record: StoredRecord, predecessor: HandOver) => Promise<FirstTry | null>;
}

/**
 * The record of a lane that was begun while the one before it is handled; there is at most one.
 *
 * closed -> `follow` (a record has its first try: the next one may begin beside it) -> open -> `offer` (the next one is
 * there) -> begun -> `take` (the lane goes on with it) or `end` (the one before it is to be parked) -> closed. `close`
 * leads from open to closed; a record that was begun stays.
 */
export class BegunAhead {
  readonly #options: BegunAheadOptions;
  #predecessor: HandOver | null = null;
  #ahead: Ahead | null = null;

  constructor(options: BegunAheadOptions) {
    this.#options = options;
  }

  get hasBegun(): boolean {
    return this.#ahead !== null;
  }

  /** The turn was given to the record that was begun ahead: its handler may have done anything by now. */
  get isHandedOver(): boolean {
    return this.#ahead?.predecessor.isGiven === true;
  }

  follow(predecessor: HandOver): void {
    this.#predecessor = predecessor;
  }

  close(): void {
    this.#predecessor = null;
  }

  /** True: the record was begun, and is kept here until `take` or `end`. */
  offer(record: StoredRecord | undefined): boolean {
    const predecessor = this.#predecessor;
    if (record === undefined || predecessor === null || this.#ahead !== null) return false;
    if (!this.#options.mayBegin(record)) return false;
    this.#ahead = { record, predecessor, begun: this.#options.begin(record, predecessor) };
    return true;
  }

  /** Null: nothing was begun. `begun`: null where the record can not be decoded. */
  async take(): Promise<{ readonly record: StoredRecord; readonly begun: FirstTry | null } | null> {
    if (this.#ahead === null) return null;
    const { record, begun } = this.#ahead;
    const taken = { record, begun: await begun };
    this.#ahead = null;
    return taken;
  }

  /** Waits until its try has ended, and says whether it was handled. Null: nothing was begun. */
  async end(): Promise<{ readonly record: StoredRecord; readonly isHandled: boolean } | null> {
    const taken = await this.take();
    if (taken === null) return null;
    const isHandled = taken.begun?.first.ended.then(
      () => true,
      () => false,
    );
    return { record: taken.record, isHandled: (await isHandled) ?? false };
  }
}
