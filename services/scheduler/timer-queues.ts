import { PortError } from '#ports/errors.ts';
import { partitionOf } from '#ports/log.ts';
import type { HeldTimer } from './shard.ts';
import { TimerQueue, type DueSummary, type TimerQueueOptions, type TimerQueueParts } from './timer-queue.ts';

/** Timers that are taken at once, by all queues together: reading their messages keeps the event loop some 10 ms. */
const FIRE_BATCH = 2_000;
/** But of one queue at least as many as that: a command names as many Variants. */
const LEAST_BATCH = 100;

/**
 * A timer queue for each partition that timers append to: a topic that is away, or a partition of it that has no
 * leader, holds back no timer of the others. Timers of one Workspace go to one partition, and so stay together.
 */
export class TimerQueues {
  readonly #options: TimerQueueOptions;
  readonly #parts: TimerQueueParts;
  readonly #byPartition = new Map<string, TimerQueue>();

  constructor(options: TimerQueueOptions, onFired: (held: HeldTimer) => void) {
    this.#options = options;
    this.#parts = { onFired, batch: () => this.#share() };
  }

  get size(): number {
    return this.#all().reduce((sum, timerQueue) => sum + timerQueue.size, 0);
  }

  due(now: number): DueSummary {
    return this.#all()
      .map((timerQueue) => timerQueue.due(now))
      .reduce(together, { overdue: 0, oldestAt: null, soon: 0 });
  }

  add(held: HeldTimer): void {
    const { topic, key } = held.timer;
    const name = `${topic} ${partitionOf(key, this.#partitionsOf(topic))}`;
    const timerQueue = this.#byPartition.get(name) ?? new TimerQueue(this.#options, this.#parts);
    this.#byPartition.set(name, timerQueue);
    timerQueue.add(held);
  }

  /** To be called when shards were lost. */
  dropLost(): void {
    for (const timerQueue of this.#all()) timerQueue.dropLost();
  }

  wake(): void {
    for (const timerQueue of this.#all()) timerQueue.wake();
  }

  async caughtUp(): Promise<void> {
    await Promise.all(this.#all().map((timerQueue) => timerQueue.caughtUp()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((timerQueue) => timerQueue.stop()));
  }

  /** Of a batch, for each queue that has something to fire: at a full minute that may be all of them. */
  #share(): number {
    const now = this.#options.clock.now();
    const due = this.#all().filter((timerQueue) => timerQueue.isDue(now)).length;
    return Math.max(LEAST_BATCH, Math.ceil(FIRE_BATCH / Math.max(1, due)));
  }

  /** A topic that this release does not know counts as one partition: the log refuses its records when they fire. */
  #partitionsOf(topic: string): number {
    try {
      return this.#options.log.partitions(topic);
    } catch (error) {
      if (error instanceof PortError && error.kind === 'refused') return 1;
      throw error;
    }
  }

  #all(): readonly TimerQueue[] {
    return [...this.#byPartition.values()];
  }
}

function together(a: DueSummary, b: DueSummary): DueSummary {
  const oldestAt = Math.min(a.oldestAt ?? Infinity, b.oldestAt ?? Infinity);
  return {
    overdue: a.overdue + b.overdue,
    oldestAt: Number.isFinite(oldestAt) ? oldestAt : null,
    soon: a.soon + b.soon,
  };
}
