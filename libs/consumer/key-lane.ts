import assert from 'node:assert/strict';
import type { Message } from '#messages/messages.ts';
import { withTrace } from '#messages/message-headers.ts';
import { backoffMs, ENGINE_BACKOFF } from '#concurrency/backoff.ts';
import { isUnavailable, retryWhileUnavailable, type RetryOptions } from '#concurrency/retry.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
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
import { unfitFor, writeDeadLetter } from './dead-letters.ts';
import { BegunAhead, firstOffset, type Readable, type LaneRecord, type Try } from './begun-ahead.ts';
import { areGathered } from './gathering.ts';
import { HandOver } from './hand-over.ts';
import { MAX_VANISHED_OWNERS } from './handling-marks.ts';
import type { HandlerContext, ConsumerPorts, KeyLaneOptions, Standing, Succession } from './consumer-options.ts';
import type { OwnedPartition } from './owned-partition.ts';

/**
 * What handling a batch came to. `lost`: the partition has another owner, or is about to; nothing may be acknowledged.
 * `stuck`: at this record the key has to be parked.
 */
type HandlingOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'stuck'; readonly at: number; readonly error: string };

/** The partition was lost, or the process ends, before a suspect's turn came. */
class TurnNeverCame extends Error {}

/** Failures that are not the engine's, after which a record counts as one that can not be handled. */
const MAX_TRIES = 3;
const DRAIN_BATCH = 50;
/** Shown to operators. */
const ENDS_PROCESSES = `The last three processes that handled this record vanished while they did: it is held back, so that no further one does. \
Logs and core dumps of those processes say why; retry gives it three more, skip leaves it out.`;
assert(MAX_VANISHED_OWNERS === 3);

type State = 'idle' | 'queued' | 'running' | 'broken';
const TRANSITIONS: Transitions<State> = {
  idle: ['queued'],
  queued: ['running'],
  running: ['idle', 'broken'],
  broken: [],
};

/**
 * The records of one key, handled in order, a batch at a time.
 *
 * idle -> `queue` (it has work and waits for a slot) -> queued -> `begin` -> running -> `end` -> idle. From running,
 * `fail` breaks it for good: it met a defect of ours with records in hand, and later records would overtake those.
 *
 * The key itself is open -> parked (a record can not be handled, or ended its owners) -> open. While it is parked, its
 * records are filed in the store and count as done. When an operator wishes it, the filed records are drained in order,
 * before newer ones; then the key is open again, or parked anew at the record that fails.
 *
 * Where it is pipelined, the record behind the one that has its first try is begun *ahead*, and waits in its handler
 * until it is its turn. It has the lane next, whatever that try comes to.
 *
 * A record may be handled before it is durable. Nothing else is done with it before that: it is not acknowledged, filed
 * or copied to the dead letters, and its key is not parked for it.
 */
export class KeyLane {
  readonly key: string;
  readonly partition: OwnedPartition;
  /** Since when it waits for a slot, by the monotonic clock. */
  queuedAt = 0;
  #state: State = 'idle';
  readonly #options: KeyLaneOptions;
  readonly #ports: ConsumerPorts;
  #queue: StoredRecord[] = [];
  #flag: ParkedKey | null = null;
  readonly #ahead: BegunAhead;
  /** A key is one Workspace's for good. */
  #workspace: string | null = null;
  readonly #retry: RetryOptions;

