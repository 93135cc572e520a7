import assert from 'node:assert/strict';
import { retryWhileUnavailable } from '#concurrency/retry.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { PortError } from '#ports/errors.ts';
import type { TopicPartition } from '#ports/log.ts';
import {
  readHandling,
  writeHandling,
  type HandledKey,
  type HandlingSource,
  type Span,
} from '#tables/repositories/handling.ts';
import type { ConsumerPorts } from './consumer-options.ts';

/** Owners in a row that may vanish while they handle a key before the key is parked. */
export const MAX_VANISHED_OWNERS = 3;
/**
 * Records that arrive so soon after a partition was opened can be what ended its last owner: it had taken them, and
 * acknowledged none of them.
 */
const WATCH_MS = 15_000;
/** How long a key that was suspected twice waits, from when the partition was opened. */
const WAIT_MS = 5_000;

type Mode = 'new' | 'plain' | 'watching' | 'released' | 'overtaken';
const TRANSITIONS: Transitions<Mode> = {
  new: ['plain', 'watching', 'released'],
  plain: ['released', 'overtaken'],
  watching: ['released', 'overtaken'],
  released: [],
  overtaken: [],
};

/** The partition whose handling is marked: `OwnedPartition`. */
export interface MarkedPartition {
  readonly source: TopicPartition;
  /** False once the partition is assigned to another owner. */
  readonly owned: boolean;
}

/**
 * Finds the record that ends every process which handles it, by what each owner of a partition leaves to the next in
 * one row.
 *
 * The row says `owned` from an owner's first record until it releases the partition. An owner that finds it `owned`
 * knows that the last owner vanished: from then on it also writes each begin and end of the records that the last owner
 * may have had, in the row, before the handler runs. A key that the next owner finds there was being handled when an
 * owner vanished. It is a suspect: its records run one by one, and apart from other suspects (`SuspectLock`). A key
 * found so `MAX_VANISHED_OWNERS` times in a row is to be parked from that record on (`condemned`).
 *
 * new -> `load` -> plain (the last owner released the partition; nothing is written but `owned`) or watching (it
 * vanished) -> `release` -> released. From plain or watching it becomes overtaken when its compare-and-set fails: the
 * partition has another owner, which judges. Released and overtaken write nothing any more.
 */
