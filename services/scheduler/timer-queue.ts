import { Heap } from '#concurrency/heap.ts';
import type { Codec } from '#messages/messages.ts';
import { traceHeaders } from '#messages/message-headers.ts';
import type { Cancel } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { LogRecord } from '#ports/log.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { NO_TRACER, type Tracer, type TraceSpan } from '#ports/tracer.ts';
import { traceOfTimer } from '#tables/repositories/due.ts';
import { backoffMs, ENGINE_BACKOFF } from '#concurrency/backoff.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { coalesce, type FiredRecord } from './coalesce.ts';
import { FiredIds } from './fired-ids.ts';
import { READ_AHEAD_MS } from './minutes.ts';
import type { HeldTimer } from './shard.ts';

export interface TimerQueueOptions extends Pick<WorldPorts, 'log' | 'clock' | 'reporter'> {
  readonly codec: Codec;
  readonly tracer?: Tracer;
}

export interface TimerQueueParts {
  readonly onFired: (held: HeldTimer) => void;
  /** How many timers may be taken now to be fired together. */
  readonly batch: () => number;
}

/** What is due in a timer queue: timers whose instant has passed, and those that come next. */
export interface DueSummary {
  readonly overdue: number;
  /** The instant of the oldest timer that has not fired; null: none is overdue. */
  readonly oldestAt: number | null;
  /** Due within `READ_AHEAD_MS`. Of later timers only those are here that came through the topic. */
  readonly soon: number;
}

/** Armed for at most this, then the wall clock is looked at again: it may have been stepped by NTP. */
const MAX_ARMED_MS = 1_000;

type Mode = 'idle' | 'armed' | 'firing' | 'stopped';

const TRANSITIONS: Transitions<Mode> = {
  idle: ['idle', 'armed', 'firing', 'stopped'],
  armed: ['idle', 'armed', 'firing', 'stopped'],
  firing: ['idle', 'stopped'],
  stopped: ['stopped'],
};

/**
 * Timers of every shard of this process that append to one partition: a binary heap by instant.
 *
 * - idle: the heap is empty, or `wake` was not called since something was added.
 * - armed: a clock's timer waits for the earliest instant. Left when that fires, by a `wake` that finds an earlier one,
 *   and to idle when all that it waited for was dropped.
 * - firing: due timers are appended, a batch at a time and in order; a batch that the log does not take is tried again
 *   until it does. `wake` is ignored, as firing ends with one.
 * - stopped: the batch on its way ends, and nothing more begins. Entered from every mode, and final.
 */
