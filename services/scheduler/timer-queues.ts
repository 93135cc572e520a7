import type { Held } from './shard.ts';
import { Wheel, type WheelParts } from './timer-queue.ts';

/** A wheel for each topic that timers append to: one that can't be reached holds back no timer of the others. */
export class Wheels {
  readonly #parts: WheelParts;
  readonly #onFired: (held: Held) => void;
  readonly #byTopic = new Map<string, Wheel>();

  constructor(parts: WheelParts, onFired: (held: Held) => void) {
    this.#parts = parts;
    this.#onFired = onFired;
  }

  get size(): number {
    return this.#all().reduce((sum, wheel) => sum + wheel.size, 0);
  }

  add(held: Held): void {
    const { topic } = held.timer;
    const wheel = this.#byTopic.get(topic) ?? new Wheel(this.#parts, this.#onFired);
    this.#byTopic.set(topic, wheel);
    wheel.add(held);
  }

  wake(): void {
    for (const wheel of this.#all()) wheel.wake();
  }

  async caughtUp(): Promise<void> {
    await Promise.all(this.#all().map((wheel) => wheel.caughtUp()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((wheel) => wheel.stop()));
  }

  #all(): readonly Wheel[] {
    return [...this.#byTopic.values()];
  }
}