export class HandlingMarks {
  readonly #source: HandlingSource;
  readonly #partition: MarkedPartition;
  readonly #ports: ConsumerPorts;
  readonly #keys = new Map<string, HandledKey>();
  /** Handlers of a key that run now: a key is marked as long as there is one. */
  readonly #running = new Map<string, number>();
  #version = 0;
  /** Each write has a token of its own that begins with this. */
  readonly #owner: string;
  #writes = 0;
  #openedAt = 0;
  #watchedUpTo = -1;
  #mode: Mode = 'new';
  #claim: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(group: string, partition: MarkedPartition, ports: ConsumerPorts) {
    this.#source = { ...partition.source, group };
    this.#partition = partition;
    this.#ports = ports;
    this.#owner = ports.ids.token();
  }

  /** Before any record begins; a repeat changes nothing. Rejects with `PortError`; then it may be called again. */
  async load(): Promise<void> {
    if (this.#mode !== 'new') return;
    const { version, owned, keys } = await readHandling(this.#ports.store, this.#source);
    // Another call was faster, or the partition was released meanwhile.
    if (this.#mode !== 'new') return;
    this.#enter(owned ? 'watching' : 'plain');
    this.#version = version;
    if (!owned) this.#watchedUpTo = -1;
    this.#openedAt = this.#ports.clock.monotonic();
    for (const [key, found] of Object.entries(keys)) {
      const suspect = owned ? suspectOf(found) : found;
      if (suspect.vanished > 0) this.#keys.set(key, suspect);
    }
    const { topic, partition } = this.#source;
    if (owned)
      this.#ports.reporter.report('owner-vanished', {
        group: this.#source.group,
        topic,
        partition,
        suspects: this.#keys.size,
      });
  }

  /** Takes note of a record that arrived; `load` may not have answered yet whether the last owner vanished. */
  take(offset: number): void {
    if (this.#mode === 'plain') return;
    if (this.#mode === 'new' || this.#ports.clock.monotonic() - this.#openedAt <= WATCH_MS) this.#watchedUpTo = offset;
  }

  /** How many owners in a row vanished while they handled records of the key. */
  suspicion(key: string): number {
    return this.#keys.get(key)?.vanished ?? 0;
  }

  /**
   * Instant of the monotonic clock before which a suspect waits: the others end meanwhile, and a series of kills
   * passes.
   */
  notBefore(key: string): number {
    return this.suspicion(key) > 1 ? this.#openedAt + WAIT_MS : 0;
  }

  /** The records of which the first that comes is to be parked instead of being handled; null: none. */
  condemned(key: string): Span | null {
    const known = this.#keys.get(key);
    return known !== undefined && isCondemned(known) ? known.suspected : null;
  }

  /** Whether the begin of this record has to be marked. */
  watches(key: string, offset: number): boolean {
    return offset <= this.#watchedUpTo || this.#keys.has(key);
  }

  /**
   * Resolves once the row says `owned`, which has to be durable before the first record begins; at once when the
   * partition was released or has another owner.
   */
  claim(): Promise<void> {
    this.#assertLoaded();
    this.#claim ??= this.#flush();
    return this.#claim;
  }

  /**
   * Resolves once it is durable that these records of the key are being handled; at once when the partition was
   * released or has another owner.
   */
  begin(key: string, running: Span): Promise<void> {
    this.#assertLoaded();
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#keys.set(key, { vanished: 0, suspected: null, ...this.#keys.get(key), running });
    const written = this.#flush();
    this.#claim ??= written;
    return written;
  }

  /** The handler of `begin` does not run now; that it was suspected stays. */
  pause(key: string): void {
    const running = (this.#running.get(key) ?? 0) - 1;
    assert(running >= 0, `no handler of ${key} runs`);
    if (running > 0) return void this.#running.set(key, running);
    this.#running.delete(key);
    this.withdraw(key);
  }

  /** The key may run on, but is not a suspect for what happens from now on: others begin beside it. */
  withdraw(key: string): void {
    const known = this.#keys.get(key);
    if (known === undefined || known.running === null) return;
    if (known.suspected === null) this.#keys.delete(key);
    else this.#keys.set(key, { ...known, running: null });
    void this.#flush();
  }

  /** The key's records up to `offset` were handled, and this process lives. */
  clear(key: string, offset = Number.MAX_SAFE_INTEGER): void {
    const known = this.#keys.get(key);
    if (known?.suspected == null || offset < known.suspected[1]) return;
    this.#keys.delete(key);
    void this.#flush();
  }

  /**
   * Tells the next owner that this one did not vanish, so that what it was handling is not suspected. A repeat changes
   * nothing. Never rejects.
   */
  async release(): Promise<void> {
    if (this.#isOver) return;
    this.#enter('released');
    if (this.#claim === null) return;
    await this.#writing;
    try {
      await this.#write(false);
    } catch (error) {
      this.#ports.reporter.failure('handling-marks-write-failed', error, {
        group: this.#source.group,
        topic: this.#source.topic,
      });
    }
  }

  /** What changes while a write is under way goes with the next write: one for all callers that changed something. */
  #flush(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#queued ??= this.#writing.then(() => {
      this.#queued = null;
      this.#writing = this.#writeUntilDone();
      return this.#writing;
    });
    return this.#queued;
  }

  /** Until it is written, released, or the partition has another owner. */
  async #writeUntilDone(): Promise<void> {
    const mayWrite = (): boolean => this.#partition.owned && !this.#isOver;
    if (!mayWrite()) return;
    const { clock, reporter } = this.#ports;
    const { group, topic } = this.#source;
    try {
      await retryWhileUnavailable(() => this.#write(true), {
        clock,
        mayRetry: mayWrite,
        passes: (error) => error instanceof PortError,
        report: (error, failures) => reporter.failure('handling-marks-write-failed', error, { group, topic, failures }),
      });
    } catch (error) {
      if (mayWrite() || !(error instanceof PortError)) throw error;
    }
  }

  async #write(owned: boolean): Promise<void> {
    const kept = [...this.#keys].filter(([, { suspected }]) => owned || suspected !== null);
    const keys = owned ? kept : kept.map(([key, known]): [string, HandledKey] => [key, { ...known, running: null }]);
    const { store } = this.#ports;
    const write = {
      version: this.#version,
      handling: { owned, keys: Object.fromEntries(keys) },
      token: `${this.#owner} ${++this.#writes}`,
    };
    if (await writeHandling(store, this.#source, write)) {
      this.#version++;
      return;
    }
    // An earlier write may have been made although its answer was lost, and the read too that was to settle it. Taken
    // for another owner's, it would end the marks of an owner that lives.
    const { version, token } = await readHandling(store, this.#source);
    if (version > this.#version && token.startsWith(`${this.#owner} `)) {
      this.#version = version;
      return this.#write(owned);
    }
    if (this.#mode !== 'released') this.#enter('overtaken');
  }

  get #isOver(): boolean {
    return this.#mode === 'released' || this.#mode === 'overtaken';
  }

  #assertLoaded(): void {
    assert(this.#mode !== 'new', 'no record begins before the handling marks are loaded');
  }

  #enter(mode: Mode): void {
    this.#mode = transition('handling marks', TRANSITIONS, this.#mode, mode);
  }
}

function isCondemned({ vanished }: HandledKey): boolean {
  return vanished >= MAX_VANISHED_OWNERS;
}

/**
 * What the key is suspected of once its owner vanished: only of the records that were being handled, and more than
 * before only if those were among the records that were being handled the last time.
 */
function suspectOf(found: HandledKey): HandledKey {
  const { vanished, suspected, running } = found;
  if (running === null || isCondemned(found)) return { ...found, running: null };
  const isSame = suspected !== null && running[0] >= suspected[0] && running[1] <= suspected[1];
  return { vanished: isSame ? vanished + 1 : 1, suspected: running, running: null };
}
