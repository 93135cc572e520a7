import type { Cancel, Clock } from '#ports/clock.ts';
import { sleepBy } from '#ports/sleep.ts';
import type { SimulationEngine, Owner } from './engine.ts';

/** Time of one process: its wall clock is off by some seconds and may be moved; its timers are the engine's. */
export class ProcessClock implements Clock {
  readonly #engine: SimulationEngine;
  readonly #owner: Owner | null;
  readonly #startedAt: number;
  readonly #listeners = new Set<() => void>();
  #offsetMs: number;
  /** Its former offsets, each from one instant of true time to another. */
  readonly #before: { readonly offsetMs: number; readonly since: number; readonly until: number }[] = [];

  /** `owner` null: the clock of a part that can't stop, exact. */
  constructor(engine: SimulationEngine, owner: Owner | null, offsetMs: number) {
    this.#engine = engine;
    this.#owner = owner;
    this.#offsetMs = offsetMs;
    this.#startedAt = engine.elapsed;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  now(): number {
    return this.#engine.now + this.#offsetMs;
  }

  /** The offset is the machine's own, not an operator's shift. */
  unmoved(): number {
    return this.now();
  }

  monotonic(): number {
    return this.#engine.elapsed - this.#startedAt;
  }

  after(delayMs: number, run: () => void): Cancel {
    return this.#engine.later({ label: `timer ${this.#owner?.name ?? ''}`, owner: this.#owner, delayMs }, run);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, delayMs, signal);
  }

  onMoved(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As NTP does, without notification. */
  set(offsetMs: number): void {
    this.#before.push(this.#present);
    this.#offsetMs = offsetMs;
  }

  /**
   * The earliest time that it gave within the last `withinMs`: an effect that happens now may have been decided at that
   * time.
   */
  earliest(withinMs: number): number {
    const from = this.#engine.now - withinMs;
    const inForce = [...this.#before, this.#present].filter(({ until }) => until >= from);
    return Math.min(...inForce.map(({ offsetMs, since }) => Math.max(since, from) + offsetMs));
  }

  get #present() {
    return { offsetMs: this.#offsetMs, since: this.#before.at(-1)?.until ?? 0, until: this.#engine.now };
  }

  /** Notifies the listeners that an operator moved the clock. */
  announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
