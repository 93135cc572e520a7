import type { Codec } from '#messages/messages.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Log, LogRecord } from '#ports/log.ts';
import type { Reporter } from '#ports/reporter.ts';
import { backoffMs, ENGINE_BACKOFF } from '#concurrency/backoff.ts';
import { coalesce } from './coalesce.ts';
import { Heap } from './heap.ts';
import type { HeldTimer } from './shard.ts';

export interface TimerQueueOptions {
  readonly log: Log;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

const FIRE_BATCH = 2_000;
/** An armed timer looks at wall time again at least this often, so that a clock stepped by NTP is noticed. */
const MAX_NAP_MS = 1_000;

/**
 * Timers of every shard of this process that append to one topic, in one heap with one armed timer. idle -> armed (for
 * the earliest) -> firing (a batch at a time, in order; a batch that can't be appended is tried until it can) -> armed
 * or idle. `stop` from anywhere.
 */
export class TimerQueue {
  readonly #parts: TimerQueueOptions;
  readonly #onFired: (held: HeldTimer) => void;
  readonly #heap = new Heap<HeldTimer>(
    (a, b) => a.timer.dueAt < b.timer.dueAt || (a.timer.dueAt === b.timer.dueAt && a.timer.timerId < b.timer.timerId),
  );
  #firing: Promise<void> | null = null;
  #cancelNap: Cancel = () => {};
  #stopped = false;

  constructor(parts: TimerQueueOptions, onFired: (held: HeldTimer) => void) {
    this.#parts = parts;
    this.#onFired = onFired;
  }

  get size(): number {
    return this.#heap.size;
  }

  add(held: HeldTimer): void {
    this.#heap.push(held);
  }

  /** Something was added, or the clock moved. */
  wake(): void {
    if (this.#stopped || this.#firing !== null) return;
    this.#cancelNap();
    const next = this.#heap.peek();
    if (next === undefined) return;
    const wait = next.timer.dueAt - this.#parts.clock.now();
    if (wait <= 0) {
      this.#firing = this.#fire().finally(() => {
        this.#firing = null;
        this.wake();
      });
    } else {
      this.#cancelNap = this.#parts.clock.after(Math.min(wait, MAX_NAP_MS), () => this.wake());
    }
  }

  /** Resolves when nothing that is held is due. */
  async caughtUp(): Promise<void> {
    for (;;) {
      this.wake();
      if (this.#firing === null) return;
      await this.#firing;
    }
  }

  /** What is being fired ends; nothing more begins. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelNap();
    await this.#firing;
  }

  async #fire(): Promise<void> {
    while (!this.#stopped) {
      const batch = this.#takeDue();
      if (batch.length === 0) return;
      if (!(await this.#append(batch))) return;
      const now = this.#parts.clock.now();
      let latestMs = 0;
      for (const held of batch) {
        if (held.shard.state === 'lost') continue;
        latestMs = Math.max(latestMs, now - held.timer.dueAt);
        this.#onFired(held);
      }
      this.#parts.reporter.report('timers-fired', { count: batch.length, latestMs });
    }
  }

  #takeDue(): HeldTimer[] {
    const now = this.#parts.clock.now();
    const batch: HeldTimer[] = [];
    for (
      let next = this.#heap.peek();
      next !== undefined && next.timer.dueAt <= now && batch.length < FIRE_BATCH;
      next = this.#heap.peek()
    ) {
      this.#heap.pop();
      if (next.shard.state === 'lost') continue;
      next.state = 'firing';
      batch.push(next);
    }
    return batch;
  }

  /** False: stopped before all of it was in the log. */
  async #append(batch: readonly HeldTimer[]): Promise<boolean> {
    const records = await this.#joined(batch);
    if (records === null) return false;
    const appended = await Promise.all([...records].map(([topic, ofTopic]) => this.#appendUntilDone(topic, ofTopic)));
    return appended.every((done) => done);
  }

  /** Who tells what a newer release wrote may be away for a while. Null: stopped meanwhile. */
  async #joined(batch: readonly HeldTimer[]): Promise<ReadonlyMap<string, readonly LogRecord[]> | null> {
    for (let failures = 0; !this.#stopped; failures++) {
      try {
        return await coalesce(
          this.#parts.codec,
          batch.map((held) => held.timer),
        );
      } catch (error) {
        this.#parts.reporter.failure('firing-waits', error, { timers: batch.length, failures });
        await this.#backOff(failures);
      }
    }
    return null;
  }

  async #backOff(failures: number): Promise<void> {
    await this.#parts.clock.sleep(backoffMs(ENGINE_BACKOFF, failures));
  }

  /**
   * A timer is not done before its message is in the log, however long the log is away. One that landed unnoticed comes
   * twice.
   */
  async #appendUntilDone(topic: string, records: readonly LogRecord[]): Promise<boolean> {
    for (let failures = 0; !this.#stopped; failures++) {
      try {
        await this.#parts.log.append(topic, records);
        return true;
      } catch (error) {
        this.#parts.reporter.failure('firing-waits', error, { topic, records: records.length, failures });
        if (error instanceof PortError && error.kind === 'refused') return this.#appendEach(topic, records);
        await this.#backOff(failures);
      }
    }
    return false;
  }

  /** One record the log will never take must not hold back the others, nor its shard for ever. */
  async #appendEach(topic: string, records: readonly LogRecord[]): Promise<boolean> {
    if (records.length === 1) {
      this.#parts.reporter.report('timer-refused', { topic, key: records[0]!.key });
      return true;
    }
    for (const record of records) if (!(await this.#appendUntilDone(topic, [record]))) return false;
    return true;
  }
}
