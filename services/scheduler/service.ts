import type { Codec, DecodeResult, TimerSet } from '#messages/messages.ts';
import type { Cancel } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { GroupMembership, StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { Tracer } from '#ports/tracer.ts';
import { HARMLESS_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import { writeDeadLetter } from '#consumer/dead-letters.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { OffsetTracker } from '#consumer/offset-tracker.ts';
import type { Service } from '#runtime/service.ts';
import { minuteOf, minuteStart } from '#tables/repositories/due.ts';
import { TIMERS } from '#tables/declarations/topics.ts';
import { readAgain, readMinutes, type MinuteOptions } from './minutes.ts';
import { offsetOf } from './read-positions.ts';
import { Shard, type HeldTimer } from './shard.ts';
import { claimShard, moveWatermark, type WatermarkOptions } from './watermarks.ts';
import type { DueSummary } from './timer-queue.ts';
import { TimerQueues } from './timer-queues.ts';

export interface SchedulerOptions extends WatermarkOptions, Pick<WorldPorts, 'log'> {
  readonly codec: Codec;
  readonly tracer?: Tracer;
  readonly backlog?: BacklogLimits;
}

/** How many timers that were read from their rows may wait in memory. The rest of a backlog stays in the store. */
export interface BacklogLimits {
  /** Rows that are read at once. */
  readonly page: number;
  /** A shard with fewer than this reads on, whatever the others have; with its last page it may exceed this. */
  readonly perShard: number;
  /** A shard with `perShard` or more reads on only while all shards of the process together have fewer than this. */
  readonly perProcess: number;
}

/** 350,000 timers in a process that owns all 64 shards: some 140 MB. */
const BACKLOG: BacklogLimits = { page: 2_000, perShard: 2_000, perProcess: 100_000 };

export interface Scheduler extends Service {
  /** Resolves when nothing that is due now is left to fire; for an operator who moved the clock. */
  caughtUp(): Promise<void>;
  /** Timers held in memory. */
  held(): number;
  /** What is due here. A minute that has begun and is not read yet counts for `oldestAt`, by its beginning. */
  due(): DueSummary;
  /** Partitions of timers.v1, that is shards, believed to be ours. */
  owned(): readonly TopicPartition[];
}

const READ_EVERY_MS = 5_000;
const RETRY_MS = 250;
const MOVE_EVERY_MS = 60_000;
const SHARDS_AT_ONCE = 8;
const MAX_OFFSETS = 1_000_000;
/**
 * Above so many timers of a shard that came through the topic and have not fired, its partition is paused. The offset
 * tracker takes twice as many, because records that were fetched before the pause still arrive.
 */
const PAUSE_ABOVE = 500_000;
const READING = 'reading shards';

interface OwnedShard {
  readonly shard: Shard;
  readonly tracker: OffsetTracker;
  paused: boolean;
}

type Mode = 'new' | 'running' | 'draining' | 'stopped';

const TRANSITIONS: Transitions<Mode> = {
  new: ['running', 'stopped'],
  running: ['draining', 'stopped'],
  draining: ['stopped'],
  stopped: ['stopped'],
};

/**
 * Durable timers: fires each timer by appending its message, never early and at least once. Of what messages mean it
 * knows only that VariantsDue of one Workspace may be joined.
 *
 * Each assigned partition of timers.v1 is a shard to own: its epoch is claimed, its minutes are read from the watermark
 * on, and their timers, with those that come through the topic, are held in timer queues and fire in order. The epoch
 * guards the watermark only: two owners of a shard fire its timers twice at worst.
 *
 * - new: nothing is subscribed to.
 * - running: shards are claimed and read, and timers fire. A shard that can not be claimed or read is tried again.
 * - draining: what is being fired ends, watermarks move for the next owner, and the subscription closes.
 * - stopped: every shard is lost. Entered from every mode, also while `start` still waits for the log, and final.
 */
export class SchedulerService implements Scheduler {
  readonly name = 'scheduler';
  readonly #options: SchedulerOptions;
  readonly #owned = new Map<number, OwnedShard>();
  readonly #timerQueues: TimerQueues;
  readonly #cancels: Cancel[] = [];
  #cancelRetry: Cancel = () => {};
  #cancelGoingOn: Cancel = () => {};
  #goesOnReading = false;
  #mode: Mode = 'new';
  #subscription: Subscription | null = null;
  #decoding: Promise<void> = Promise.resolve();
  /** Wall time less monotonic time, in milliseconds: the highest since the clock was put back last. */
  #offsetMs = Number.NEGATIVE_INFINITY;
  /** The last failure of each kind of work, until that kind of work succeeds. */
  readonly #troubles = new Map<string, string>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#timerQueues = new TimerQueues(options, (held) => this.#fired(held));
  }

  async start(): Promise<void> {
    this.#enter('running');
    this.#cancels.push(this.#options.clock.onMoved(() => this.#readSoon()));
    this.#every(READ_EVERY_MS, READING, () => this.#readAll());
    this.#every(MOVE_EVERY_MS, 'moving watermarks', () => this.#moveAll(false));
    this.#subscription = await this.#options.log.subscribe({
      group: 'scheduler',
      topics: [TIMERS.name],
      onAssigned: (partitions) => this.#assign(partitions),
      onRevoked: (partitions) => this.#lose(partitions.map(({ partition }) => partition)),
      onRecords: (source, records) => this.#take(source, records),
    });
    if (this.#isStopped) await this.#subscription.close();
  }

  async drain(): Promise<void> {
    if (this.#mode !== 'running') return;
    this.#enter('draining');
    this.#cancelAll();
    await this.#timerQueues.stop();
    await this.#moveAll(true).catch((error) => this.#options.reporter.failure('scheduler-step-failed', error));
    await this.#subscription?.close();
  }

  async stop(): Promise<void> {
    this.#enter('stopped');
    this.#cancelAll();
    void this.#timerQueues.stop();
    this.#lose([...this.#owned.keys()]);
    await this.#subscription?.close();
  }

  #enter(mode: Mode): void {
    this.#mode = transition('the scheduler', TRANSITIONS, this.#mode, mode);
  }

  get #isStopped(): boolean {
    return this.#mode === 'stopped';
  }

  membership(): GroupMembership | null {
    return this.#subscription?.membership() ?? null;
  }

  trouble(): string | null {
    const troubles = [...this.#troubles].map(([what, why]) => `${what}: ${why}`);
    return troubles.length === 0 ? null : `scheduler: ${troubles.join('; ')}`;
  }

  held(): number {
    return this.#timerQueues.size;
  }

  due(): DueSummary {
    const { clock } = this.#options;
    const now = clock.now();
    const queued = this.#timerQueues.due(now);
    const claimed = [...this.#owned.values()].filter(({ shard }) => shard.state === 'claimed');
    const unreadAt = Math.min(...claimed.map(({ shard }) => minuteStart(shard.nextMinute(clock))));
    const oldestAt = Math.min(queued.oldestAt ?? Infinity, unreadAt);
    return { ...queued, oldestAt: oldestAt < now ? oldestAt : queued.oldestAt };
  }

  owned(): readonly TopicPartition[] {
    return [...this.#owned.keys()].map((partition) => ({ topic: TIMERS.name, partition }));
  }

  async caughtUp(): Promise<void> {
    for (;;) {
      await this.#decoding;
      await this.#readAll();
      await this.#timerQueues.caughtUp();
      const minute = minuteOf(this.#options.clock.now());
      if (
        [...this.#owned.values()].every(
          ({ shard }) => shard.state === 'claimed' && shard.nextMinute(this.#options.clock) > minute,
        )
      )
        return;
      await this.#options.clock.sleep(RETRY_MS);
    }
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#cancelRetry();
    this.#cancelGoingOn();
  }

  /** Runs `work` periodically, never two at once; health reports its failures. */
  #every(periodMs: number, what: string, work: () => Promise<void>): void {
    let cancel: Cancel = () => {};
    const run = async (): Promise<void> => {
      await this.#reportingTrouble(what, work);
      if (this.#mode === 'running') cancel = this.#options.clock.after(periodMs, run);
    };
    cancel = this.#options.clock.after(periodMs, run);
    this.#cancels.push(() => cancel());
  }

  async #reportingTrouble(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#troubles.delete(what);
      return true;
    } catch (error) {
      this.#troubles.set(what, error instanceof Error ? error.message : String(error));
      this.#options.reporter.failure('scheduler-step-failed', error);
      return false;
    }
  }

  #assign(partitions: readonly TopicPartition[]): void {
    this.#lose(partitions.map(({ partition }) => partition));
    for (const { partition } of partitions)
      this.#owned.set(partition, {
        shard: new Shard(partition),
        tracker: new OffsetTracker(MAX_OFFSETS),
        paused: false,
      });
    this.#readSoon();
  }

  #lose(numbers: readonly number[]): void {
    for (const number of numbers) {
      const owned = this.#owned.get(number);
      this.#owned.delete(number);
      owned?.shard.lose();
    }
    this.#timerQueues.dropLost();
  }

  /** Reads at once, and every RETRY_MS while that fails, sooner than the next periodic reading. */
  #readSoon(): void {
    void this.#reportingTrouble(READING, () => this.#readAll()).then((read) => {
      if (read || this.#mode !== 'running') return;
      this.#cancelRetry();
      this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => this.#readSoon());
    });
  }

  async #readAll(): Promise<void> {
    const putBack = this.#clockWasPutBack();
    await forEachOwned(this.#owned.values(), async ({ shard }) => {
      if (shard.state === 'assigned' && !(await claimShard(shard, this.#options))) return;
      await readMinutes(shard, this.#minuteOptions());
      this.#timerQueues.wake();
    });
    // At once: a watermark in the future that outlives this process hides all minutes before it from the next owner.
    if (putBack) await this.#moveAll(false);
  }

  /**
   * Whether the clock was put back by more than does no harm, at once or little by little: then timers that fired too
   * early fire once more.
   */
  #clockWasPutBack(): boolean {
    const { clock, reporter } = this.#options;
    const before = this.#offsetMs;
    const offsetMs = offsetOf(clock);
    const backMs = Math.round(before - offsetMs);
    this.#offsetMs = backMs > HARMLESS_LEAD_MS ? offsetMs : Math.max(before, offsetMs);
    if (backMs <= HARMLESS_LEAD_MS) return false;
    reporter.report('scheduler-clock-stepped-back', { stepMs: backMs });
    for (const { shard } of this.#owned.values()) shard.forgetFiredAfter(clock.now());
    return true;
  }

  #minuteOptions(): MinuteOptions {
    const { due, clock, backlog = BACKLOG } = this.#options;
    return {
      due,
      clock,
      page: backlog.page,
      add: (held) => this.#timerQueues.add(held),
      hasRoom: (shard) => this.#hasRoom(shard),
    };
  }

  #hasRoom({ readAndWaiting }: Shard): boolean {
    const { perShard, perProcess } = this.#options.backlog ?? BACKLOG;
    if (readAndWaiting < perShard) return true;
    return [...this.#owned.values()].reduce((sum, { shard }) => sum + shard.readAndWaiting, 0) < perProcess;
  }

  #fired(held: HeldTimer): void {
    const { shard } = held;
    shard.fired(held, this.#options.clock.now());
    this.#done(shard, held.offsets);
    if (shard.partlyRead !== null && !this.#goesOnReading && this.#hasRoom(shard)) this.#goOnReading();
  }

  /**
   * Reads on for a backlog, once the batch that made room has been reported: each of its timers asks for it, and one
   * reading serves them all.
   */
  #goOnReading(): void {
    if (this.#mode !== 'running') return;
    this.#goesOnReading = true;
    this.#cancelGoingOn = this.#options.clock.after(0, () => {
      this.#goesOnReading = false;
      this.#readSoon();
    });
  }

  #moveAll(force: boolean): Promise<void> {
    return forEachOwned(this.#owned.values(), ({ shard }) => moveWatermark(shard, this.#options, force));
  }

  #take(source: TopicPartition, records: readonly StoredRecord[]): void {
    const owned = this.#owned.get(source.partition);
    if (owned === undefined || this.#mode !== 'running') return;
    const fresh = records.filter((record) => owned.tracker.begin(record.offset));
    if (!owned.paused && owned.tracker.size > PAUSE_ABOVE) {
      owned.paused = true;
      this.#subscription?.pause([source]);
      this.#options.reporter.report('mailbox-full', {
        topic: source.topic,
        partition: source.partition,
        waiting: owned.tracker.size,
        unacknowledged: owned.tracker.size,
      });
    }
    // One delivery after the other, so that timers enter their queues in the order of the log.
    this.#decoding = this.#decoding.then(async () => {
      for (const record of fresh) await this.#hold(owned.shard, record);
      this.#timerQueues.wake();
    });
  }

  async #hold(shard: Shard, record: StoredRecord): Promise<void> {
    const decoded = await this.#decode(record.value);
    if (decoded === null) return;
    if (decoded.ok && decoded.message.type === 'TimerSet') {
      const { type: _, ...timer }: TimerSet = decoded.message;
      const held = shard.hold(timer, record.offset, (offset) => this.#done(shard, [offset]));
      if (held !== null) this.#timerQueues.add(held);
      return;
    }
    void this.#setAside(shard, record, decoded).then((done) => done && this.#done(shard, [record.offset]));
  }

  /** Waits for the schema registry, however long it is away; null: stopped meanwhile. */
  async #decode(value: Uint8Array): Promise<DecodeResult | null> {
    let decoded: DecodeResult | null = null;
    await this.#untilDone('decoding timers', async () => {
      decoded = await this.#options.codec.decode(value);
    });
    return decoded;
  }

  /**
   * A record that can't be read names no timer, but the timer's row in `due` does: the minutes that it may be in are
   * read again, and the record counts as fired, so that it holds back no watermark. False: stopped before that.
   */
  async #setAside(shard: Shard, record: StoredRecord, decoded: DecodeResult): Promise<boolean> {
    const error = decoded.ok ? `${decoded.message.type} is no timer` : decoded.detail;
    const work = `setting aside record ${record.offset} of shard ${shard.number}`;
    const newer = !decoded.ok && decoded.why === 'unknown-schema';
    if (newer) this.#options.reporter.report('timer-unreadable', { shard: shard.number, offset: record.offset, error });
    if (!newer && !(await this.#untilDone(work, () => writeDeadLetter(this.#options, record, error)))) return false;
    return this.#untilDone(work, async () => {
      if (shard.state === 'assigned') throw new PortError('unavailable', `shard ${shard.number} is not claimed yet`);
      await readAgain(shard, this.#minuteOptions());
      this.#timerQueues.wake();
    });
  }

  /** False: stopped before it could be done. */
  async #untilDone(what: string, work: () => Promise<void>): Promise<boolean> {
    while (this.#mode === 'running') {
      if (await this.#reportingTrouble(what, work)) return true;
      await this.#options.clock.sleep(RETRY_MS);
    }
    return false;
  }

  #done(shard: Shard, offsets: readonly number[]): void {
    const owned = this.#owned.get(shard.number);
    if (owned?.shard !== shard || this.#mode === 'stopped') return;
    for (const offset of offsets) {
      const upTo = owned.tracker.done(offset);
      if (upTo !== null) this.#subscription?.ack({ topic: TIMERS.name, partition: shard.number }, upTo);
    }
    if (owned.paused && owned.tracker.size <= PAUSE_ABOVE / 2) {
      owned.paused = false;
      this.#subscription?.resume([{ topic: TIMERS.name, partition: shard.number }]);
    }
  }
}

/** Works on every shard though some fail, and then rejects with the first failure. */
async function forEachOwned(owned: Iterable<OwnedShard>, work: (owned: OwnedShard) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await parallelMap(SHARDS_AT_ONCE, [...owned], (one) => work(one).catch((error) => void failures.push(error)));
  if (failures.length > 0) throw failures[0];
}