  constructor(key: string, partition: OwnedPartition, options: KeyLaneOptions, ports: ConsumerPorts) {
    this.key = key;
    this.partition = partition;
    this.#options = options;
    this.#ports = ports;
    this.#retry = {
      clock: { sleep: options.rest },
      mayRetry: () => partition.owned,
      report: (error, failures) => this.#reportFailure('handling-retried', error, failures),
    };
    this.#ahead = new BegunAhead({
      mayBegin: ({ offset, value }) =>
        (this.#flag ?? unfitFor(key, value)) === null &&
        !partition.marks.watches(key, offset) &&
        options.mayBegin('ahead'),
      begin: async (record, predecessor) => {
        const decoded = await ports.codec.decode(record.value).catch(() => null);
        if (decoded?.ok !== true) return null;
        const readable = [{ record, message: withTrace(decoded.message, record) }];
        return { readable, first: this.#try(readable, predecessor, true) };
      },
    });
  }

  /** A defect of ours was met: nothing of this lane runs any more. */
  get broken(): boolean {
    return this.#state === 'broken';
  }

  get heldBack(): boolean {
    return this.#flag !== null;
  }

  /** It waits for nothing but a slot. */
  get isReady(): boolean {
    return this.#state === 'idle' && this.hasWork && this.partition.opened;
  }

  get hasWork(): boolean {
    return !this.broken && (this.#queue.length > 0 || (this.#flag !== null && this.#flag.wish !== 'none'));
  }

  /** The records of its next batch may all wait for more: see `Gathering`. */
  get isGathered(): boolean {
    const { gathering, maxBatch } = this.#options;
    if (gathering === undefined || this.#flag !== null) return false;
    return areGathered(gathering, this.#queue.slice(0, maxBatch), this.#ports.codec);
  }

  /** It has as many records as its next batch takes. */
  get isFull(): boolean {
    return this.#queue.length >= this.#options.maxBatch;
  }

  /** The Workspace that its first record is of; the key itself where that can not be known. */
  async workspaceBy(workspaceOf: (message: Message) => string): Promise<string> {
    const first = this.#queue[0];
    if (this.#workspace !== null || first === undefined) return this.#workspace ?? this.key;
    // What is wrong with a record is found, and told, when it is handled.
    const decoded = await this.#ports.codec.decode(first.value).catch(() => null);
    if (decoded?.ok === true) this.#workspace = workspaceOf(decoded.message);
    return this.#workspace ?? this.key;
  }

  push(record: StoredRecord): void {
    this.#queue.push(record);
    this.#beginAhead();
  }

  /** A record was begun ahead of its turn: the lane goes on with that one. */
  get hasBegunAhead(): boolean {
    return this.#ahead.hasBegun;
  }

  /** The record that was begun ahead got its turn: its handler may have done anything by now. */
  get isHandedOver(): boolean {
    return this.#ahead.isHandedOver;
  }

  holdBack(flag: ParkedKey): void {
    this.#flag = flag;
  }

  queue(): void {
    this.#enter('queued');
  }

  begin(): void {
    this.#enter('running');
  }

  end(): void {
    this.#enter('idle');
  }

  fail(): void {
    this.#enter('broken');
  }

  /** Handles one batch, and answers with the offsets that are done. */
  async runBatch(): Promise<readonly number[]> {
    assert(this.#state === 'running', 'a lane that runs has begun');
    const ahead = await this.#ahead.take();
    if (ahead !== null) {
      const { record, begun } = ahead;
      const handled = begun === null ? this.#handleAll([record]) : this.#tryHandling(begun.readable, begun.first);
      return this.#conclude([record], await handled);
    }
    const first = this.#queue[0];
    const isUnfit = first !== undefined && unfitFor(this.key, first.value) !== null;
    if (this.#flag !== null && !isUnfit) return this.#whenAvailable(() => this.#runParked());
    if (first !== undefined && this.#isCondemned(first)) {
      // A record that is lost comes again, or was never there: kept, it would have the lane run again at once.
      if (!(await this.#isSettled(first))) {
        this.#queue.shift();
        return [];
      }
      await this.#whenAvailable(() => this.#park(ENDS_PROCESSES, 'vanished_owners'));
      return [];
    }
    // A suspect's records run one by one, to find the one that ends processes.
    const batch = this.#queue.splice(0, this.#isSuspect || isUnfit ? 1 : this.#options.maxBatch);
    return this.#conclude(batch, await this.#handleAll(batch));
  }

  async #conclude(batch: readonly StoredRecord[], handled: HandlingOutcome): Promise<readonly number[]> {
    const outcome = await this.#onceDurable(batch, handled);
    if (outcome.kind === 'lost') return [];
    if (outcome.kind === 'done') return batch.map((record) => record.offset);
    const stuck = batch.findIndex((record) => record.offset === outcome.at);
    const doneAhead = await this.#endAhead();
    this.#queue.unshift(...batch.slice(stuck));
    await this.#whenAvailable(() => this.#park(outcome.error, 'failing'));
    return [...batch.slice(0, stuck).map((record) => record.offset), ...doneAhead];
  }

  /** What was begun ahead of a record that is to be parked is filed behind it, unless it is done. */
  async #endAhead(): Promise<readonly number[]> {
    const ahead = await this.#ahead.end();
    if (ahead === null) return [];
    if (ahead.isHandled && (await this.#isSettled(ahead.record))) return [ahead.record.offset];
    this.#queue.unshift(ahead.record);
    return [];
  }

  /** What handling the batch came to, once it is known whether the batch is durable; `lost` when it is not. */
  async #onceDurable(batch: readonly LaneRecord[], outcome: HandlingOutcome): Promise<HandlingOutcome> {
    const last = batch.at(-1);
    if (outcome.kind === 'lost' || last === undefined) return outcome;
    return (await this.#isSettled(last)) ? outcome : { kind: 'lost' };
  }

  /** Resolves once it is known, with whether the record is durable and the partition is ours. */
  async #isSettled({ offset }: LaneRecord): Promise<boolean> {
    return this.partition.owned && (await this.#options.isDurable(offset)) && this.partition.owned;
  }

  get #isSuspect(): boolean {
    return this.partition.marks.suspicion(this.key) > 0;
  }

  /** Not what comes behind the suspected records: had they not been acknowledged, they would come again before it. */
  #isCondemned({ offset }: LaneRecord): boolean {
    const condemned = this.partition.marks.condemned(this.key);
    return condemned !== null && offset >= condemned[0] && offset <= condemned[1];
  }

  /** Decodes and handles. A record that can not be read goes to the dead letters and counts as handled. */
  async #handleAll(records: readonly LaneRecord[]): Promise<HandlingOutcome> {
    const readable: { readonly record: LaneRecord; readonly message: Message }[] = [];
    for (const record of records) {
      const decoded =
        unfitFor(this.key, record.value) ?? (await this.#whenAvailable(() => this.#ports.codec.decode(record.value)));
      if (decoded.ok) readable.push({ record, message: withTrace(decoded.message, record) });
      else if (decoded.why === 'malformed') {
        if (!(await this.#isSettled(record))) return { kind: 'lost' };
        await this.#whenAvailable(() =>
          writeDeadLetter(this.#ports, { ...this.partition.source, key: this.key, ...record }, decoded.detail),
        );
      } else {
        const before = await this.#tryHandling(readable);
        return before.kind === 'done'
          ? { kind: 'stuck', at: record.offset, error: `unknown schema: ${decoded.detail}` }
          : before;
      }
    }
    return this.#tryHandling(readable);
  }

  /** `first`: the try that was begun ahead. */
  async #tryHandling(readable: Readable, first: Try | null = null): Promise<HandlingOutcome> {
    if (readable.length === 0) return { kind: 'done' };
    let unexpected = 0;
    for (let failures = 0, next = first; this.partition.owned; failures++, next = null) {
      const { own, predecessor, ended } = next ?? this.#try(readable, null, failures === 0);
      // Only beside a first try: after a second one the key may have to be parked.
      if (failures === 0) this.#ahead.follow(own);
      this.#beginAhead();
      try {
        await ended;
        this.#ahead.close();
        own.end();
        return { kind: 'done' };
      } catch (error) {
        this.#ahead.close();
        own.refuse();
        if (error instanceof TurnNeverCame) return { kind: 'lost' };
        // Its turn had not come, and has now.
        if (predecessor?.isRefused === true && isUnavailable(error)) continue;
        const expected = isUnavailable(error);
        if (!expected) unexpected++;
        this.#reportFailure(expected ? 'handling-retried' : 'handling-failed', error, failures);
        if (unexpected >= MAX_TRIES) return this.#findStuck(readable, String(error));
        await this.#options.rest(backoffMs(ENGINE_BACKOFF, failures));
      }
    }
    return { kind: 'lost' };
  }

  #beginAhead(): void {
    if (this.#ahead.offer(this.#queue[0])) this.#queue.shift();
  }

  #try(readable: Readable, predecessor: HandOver | null, isFirst: boolean): Try {
    const own = new HandOver(() => this.partition.owned && this.#options.mayBegin('in_turn'));
    const mayBeRepeat =
      !isFirst || this.#flag !== null || this.partition.marks.watches(this.key, firstOffset(readable));
    const ended = this.#handle(readable, { predecessor, pass: () => own.pass(), mayBeRepeat });
    // Ahead, nobody waits for it yet.
    ended.catch(() => {});
    return { predecessor, own, ended };
  }

  /** Once. Whether it returns or throws, the process has outlived these records. */
  async #handle(readable: Readable, about: Succession & Pick<HandlerContext, 'mayBeRepeat'>): Promise<void> {
    const [first, last] = [firstOffset(readable), readable.at(-1)!.record.offset];
    const { marks } = this.partition;
    const context: HandlerContext = {
      ...this.#standing(last),
      ...about,
      marked: <T>(work: () => Promise<T>) => this.#marked([first, last], work),
    };
    const messages = readable.map(({ message }) => message);
    const handle = (): Promise<void> => this.#options.handle(this.key, messages, context);
    try {
      await marks.claim();
      if (this.#options.marks !== 'by_handler' && (this.#flag !== null || marks.watches(this.key, first)))
        await context.marked(handle);
      else await handle();
    } catch (error) {
      if (error instanceof TurnNeverCame) throw error;
      marks.clear(this.key, last);
      throw error;
    }
    marks.clear(this.key, last);
  }

  /** Of all records up to and including that offset, as the partition has them now. */
  #standing(last: number): Standing {
    let isDurable = false;
    const settled = this.#options.isDurable(last).then((durable) => (isDurable = durable));
    return {
      // What is durable may be handled at two owners: the store tells them apart.
      isOurs: () => isDurable || this.partition.owned,
      durable: async () => {
        if (!(await settled))
          throw new PortError('unavailable', `records of ${this.key} are not this owner's any more`);
      },
    };
  }

  /**
   * Nothing is marked between two tries: a key that waits for an engine that is away does not end the process
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

  /** One by one, to park from the record that fails and not from its neighbours in the batch. */
  async #findStuck(readable: Readable, error: string): Promise<HandlingOutcome> {
    if (readable.length === 1) return { kind: 'stuck', at: readable[0]!.record.offset, error };
    for (const entry of readable) {
      const outcome = await this.#tryHandling([entry]);
      if (outcome.kind !== 'done') return outcome;
    }
    return { kind: 'done' };
  }

  async #park(error: string, cause: ParkingCause): Promise<void> {
    const { topic, partition } = this.partition.source;
    const { version, flag } = await readParkedKey(this.#ports.store, topic, partition, this.key);
    const now = this.#ports.clock.now();
    const next: ParkedKey = flag ?? {
      topic,
      partition,
      key: this.key,
      episode: this.#ports.ids.uuid7(now),
      wish: 'none',
      drainedTo: -1,
      error,
      cause,
      parkedAt: now,
      held: 0,
    };
    if (flag === null && !(await this.#replaceParked(next, version, next)))
      throw new PortError('unavailable', 'another process parked or freed the key');
    this.#flag = next;
    // Once an operator wants it tried again, owners that vanish with it are counted from zero.
    this.partition.marks.clear(this.key);
    this.#ports.reporter.report('key-parked', { topic, partition, key: this.key, cause, error });
  }

  /** Of a parked key: drains when an operator wishes it, else files a record that arrived. */
  async #runParked(): Promise<readonly number[]> {
    const { topic, partition } = this.partition.source;
    const { version, flag } = await readParkedKey(this.#ports.store, topic, partition, this.key);
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
    if (record === undefined || !(await this.#isSettled(record))) return [];
    await fileRecord(this.#ports.store, flag, record);
    // Filed under a flag that was cleared meanwhile, the record would be forgotten: count it by compare-and-set, or
    // handle it.
    if (!(await this.#replaceParked(flag, version, { ...flag, held: flag.held + 1 }))) return [];
    this.#queue.shift();
    return [record.offset];
  }

  async #drain(flag: ParkedKey, version: number): Promise<void> {
    // One of a suspect at a time, beside the one that is skipped.
    const limit = this.#isSuspect ? (flag.wish === 'skip' ? 2 : 1) : DRAIN_BATCH;
    const records = await readParked(this.#ports.store, flag, limit);
    if (records.length === 0) {
      if (await this.#replaceParked(flag, version, null)) {
        this.#flag = null;
        this.#ports.reporter.report('key-unparked', { topic: flag.topic, partition: flag.partition, key: flag.key });
      }
      return;
    }
    const skipped = flag.wish === 'skip' ? records[0]!.offset : null;
    if (skipped !== null)
      this.#ports.reporter.report('record-skipped', {
        topic: flag.topic,
        partition: flag.partition,
        key: flag.key,
        offset: skipped,
      });
    const wanted = skipped === null ? records : records.slice(1);
    const isCondemned = wanted[0] !== undefined && this.#isCondemned(wanted[0]);
    const outcome: HandlingOutcome = isCondemned
      ? { kind: 'stuck', at: wanted[0]!.offset, error: ENDS_PROCESSES }
      : await this.#handleAll(wanted);
    if (outcome.kind === 'lost') return;
    const next: ParkedKey =
      outcome.kind === 'done'
        ? { ...flag, wish: 'retry', drainedTo: records.at(-1)!.offset }
        : {
            ...flag,
            wish: 'none',
            error: outcome.error,
            cause: isCondemned ? 'vanished_owners' : 'failing',
            drainedTo: records.findLast((record) => record.offset < outcome.at)?.offset ?? flag.drainedTo,
          };
    await this.#replaceParked(flag, version, next);
    if (!isCondemned) return;
    this.partition.marks.clear(this.key);
    this.#ports.reporter.report('key-parked', {
      topic: flag.topic,
      partition: flag.partition,
      key: flag.key,
      cause: 'vanished_owners',
      error: ENDS_PROCESSES,
    });
  }

  /** False: another process wrote the row since `version`. Rejects with `PortError`. */
  #replaceParked(key: ParkedKey, version: number, next: ParkedKey | null): Promise<boolean> {
    const { store, ids } = this.#ports;
    return writeParkedKey(store, key, { version, flag: next, token: ids.token() });
  }

  /** Until it works or the partition is lost: an engine that is away must not lose or reorder a record. */
  #whenAvailable<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileUnavailable(work, this.#retry);
  }

  #reportFailure(event: 'handling-retried' | 'handling-failed', error: unknown, failures: number): void {
    this.#ports.reporter.failure(event, error, { consumer: this.#options.name, key: this.key, failures });
  }

  #enter(state: State): void {
    this.#state = transition('a key lane', TRANSITIONS, this.#state, state);
  }
}
