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
/** Of who was suspected twice, from when the partition was opened. */
const WAIT_MS = 5_000;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

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
 * The row says `owned` from an owner's first record until it lets go. Found `owned`, the last owner vanished: from then
 * on every begin and end among the records that it may have had is written too, in the row, before the handler runs.
 * Who is found there by the next owner was being handled when an owner vanished: a suspect, which runs record by record
 * and apart from other suspects (`SuspectLock`). Found so `MAX_VANISHED` times in a row, its key is to be parked from
 * that record on (`condemned`).
 *
 * new -> `load` -> plain (nothing is written but `owned`) or watching (the last owner vanished) -> `release` ->
 * released (writes nothing). Somebody else's write means that the partition has another owner: it is *overtaken* and
 * writes nothing either, as its successor judges.
 */
export class HandlingMarks {
  readonly #source: HandlingSource;
  readonly #partition: MarkedPartition;
  readonly #parts: ConsumerPorts;
  readonly #keys = new Map<string, HandledKey>();
  /** Handlers of a key that run now: a key is marked as long as there is one. */
  readonly #running = new Map<string, number>();
  #version = 0;
  #openedAt = 0;
  #ownerVanished = false;
  #watchedUpTo = -1;
  #isOver = false;
  #claim: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(group: string, partition: MarkedPartition, parts: ConsumerPorts) {
    this.#source = { ...partition.source, group };
    this.#partition = partition;
    this.#parts = parts;
  }

  /** Before any record begins. Rejects with `PortError`. */
  async load(): Promise<void> {
    const { version, owned, keys } = await readHandling(this.#parts.store, this.#source);
    this.#version = version;
    this.#ownerVanished = owned;
    this.#openedAt = this.#parts.clock.monotonic();
    for (const [key, found] of Object.entries(keys)) {
      const suspect = owned ? suspectOf(found) : found;
      if (suspect.vanished > 0) this.#keys.set(key, suspect);
    }
    const { topic, partition } = this.#source;
    if (owned)
      this.#parts.reporter.report('owner-vanished', {
        group: this.#source.group,
        topic,
        partition,
        suspectLock: this.#keys.size,
      });
  }

  /** A record arrived. */
  take(offset: number): void {
    if (this.#ownerVanished && this.#parts.clock.monotonic() - this.#openedAt <= WATCH_MS) this.#watchedUpTo = offset;
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

  /** The record that is to be parked instead of being handled; null: none. */
  condemned(key: string): number | null {
    const known = this.#keys.get(key);
    return known !== undefined && isCondemned(known) ? known.suspected![0] : null;
  }

  /** Whether the begin of this record has to be marked. */
  watches(key: string, offset: number): boolean {
    return offset <= this.#watchedUpTo || this.#keys.has(key);
  }

  /**
   * Resolves once the row says `owned`, which has to be durable before the first record begins; or once that is
   * nobody's business.
   */
  claim(): Promise<void> {
    this.#claim ??= this.#flush();
    return this.#claim;
  }

  /** Resolves once it is durable that these records of the key are being handled; or once that is nobody's business. */
  begin(key: string, running: Span): Promise<void> {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#keys.set(key, { vanished: 0, suspected: null, ...this.#keys.get(key), running });
    const written = this.#flush();
    this.#claim ??= written;
    return written;
  }

  /** The handler of `begin` does not run now; that it was suspected stays. */
  pause(key: string): void {
    const running = (this.#running.get(key) ?? 0) - 1;
    if (running > 0) return void this.#running.set(key, running);
    this.#running.delete(key);
    this.withdraw(key);
  }

  /** It may run on, and is not to be blamed for what happens from now on: others begin beside it. */
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

  /** Tells the next owner that this one went of its own will: whatever it was handling is not blamed. Never rejects. */
  async release(): Promise<void> {
    if (this.#isOver || this.#claim === null) return;
    this.#isOver = true;
    await this.#writing;
    try {
      await this.#write(false);
    } catch (error) {
      this.#parts.reporter.failure('handling-unmarked', error, {
        group: this.#source.group,
        topic: this.#source.topic,
      });
    }
  }

  /**
   * What changes while a write is under way goes with the next one, which all who changed something wait for together.
   */
  #flush(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#queued ??= this.#writing.then(() => {
      this.#queued = null;
      this.#writing = this.#patiently();
      return this.#writing;
    });
    return this.#queued;
  }

  /** Until it is written, or the partition is somebody else's. */
  async #patiently(): Promise<void> {
    for (let failures = 0; this.#partition.owned && !this.#isOver; failures++) {
      try {
        return await this.#write(true);
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        this.#parts.reporter.failure('handling-unmarked', error, {
          group: this.#source.group,
          topic: this.#source.topic,
          failures,
        });
        await this.#parts.clock.sleep(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures));
      }
    }
  }

  async #write(owned: boolean): Promise<void> {
    const kept = [...this.#keys].filter(([, { suspected }]) => owned || suspected !== null);
    const keys = owned ? kept : kept.map(([key, known]): [string, HandledKey] => [key, { ...known, running: null }]);
    if (
      await writeHandling(
        this.#parts.store,
        this.#source,
        this.#version,
        { owned, keys: Object.fromEntries(keys) },
        this.#parts.ids.token(),
      )
    )
      this.#version++;
    else this.#isOver = true;
  }
}

function isCondemned({ vanished }: HandledKey): boolean {
  return vanished >= MAX_VANISHED_OWNERS;
}

/**
 * What the key is suspected of once its owner vanished: only of what it was at work on, and more than before only if
 * that was among what it was at work on the last time.
 */
function suspectOf(found: HandledKey): HandledKey {
  const { vanished, suspected, running } = found;
  if (running === null || isCondemned(found)) return { ...found, running: null };
  const isSame = suspected !== null && running[0] >= suspected[0] && running[1] <= suspected[1];
  return { vanished: isSame ? vanished + 1 : 1, suspected: running, running: null };
}
