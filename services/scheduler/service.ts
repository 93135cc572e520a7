import type { Codec, Decoded, TimerSet } from '#messages/messages.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Log, StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';
import { writeDeadLetter } from '#consumer/dead-letters.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { OffsetTracker } from '#consumer/offset-tracker.ts';
import type { Service } from '#runtime/service.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { TIMERS } from '#tables/declarations/topics.ts';
import { readAgain, readMinutes } from './minutes.ts';
import { HARMLESS_LEAD_MS, offsetOf } from './read-positions.ts';
import { Shard } from './shard.ts';
import { claimShard, moveWatermark, type WatermarkOptions } from './watermarks.ts';
import { TimerQueues } from './timer-queues.ts';

export interface SchedulerOptions extends WatermarkOptions {
  readonly log: Log;
  readonly codec: Codec;
  readonly clock: Clock;
}

export interface Scheduler extends Service {
  /** Resolves when nothing that is due now is left to fire; for an operator who moved the clock. */
  caughtUp(): Promise<void>;
  /** Timers held in memory. */
  held(): number;
  /** Partitions of timers.v1, that is shards, believed to be ours. */
  owned(): readonly TopicPartition[];
}

const READ_EVERY_MS = 5_000;
const RETRY_MS = 250;
const MOVE_EVERY_MS = 60_000;
const SHARDS_AT_ONCE = 8;
const MAX_OFFSETS = 1_000_000;
/**
 * Timers of one shard taken and not fired, above which its partition is paused: records on their way still find room.
 */
const PAUSE_ABOVE = 500_000;
const READING = 'reading shards';

interface Owned {
  readonly shard: Shard;
  readonly tracker: OffsetTracker;
  paused: boolean;
}

/**
 * Durable timers: fires what is due by appending each timer's message; never early, at least once. Knows nothing of
 * what the messages mean but that VariantsDue may be joined.
 *
 * Each partition of timers.v1 that is assigned is a shard to own: claim its epoch, read its minutes from the watermark
 * on, hold those and what the topic brings in wheels, fire in order. The epoch guards the watermark only; two owners at
 * worst fire twice.
 *
 * new -> running -> draining (what is being fired ends, watermarks move) -> stopped.
 */
export class SchedulerService implements Scheduler {
  readonly name = 'scheduler';
  readonly #parts: SchedulerOptions;
  readonly #owned = new Map<number, Owned>();
  readonly #timerQueues: TimerQueues;
  readonly #cancels: Cancel[] = [];
  #cancelRetry: Cancel = () => {};
  #mode: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #subscription: Subscription | null = null;
  #decoding: Promise<void> = Promise.resolve();
  /** Wall time less monotonic time, as it was when we last looked. */
  #offsetMs = Number.NEGATIVE_INFINITY;
  /** By what can't be done: that one thing works again says nothing of another. */
  readonly #troubles = new Map<string, string>();

