import type { HeldTimer } from './shard.ts';
import { TimerQueue, type TimerQueueOptions } from './timer-queue.ts';

/** A wheel for each topic that timers append to: one that can't be reached holds back no timer of the others. */
export class TimerQueues {
  readonly #parts: TimerQueueOptions;
  readonly #onFired: (held: HeldTimer) => void;
  readonly #byTopic = new Map<string, TimerQueue>();

  constructor(parts: TimerQueueOptions, onFired: (held: HeldTimer) => void) {
    this.#parts = parts;
    this.#onFired = onFired;
  }

  get size(): number {
    return this.#all().reduce((sum, timerQueue) => sum + timerQueue.size, 0);
  }

  add(held: HeldTimer): void {
    const { topic } = held.timer;
    const timerQueue = this.#byTopic.get(topic) ?? new TimerQueue(this.#parts, this.#onFired);
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
