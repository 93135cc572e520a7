import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { RecentChange } from '#tables/repositories/recent-changes.ts';
import { SignalQueue, merged, type ChangeListener, type ChangeSignal } from './signal-queue.ts';

/** What turns left behind for pages that are open. Both reject with `PortError`. */
export interface ChangeReader {
  /** After that of the turn that made version `after`, in the order of turns. */
  read(workspaceId: string, range: { readonly after: number; readonly now: number }): Promise<readonly RecentChange[]>;
  /** Of the newest turn. */
  version(workspaceId: string): Promise<number>;
}

export interface WorkspaceWatchOptions {
  readonly changes: ChangeReader;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly reporter: Reporter;
}

const POLL_MS = 400;
const MAX_DELAY_MS = 10_000;
/** After a gap as long as this, reading all that pages show is less work than reading what changed meanwhile. */
const STALE_AFTER_MS = 30_000;
/** A watch that could begin so late may have missed more turns than it looks back over. */
const LATE_START_MS = 5_000;
const START_TURNS = 500;

/** How far the changes of the Workspace were read. */
interface Position {
  /**
   * Every change up to this version was read. The versions above it that were read are `told`: they may have gaps,
   * since one read of several replicas or partitions is not of one instant. A turn's rows are all there before the next
   * turn's are, so a version that was seen makes all below it certain for the next read, and for no earlier one.
   */
  readonly settled: number;
  /** The highest version that was seen. */
  readonly top: number;
  readonly told: ReadonlySet<number>;
}

/**
 * Reads what changed in one Workspace, for all of its listeners together. starting (the version of the head is read) ->
 * following (changes are read, a while after each other) -> closed, when the last listener has gone. A read that fails
 * is tried again, later each time. After a gap in which too much may have happened, or over which the clock was
 * moved, listeners are told that what they show is stale, and the watch goes on from the newest turn.
 */
export class WorkspaceWatch {
  readonly #workspaceId: string;
  readonly #options: WorkspaceWatchOptions;
  readonly #queues = new Set<SignalQueue>();
  readonly #begunAt: number;
  #position: Position | null = null;
  /** By wall time: of what was committed until then, everything was reported, or is above `settled`. */
  #readAt: number;
  #failures = 0;
  #cancelPoll: Cancel = () => {};
  #isClosed = false;

  constructor(workspaceId: string, options: WorkspaceWatchOptions) {
    this.#workspaceId = workspaceId;
    this.#options = options;
    this.#begunAt = options.clock.now();
    this.#readAt = this.#begunAt;
    void this.#poll();
  }

  get isUnused(): boolean {
    return this.#queues.size === 0;
  }

  add(listener: ChangeListener): SignalQueue {
    const { reporter } = this.#options;
    const queue = new SignalQueue(listener, (error) =>
      reporter.failure('change-listener-failed', error, { workspaceId: this.#workspaceId }),
    );
    this.#queues.add(queue);
    return queue;
  }

  remove(queue: SignalQueue): void {
    queue.close();
    this.#queues.delete(queue);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll();
    for (const queue of this.#queues) this.remove(queue);
  }

  /** Never rejects: it sets the next poll, whatever happens. */
  async #poll(): Promise<void> {
    const { clock, reporter } = this.#options;
    try {
      const signal = await this.#read(clock.now());
      this.#failures = 0;
      if (signal !== null) for (const queue of this.#queues) queue.offer(signal);
    } catch (error) {
      if (this.#failures === 0 && !this.#isClosed)
        reporter.failure('change-feed-failed', error, { workspaceId: this.#workspaceId });
      this.#failures += 1;
    }
    if (this.#isClosed) return;
    const delayMs = Math.min(POLL_MS * 2 ** Math.min(this.#failures, 16), MAX_DELAY_MS);
    this.#cancelPoll = clock.after(delayMs, () => void this.#poll());
  }

  /** Null: nothing that listeners were not told. */
  async #read(now: number): Promise<ChangeSignal | null> {
    const isStarting = this.#position === null;
    const gapMs = Math.abs(now - this.#readAt);
    if (gapMs > (isStarting ? LATE_START_MS : STALE_AFTER_MS)) return this.#restart(now);
    const position = this.#position ?? (await this.#start());
    const read = await this.#options.changes.read(this.#workspaceId, { after: position.settled, now });
    this.#readAt = now;
    this.#position = {
      settled: Math.max(position.settled, position.top),
      top: Math.max(position.top, read.at(-1)?.version ?? 0),
      told: new Set(read.map(({ version }) => version).filter((version) => version > position.top)),
    };
    const fresh = read.filter(({ version, at }) =>
      // What is older than the listeners is in what they loaded.
      isStarting ? at >= this.#begunAt - CLOCK_SKEW_MS : !position.told.has(version),
    );
    const signals = fresh.map(({ postIds, channels }): ChangeSignal => ({ kind: 'changed', postIds, channels }));
    return signals.length === 0 ? null : signals.reduce(merged);
  }

  /** Some turns back: by the time that the head is read, turns may have followed the first subscription. */
  async #start(): Promise<Position> {
    const before = await this.#turnBeforeNewest();
    return { settled: Math.max(0, before - START_TURNS), top: before, told: new Set() };
  }

  async #restart(now: number): Promise<ChangeSignal> {
    const before = await this.#turnBeforeNewest();
    this.#position = { settled: before, top: before, told: new Set() };
    this.#readAt = now;
    return { kind: 'stale' };
  }

  /** The newest turn may still owe rows, those that pages show and its change; the turns before it owe none. */
  async #turnBeforeNewest(): Promise<number> {
    return Math.max(0, (await this.#options.changes.version(this.#workspaceId)) - 1);
  }
}