  constructor(parts: SchedulerOptions) {
    this.#parts = parts;
    this.#timerQueues = new TimerQueues(parts, (held) => {
      held.shard.fired(held);
      this.#done(held.shard, held.offsets);
    });
  }

  async start(): Promise<void> {
    if (this.#mode !== 'new') throw new Error('the scheduler was started before');
    this.#mode = 'running';
    this.#cancels.push(this.#parts.clock.onMoved(() => this.#readSoon()));
    this.#every(READ_EVERY_MS, READING, () => this.#readAll());
    this.#every(MOVE_EVERY_MS, 'moving watermarks', () => this.#moveAll(false));
    this.#subscription = await this.#parts.log.subscribe({
      group: 'scheduler',
      topics: [TIMERS.name],
      onAssigned: (partitions) => this.#assign(partitions),
      onRevoked: (partitions) => partitions.forEach(({ partition }) => this.#lose(partition)),
      onRecords: (source, records) => this.#take(source, records),
    });
    if (this.#stopped) await this.#subscription.close();
  }

  async drain(): Promise<void> {
    if (this.#mode !== 'running') return;
    this.#mode = 'draining';
    this.#cancelAll();
    await this.#timerQueues.stop();
    await this.#moveAll(true).catch((error) => this.#parts.reporter.failure('scheduler-waits', error));
    await this.#subscription?.close();
  }

  async stop(): Promise<void> {
    this.#mode = 'stopped';
    this.#cancelAll();
    void this.#timerQueues.stop();
    for (const number of [...this.#owned.keys()]) this.#lose(number);
    await this.#subscription?.close();
  }

  /** Also while `start` still waits for the log. */
  get #stopped(): boolean {
    return this.#mode === 'stopped';
  }

  trouble(): string | null {
    const troubles = [...this.#troubles].map(([what, why]) => `${what}: ${why}`);
    return troubles.length === 0 ? null : `scheduler: ${troubles.join('; ')}`;
  }

  held(): number {
    return this.#timerQueues.size;
  }

  owned(): readonly TopicPartition[] {
    return [...this.#owned.keys()].map((partition) => ({ topic: TIMERS.name, partition }));
  }

  async caughtUp(): Promise<void> {
    for (;;) {
      await this.#decoding;
      await this.#readAll();
      await this.#timerQueues.caughtUp();
      const minute = minuteOf(this.#parts.clock.now());
      if (
        [...this.#owned.values()].every(
          ({ shard }) => shard.state === 'claimed' && shard.nextMinute(this.#parts.clock) > minute,
        )
      )
        return;
      await this.#parts.clock.sleep(RETRY_MS);
    }
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#cancelRetry();
  }

  /** Runs `work` now and again, never two at once; health tells when it can't. */
  #every(periodMs: number, what: string, work: () => Promise<void>): void {
    let cancel: Cancel = () => {};
    const turn = async (): Promise<void> => {
      await this.#reportingTrouble(what, work);
      if (this.#mode === 'running') cancel = this.#parts.clock.after(periodMs, turn);
    };
    cancel = this.#parts.clock.after(periodMs, turn);
    this.#cancels.push(() => cancel());
  }

  async #reportingTrouble(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#troubles.delete(what);
      return true;
    } catch (error) {
      this.#troubles.set(what, error instanceof Error ? error.message : String(error));
      this.#parts.reporter.failure('scheduler-waits', error);
      return false;
    }
  }

  #assign(partitions: readonly TopicPartition[]): void {
    for (const { partition } of partitions) {
      this.#lose(partition);
      this.#owned.set(partition, {
        shard: new Shard(partition),
        tracker: new OffsetTracker(MAX_OFFSETS),
        paused: false,
      });
    }
    this.#readSoon();
  }

  #lose(number: number): void {
    const owned = this.#owned.get(number);
    if (owned !== undefined) owned.shard.state = 'lost';
    this.#owned.delete(number);
  }

  /** Reads at once, and again shortly while that fails: a shard that can't be read must not wait for the next round. */
  #readSoon(): void {
    void this.#reportingTrouble(READING, () => this.#readAll()).then((read) => {
      if (read || this.#mode !== 'running') return;
      this.#cancelRetry();
      this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.#readSoon());
    });
  }

  async #readAll(): Promise<void> {
    const putBack = this.#clockWasPutBack();
    await forEachOwned(this.#owned.values(), async ({ shard }) => {
      if (shard.state === 'assigned' && !(await claimShard(shard, this.#parts))) return;
      await readMinutes(shard, this.#parts.due, this.#parts.clock, (held) => this.#timerQueues.add(held));
      this.#timerQueues.wake();
    });
    // At once: a watermark in the future that outlives us hides what comes until then from the next owner.
    if (putBack) await this.#moveAll(false);
  }

  /**
   * Whether the clock has led since the last look, by more than does no harm: then what it fired too early is to fire
   * once more.
   */
  #clockWasPutBack(): boolean {
    const { clock, reporter } = this.#parts;
    const before = this.#offsetMs;
    this.#offsetMs = offsetOf(clock);
    const backMs = Math.round(before - this.#offsetMs);
    if (backMs <= HARMLESS_LEAD_MS) return false;
    reporter.report('scheduler-clock-put-back', { backMs });
    for (const { shard } of this.#owned.values()) shard.forgetFiredAfter(clock.now());
    return true;
  }

  #moveAll(force: boolean): Promise<void> {
    return forEachOwned(this.#owned.values(), ({ shard }) => moveWatermark(shard, this.#parts, force));
  }

  #take(source: TopicPartition, records: readonly StoredRecord[]): void {
    const owned = this.#owned.get(source.partition);
    if (owned === undefined || this.#mode !== 'running') return;
    const fresh = records.filter((record) => owned.tracker.begin(record.offset));
    if (!owned.paused && owned.tracker.size > PAUSE_ABOVE) {
      owned.paused = true;
      this.#subscription?.pause([source]);
      this.#parts.reporter.report('mailbox-full', {
        topic: source.topic,
        partition: source.partition,
        waiting: owned.tracker.size,
      });
    }
    // One delivery after the other, so that timers enter their wheels in the order they came.
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

  /** However long the schema registry is away; null when we were stopped meanwhile. */
  async #decode(value: Uint8Array): Promise<Decoded | null> {
    let decoded: Decoded | null = null;
    await this.#untilDone('decoding timers', async () => {
      decoded = await this.#parts.codec.decode(value);
    });
    return decoded;
  }

  /**
   * What a record can't tell, its row in `due` does: the minutes it may be of are read again. No poison may hold a
   * watermark, so it then counts as fired. False: stopped before that.
   */
  async #setAside(shard: Shard, record: StoredRecord, decoded: Decoded): Promise<boolean> {
    const error = decoded.ok ? `${decoded.message.type} is no timer` : decoded.detail;
    const aside = `setting aside record ${record.offset} of shard ${shard.number}`;
    const newer = !decoded.ok && decoded.why === 'unknown-schema';
    if (newer) this.#parts.reporter.report('timer-unreadable', { shard: shard.number, offset: record.offset, error });
    if (!newer && !(await this.#untilDone(aside, () => writeDeadLetter(this.#parts, record, error)))) return false;
    return this.#untilDone(aside, async () => {
      if (shard.state === 'assigned') throw new PortError('unavailable', `shard ${shard.number} is not claimed yet`);
      await readAgain(shard, this.#parts.due, this.#parts.clock, (held) => this.#timerQueues.add(held));
      this.#timerQueues.wake();
    });
  }

  /** False: stopped before it could be done. */
  async #untilDone(what: string, work: () => Promise<void>): Promise<boolean> {
    while (this.#mode === 'running') {
      if (await this.#reportingTrouble(what, work)) return true;
      await this.#parts.clock.sleep(RETRY_MS);
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

/** A shard that fails keeps no other from its work: rejects with the first failure after all have ended. */
async function forEachOwned(owned: Iterable<Owned>, work: (owned: Owned) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await parallelMap(SHARDS_AT_ONCE, [...owned], (one) => work(one).catch((error) => void failures.push(error)));
  if (failures.length > 0) throw failures[0];
}
