import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Heap } from '#concurrency/heap.ts';
import { Dice } from './dice.ts';

/**
 * A process, as far as time is concerned. up -> paused (nothing of it runs; requests that it sent go on) -> up; up or
 * paused -> dead (its pending promises never settle). A dead one never comes back: its successor is another owner.
 */
export interface Owner {
  readonly name: string;
  mode: 'up' | 'paused' | 'dead';
}

interface Item {
  /** Milliseconds of virtual time. */
  at: number;
  /** Orders the items that are due at one instant. */
  tie: number;
  readonly label: string;
  /** null: belongs to no process that could stop: the wire, the broker's own steps, the simulation itself. */
  owner: Owner | null;
  /** Sent before its owner stopped, so it may still take effect. */
  readonly sent: SentMessage;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * `no`: happens inside the process. `maybe`: in flight; a crash may or may not have come first. `yes`: nothing but,
 * perhaps, a crash prevents it.
 */
export type SentMessage = 'no' | 'maybe' | 'yes';

export interface SimulationStep {
  readonly label: string;
  readonly owner: Owner | null;
  readonly delayMs: number;
  readonly sent?: SentMessage;
}

/** A world has some ten thousand steps: one with so many does not come to its end. */
const MAX_STEPS = 600_000;
/** Of the last of them, the ones that are named. */
const NAMED_STEPS = 1_000;

/** How long things take: `wild` during the faults, `calm` before and after. */
export type Weather = 'calm' | 'wild';

/**
 * The one place that decides what happens next. Everything that takes time in production (a call's request, its answer,
 * a delivery, a timer) is an item here, at an instant drawn from the seed; items of one instant run in an order drawn
 * from the seed. After each, all promises that it settled continue before the next item is chosen, so that the real
 * event loop decides nothing: the same seed is the same run.
 */
export class SimulationEngine extends Dice {
  /** True wall time. */
  now: number;
  weather: Weather = 'calm';
  /** Of everything that takes next to nothing. */
  calmLatencyMs = 0;
  steps = 0;
  readonly #seed: number;
  readonly #queue = new Heap<Item>((a, b) => a.at < b.at || (a.at === b.at && a.tie < b.tie));
  #leaptMs = 0;
  readonly #backlogs = new Map<Owner, Item[]>();
  readonly #pending = new Set<Item>();
  readonly #hash = createHash('sha256');
  readonly #lastLabels = new Map<string, number>();
  #failure: { readonly error: unknown } | null = null;
  readonly #maxSteps: number;
  readonly #onStep: ((at: number, label: string) => void) | undefined;

  constructor(options: {
    readonly seed: number;
    readonly startMs: number;
    /** Default: far more than a world has. */
    readonly maxSteps?: number;
    readonly onStep?: (at: number, label: string) => void;
  }) {
    super(options.seed);
    this.#seed = options.seed;
    this.now = options.startMs;
    this.#maxSteps = options.maxSteps ?? MAX_STEPS;
    this.#onStep = options.onStep;
  }

  /** Runs `run` at its instant; returns a function that cancels it. */
  later({ label, owner, delayMs, sent = 'no' }: SimulationStep, run: () => void): () => void {
    const item: Item = {
      at: this.now + Math.max(0, Math.ceil(delayMs)),
      tie: this.random(),
      label,
      owner,
      sent,
      run,
      cancelled: false,
    };
    if (owner?.mode === 'dead') return () => {};
    this.#push(item);
    return () => {
      item.cancelled = true;
      this.#pending.delete(item);
    };
  }

  /** Resolves at its instant, or never when its owner is dead by then. */
  pass(step: SimulationStep): Promise<void> {
    return new Promise((resolve) => void this.later(step, resolve));
  }

  /** The way of a call's request, or of its answer. */
  trip(label: string, owner: Owner | null, sent: SentMessage = 'no'): Promise<void> {
    return this.pass({ label, owner, delayMs: this.latencyMs(), sent });
  }

  /** Mostly next to nothing, sometimes long enough to be overtaken, rarely long enough for a deadline to pass. */
  latencyMs(): number {
    if (this.weather === 'calm') return this.calmLatencyMs;
    const kind = this.random();
    const share = this.random();
    if (kind < 0.6) return share * 2;
    if (kind < 0.9) return share * 20;
    return kind < 0.993 ? share * 400 : share * 12_000;
  }