export class TimerQueue {
  readonly #options: TimerQueueOptions;
  readonly #onFired: TimerQueueParts['onFired'];
  readonly #batch: TimerQueueParts['batch'];
  readonly #heap = new Heap<HeldTimer>(
    (a, b) => a.timer.dueAt < b.timer.dueAt || (a.timer.dueAt === b.timer.dueAt && a.timer.timerId < b.timer.timerId),
  );
  #mode: Mode = 'idle';
  /** Ends with the firing under way. */
  #firing: Promise<void> = Promise.resolve();
  #cancelArmed: Cancel = () => {};
  /** While the clock's timer waits: when it runs, on the monotonic clock. */
  #armedUntil: number | null = null;
  /** Taken from the heap and not in the log yet. */
  #onTheirWay: readonly HeldTimer[] = [];

  constructor(options: TimerQueueOptions, { onFired, batch }: TimerQueueParts) {
    this.#options = options;
    this.#onFired = onFired;
    this.#batch = batch;
  }

  get size(): number {
    return this.#heap.size;
  }

  due(now: number): DueSummary {
    let [overdue, oldestAt, soon] = [0, Infinity, 0];
    const see = ({ shard, timer: { dueAt } }: HeldTimer): void => {
      if (shard.state === 'lost') return;
      if (dueAt > now) {
        soon++;
        return;
      }
      overdue++;
      oldestAt = Math.min(oldestAt, dueAt);
    };
    this.#onTheirWay.forEach(see);
    this.#heap.visit(({ timer }) => timer.dueAt <= now + READ_AHEAD_MS, see);
    return { overdue, oldestAt: overdue === 0 ? null : oldestAt, soon };
  }

  isDue(now: number): boolean {
    const next = this.#heap.peek();
    return next !== undefined && next.timer.dueAt <= now;
  }

  add(held: HeldTimer): void {
    this.#heap.push(held);
  }

  /** Drops the timers of lost shards: while the log takes nothing they would stay, and come again with their shards. */
  dropLost(): void {
    this.#heap.keep(({ shard }) => shard.state !== 'lost');
  }

  /** To be called after timers were added, and when the clock moved. */
  wake(): void {
    if (this.#mode === 'stopped' || this.#mode === 'firing') return;
    const { clock } = this.#options;
    const next = this.#heap.peek();
    const waitMs = next === undefined ? 0 : Math.min(next.timer.dueAt - clock.now(), MAX_ARMED_MS);
    const until = clock.monotonic() + waitMs;
    // A process has hundreds of queues and wakes all of them at once: one that is armed early enough stays as it is.
    if (waitMs > 0 && this.#armedUntil !== null && this.#armedUntil <= until) return;
    this.#cancelArmed();
    this.#armedUntil = null;
    if (next === undefined) return this.#enter('idle');
    if (waitMs > 0) {
      this.#enter('armed');
      this.#armedUntil = until;
      this.#cancelArmed = clock.after(waitMs, () => {
        this.#armedUntil = null;
        this.wake();
      });
      return;
    }
    this.#enter('firing');
    this.#firing = this.#fire().finally(() => {
      if (this.#mode === 'firing') this.#enter('idle');
      this.wake();
    });
  }

  /** Resolves when no timer in the heap is due. */
  async caughtUp(): Promise<void> {
    for (;;) {
      this.wake();
      if (this.#mode !== 'firing') return this.#firing;
      await this.#firing;
    }
  }

  /** Resolves when the batch on its way has ended. */
  async stop(): Promise<void> {
    this.#enter('stopped');
    this.#cancelArmed();
    await this.#firing;
  }

  #enter(mode: Mode): void {
    this.#mode = transition('a timer queue', TRANSITIONS, this.#mode, mode);
  }

  get #isStopped(): boolean {
    return this.#mode === 'stopped';
  }

  async #fire(): Promise<void> {
    while (!this.#isStopped) {
      const batch = this.#takeDue();
      if (batch.length === 0) return;
      this.#onTheirWay = batch;
      const ids = await this.#append(batch).finally(() => (this.#onTheirWay = []));
      if (ids === null) return;
      const now = this.#options.clock.now();
      const latenessesMs: number[] = [];
      let maxLatenessMs = 0;
      for (const held of batch) {
        if (held.shard.state === 'lost') continue;
        const latenessMs = now - held.timer.dueAt;
        latenessesMs.push(latenessMs);
        maxLatenessMs = Math.max(maxLatenessMs, latenessMs);
        this.#onFired(held);
      }
      const { reporter } = this.#options;
      reporter.report('timers-fired', { count: batch.length, latenessesMs, maxLatenessMs, ...ids.facts() });
    }
  }

  #takeDue(): HeldTimer[] {
    const now = this.#options.clock.now();
    const batch: HeldTimer[] = [];
    const most = this.#batch();
    for (
      let next = this.#heap.peek();
      next !== undefined && next.timer.dueAt <= now && batch.length < most;
      next = this.#heap.peek()
    ) {
      this.#heap.pop();
      if (next.shard.state === 'lost') continue;
      next.shard.firing(next);
      batch.push(next);
    }
    return batch;
  }

  /** What the batch is about. Null: stopped before all of it was in the log. */
  async #append(batch: readonly HeldTimer[]): Promise<FiredIds | null> {
    const ids = new FiredIds();
    const records = await this.#joined(batch, ids);
    if (records === null) return null;
    const appended = await Promise.all([...records].map(([topic, ofTopic]) => this.#appendTraced(topic, ofTopic)));
    return appended.every((done) => done) ? ids : null;
  }

  /** Waits for the schema registry, which decodes messages of a newer release. Null: stopped meanwhile. */
  async #joined(
    batch: readonly HeldTimer[],
    ids: FiredIds,
  ): Promise<ReadonlyMap<string, readonly FiredRecord[]> | null> {
    const { tracer = NO_TRACER } = this.#options;
    for (let failures = 0; !this.#isStopped; failures++) {
      try {
        return await coalesce(
          this.#options.codec,
          batch.map(({ timer }) => (tracer.isOn ? { ...timer, trace: traceOfTimer(timer.timerId) } : timer)),
          (message) => ids.add(message),
        );
      } catch (error) {
        this.#options.reporter.failure('timer-firing-retried', error, { timers: batch.length, failures });
        await this.#backOff(failures);
      }
    }
    return null;
  }

  /**
   * What a timer fires begins a trace, which is linked to those in which its timers were set: a span that stays open
   * until a Post is due, for days or months, is of use to nobody.
   */
  async #appendTraced(topic: string, records: readonly FiredRecord[]): Promise<boolean> {
    const { tracer = NO_TRACER } = this.#options;
    const spans: TraceSpan[] = [];
    const traced = records.map(({ traces, ...record }): LogRecord => {
      if (traces.length === 0) return record;
      const attributes = { 'messaging.operation.name': 'fire', 'messaging.destination.name': topic };
      const span = tracer.start(`fire ${topic}`, { kind: 'producer', links: traces, attributes });
      spans.push(span);
      return { ...record, ...traceHeaders({ ...(span.trace !== undefined && { trace: span.trace }) }) };
    });
    const isDone = await this.#appendUntilDone(topic, traced);
    for (const span of spans) span.end(isDone ? undefined : 'stopped');
    return isDone;
  }

  async #backOff(failures: number): Promise<void> {
    await this.#options.clock.sleep(backoffMs(ENGINE_BACKOFF, failures));
  }

  /**
   * Appends until the log has the records, however long it is away: only then a timer has fired. An append whose answer
   * was lost is repeated, and its records come twice.
   */
  async #appendUntilDone(topic: string, records: readonly LogRecord[]): Promise<boolean> {
    for (let failures = 0; !this.#isStopped; failures++) {
      try {
        await this.#options.log.append(topic, records);
        return true;
      } catch (error) {
        this.#options.reporter.failure('timer-firing-retried', error, { topic, records: records.length, failures });
        if (error instanceof PortError && error.kind === 'refused') return this.#appendEach(topic, records);
        await this.#backOff(failures);
      }
    }
    return false;
  }

  /** A record that the log refuses for good counts as fired: it must not hold back the others and its shard. */
  async #appendEach(topic: string, records: readonly LogRecord[]): Promise<boolean> {
    if (records.length === 1) {
      this.#options.reporter.report('timer-refused', { topic, key: records[0]!.key });
      return true;
    }
    for (const record of records) if (!(await this.#appendUntilDone(topic, [record]))) return false;
    return true;
  }
}
