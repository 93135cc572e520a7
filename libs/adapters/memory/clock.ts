import assert from 'node:assert/strict';
import type { Cancel, Clock } from '#ports/clock.ts';
import { sleepBy } from '#ports/sleep.ts';

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

export interface MemoryClock extends Clock {
  /**
   * Moves time on by `ms`, running each timer at its instant, in order of instant and then of arming. Resolves when all
   * have run.
   */
  advance(ms: number): Promise<void>;
  /** Moves wall time alone, back or forth, as an operator or NTP does: durations are untouched. */
  moveWall(ms: number): void;
  /** How many timers are armed; a test that ends with some has a leak. */
  armed(): number;
}

/**
 * Time that moves only by `advance`. Between two timers the event loop takes one turn, so that promises settled by one
 * timer continue before the next timer, at their own instant. `settle`: what is waited for besides, where something
 * takes real time, such as a disk.
 */
export function createMemoryClock(startMs = Date.UTC(2030, 0, 1), settle = async () => {}): MemoryClock {
  return new VirtualClock(startMs, settle);
}

class VirtualClock implements MemoryClock {
  #wallMs: number;
  #movedMs = 0;
  #monotonicMs = 0;
  #order = 0;
  #advancing = false;
  readonly #timers = new Set<Timer>();
  readonly #listeners = new Set<() => void>();

  readonly #settle: () => Promise<void>;

  constructor(startMs: number, settle: () => Promise<void>) {
    this.#wallMs = startMs;
    this.#settle = settle;
  }

  now(): number {
    return Math.floor(this.#wallMs);
  }

  unmoved(): number {
    return Math.floor(this.#wallMs - this.#movedMs);
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer: Timer = { dueAt: this.#monotonicMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Of no time: a turn of the event loop, as of the machine's clock; no `advance` is needed. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return delayMs <= 0 ? eventLoopTurn() : sleepBy(this, delayMs, signal);
  }

  onMoved(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async advance(ms: number): Promise<void> {
    assert(ms >= 0, 'time does not go back');
    assert(!this.#advancing, 'one advance at a time');
    this.#advancing = true;
    try {
      const end = this.#monotonicMs + ms;
      await this.#turn();
      for (let timer = this.#next(end); timer !== null; timer = this.#next(end)) {
        this.#moveTo(timer.dueAt);
        this.#timers.delete(timer);
        timer.run();
        await this.#turn();
      }
      this.#moveTo(end);
    } finally {
      this.#advancing = false;
    }
  }

  moveWall(ms: number): void {
    this.#wallMs += ms;
    this.#movedMs += ms;
    for (const listener of [...this.#listeners]) listener();
  }

  armed(): number {
    return this.#timers.size;
  }

  async #turn(): Promise<void> {
    await eventLoopTurn();
    await this.#settle();
  }

  #next(end: number): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.dueAt > end) continue;
      if (next === null || timer.dueAt < next.dueAt || (timer.dueAt === next.dueAt && timer.order < next.order))
        next = timer;
    }
    return next;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