  /** See `Dice.of`. */
  diceOf(part: string): Dice {
    return Dice.of(this.#seed, part);
  }

  resume(owner: Owner): void {
    assert(owner.mode === 'paused', `${owner.name} is ${owner.mode}`);
    owner.mode = 'up';
    for (const item of this.#takeBacklog(owner)) this.#again(item);
  }

  /** Nothing of the owner ever runs again, except some of the items that it had sent. */
  drop(owner: Owner): void {
    owner.mode = 'dead';
    const heldBack = new Set(this.#takeBacklog(owner));
    for (const item of [...this.#pending]) {
      if (item.owner !== owner) continue;
      if (item.sent !== 'no' && this.chance(0.5)) {
        item.owner = null;
        if (heldBack.has(item)) this.#again(item);
      } else {
        item.cancelled = true;
        this.#pending.delete(item);
      }
    }
  }

  /** Runs items until `untilMs`, which becomes the time, or until `done` returns true. */
  async run(untilMs: number, done: () => boolean = () => false): Promise<void> {
    for (;;) {
      const item = this.#queue.peek();
      if (item === undefined || item.at > untilMs) {
        this.now = Math.max(this.now, untilMs);
        return;
      }
      this.#queue.pop();
      if (item.cancelled || this.#heldBack(item)) continue;
      this.#pending.delete(item);
      this.now = Math.max(this.now, item.at);
      this.steps++;
      this.#hash.update(`${this.now} ${item.label}\n`);
      this.#onStep?.(this.now, item.label);
      item.run();
      await settled();
      if (this.#failure !== null) throw this.#failure.error;
      if (this.steps > this.#maxSteps - NAMED_STEPS) this.#nearTheLimit(item.label);
      if (done()) return;
    }
  }

  /** `run` rejects with the error after the step that is being taken: what nobody caught would end a process. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #nearTheLimit(label: string): void {
    this.#lastLabels.set(label, (this.#lastLabels.get(label) ?? 0) + 1);
    if (this.steps <= this.#maxSteps) return;
    const often = [...this.#lastLabels].toSorted(([, one], [, other]) => other - one).slice(0, 3);
    throw new Error(
      `more than ${this.#maxSteps} steps; of the last ${NAMED_STEPS}: ${often.map(([name, count]) => `${count} ${name}`).join(', ')}`,
    );
  }

  /** Milliseconds that passed, whatever was done to wall time. */
  get elapsed(): number {
    return this.now - this.#leaptMs;
  }

  /** Moves the wall time of all processes at once, as an operator does; pending items keep their remaining time. */
  leap(ms: number): void {
    this.now += ms;
    this.#leaptMs += ms;
    // Those that were cancelled keep their instants: left among the others, they would hide later ones behind them.
    this.#queue.keep(({ cancelled }) => !cancelled);
    for (const item of this.#pending) item.at += ms;
    this.#hash.update(`leap ${ms}\n`);
  }

  /** A hash of everything that happened so far, in order. */
  fingerprint(): string {
    return this.#hash.copy().digest('hex');
  }

  #push(item: Item): void {
    this.#pending.add(item);
    this.#queue.push(item);
  }

  /** An item that was due while its owner was paused. */
  #again(item: Item): void {
    if (item.cancelled) return;
    item.at = this.now + this.between(0, 3);
    item.tie = this.random();
    this.#queue.push(item);
  }

  #takeBacklog(owner: Owner): readonly Item[] {
    const backlog = this.#backlogs.get(owner) ?? [];
    this.#backlogs.delete(owner);
    return backlog;
  }

  #heldBack(item: Item): boolean {
    if (item.owner?.mode !== 'paused' || item.sent === 'yes') return false;
    if (item.sent === 'maybe' && this.chance(0.5)) return false;
    const backlog = this.#backlogs.get(item.owner) ?? [];
    this.#backlogs.set(item.owner, backlog);
    backlog.push(item);
    return true;
  }
}

/** Resolves when all microtasks have run: the event loop gets to its next phase only when none is left. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
