import type { HeldTimer } from './shard.ts';
import { TimerQueue, type DueSummary, type TimerQueueOptions } from './timer-queue.ts';

/** A timer queue for each topic that timers append to: a topic that is away holds back no timer of the others. */
export class TimerQueues {
  readonly #options: TimerQueueOptions;
  readonly #onFired: (held: HeldTimer) => void;
  readonly #byTopic = new Map<string, TimerQueue>();

  constructor(options: TimerQueueOptions, onFired: (held: HeldTimer) => void) {
    this.#options = options;
    this.#onFired = onFired;
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
    const { topic } = held.timer;
    const timerQueue = this.#byTopic.get(topic) ?? new TimerQueue(this.#options, this.#onFired);
    this.#byTopic.set(topic, timerQueue);
    timerQueue.add(held);
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

  #all(): readonly TimerQueue[] {
    return [...this.#byTopic.values()];
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
