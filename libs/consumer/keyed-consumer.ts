import type { ConsumerPorts } from './consumer-options.ts';
import type { KeyedConsumerOptions } from './consumer-options.ts';
import type { StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';
import { listParkedKeys } from '#tables/repositories/parking.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from './workload.ts';
import { KeyLane, type KeyLaneOptions } from './key-lane.ts';
import { OwnedPartition } from './owned-partition.ts';
import { SuspectLock } from './suspect-lock.ts';

/** How often owners look whether an operator wants a parked key to go on. */
const WISH_POLL_MS = 1000;

/**
 * Reads topics as mailboxes: one lane a key, its records in order, lanes side by side; a record is acknowledged when it
 * and all before it in its partition are done, whatever way: handled, dead-lettered or parked.
 *
 * new -> `start` -> running -> `drain` -> draining (no new records start; what runs ends) -> `stop` -> stopped.
 * From any mode `stop` lets go at once, as a crash does: what was not acknowledged comes again to the next owner.
 */
export class KeyedConsumer implements Service, Workload {
  readonly name: string;
  readonly #options: KeyedConsumerOptions;
  readonly #parts: ConsumerPorts;
  readonly #lanes = new Map<string, KeyLane>();
  readonly #ready: KeyLane[] = [];
  readonly #partitions = new Map<string, OwnedPartition>();
  readonly #suspectLock: SuspectLock;
  /** Aborted when nothing new may begin any more. */
  readonly #ending = new AbortController();
  #running = 0;
  /** Lanes that wait before they try again, by whether they gave their slot away meanwhile. */
  #resting = { inSlot: 0, without: 0 };
  readonly #waking: (() => void)[] = [];
  #trouble: string | null = null;
  #mode: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #subscription: Subscription | null = null;
  #onIdle: (() => void)[] = [];

  constructor(options: KeyedConsumerOptions, parts: ConsumerPorts) {
    this.name = options.name;
    this.#options = options;
    this.#parts = parts;
    this.#suspectLock = parts.suspectLock ?? new SuspectLock(parts.clock);
  }

  async start(): Promise<void> {
    if (this.#mode !== 'new') throw new Error(`${this.name} was started before`);
    this.#mode = 'running';
    this.#subscription = await this.#parts.log.subscribe({
      group: this.#options.group,
      topics: this.#options.topics,
      onAssigned: (partitions) => this.#assign(partitions),
      onRevoked: (partitions) => this.#revoke(partitions),
      onRecords: (source, records) => this.#take(source, records),
    });
    if (this.#stopped) return this.#subscription.close();
    this.#pollWishes();
  }

  async drain(): Promise<void> {
    if (this.#mode !== 'running') return;
    this.#mode = 'draining';
    this.#ending.abort();
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.#release();
    await this.#subscription?.close();
  }

  async stop(): Promise<void> {
    const subscription = this.#mode === 'stopped' ? null : this.#subscription;
    this.#mode = 'stopped';
    this.#ending.abort();
    for (const partition of this.#partitions.values()) partition.lose();
    this.#lanes.clear();
    this.#ready.length = 0;
    this.#runReady();
    if (subscription !== null) await this.#release();
    await subscription?.close();
  }

  /** Before the partitions go to anybody else, who would take this owner for one that vanished. */
  async #release(): Promise<void> {
    await Promise.all([...this.#partitions.values()].map((partition) => partition.marks.release()));
  }

  /** Also while `start` still waits for the log. */
  get #stopped(): boolean {
    return this.#mode === 'stopped';
  }

  get #isIdle(): boolean {
    return this.#running === 0 && this.#resting.without === 0;
  }

  trouble(): string | null {
    return this.#trouble;
  }

  /** Partitions believed to be ours, for reports. */
  owned(): readonly TopicPartition[] {
    return [...this.#partitions.values()].map((partition) => partition.source);
  }

  /** Records taken and not yet done. */
  waiting(): number {
    let sum = 0;
    for (const partition of this.#partitions.values()) sum += partition.waiting;
    return sum;
  }

  /** Keys of the owned partitions whose records are held back. */
  heldBack(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) if (lane.heldBack && lane.partition.owned) count++;
    return count;
  }

  #assign(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      this.#partitions.get(nameOf(source))?.lose();
      const partition = new OwnedPartition(source, this.#options, this.#parts);
      this.#partitions.set(nameOf(source), partition);
      void this.#loadParked(partition);
    }
    this.#options.onAssigned?.(partitions);
  }

  #revoke(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      const partition = this.#partitions.get(nameOf(source));
      partition?.lose();
      void partition?.marks.release();
      this.#partitions.delete(nameOf(source));
      for (const [id, lane] of this.#lanes) if (lane.partition === partition) this.#lanes.delete(id);
    }
    this.#options.onRevoked?.(partitions);
  }

  /**
   * No record of the partition may run before its parked keys are known, or one could overtake those held back; nor
   * before its suspects are.
   */
  async #loadParked(partition: OwnedPartition): Promise<void> {
    const { topic, partition: number } = partition.source;
    for (let failures = 0; partition.owned; failures++) {
      try {
        const [flags] = await Promise.all([listParkedKeys(this.#parts.store, topic, number), partition.marks.load()]);
        if (!partition.owned) return;
        for (const flag of flags) this.#laneOf(partition, flag.key).holdBack(flag);
        partition.open();
        for (const lane of this.#lanes.values()) if (lane.partition === partition) this.#schedule(lane);
        return;
      } catch (error) {
        this.#parts.reporter.failure('parked-keys-unreadable', error, {
          consumer: this.name,
          topic,
          partition: number,
        });
        await this.#parts.clock.sleep(Math.min(2000, 100 * 2 ** failures));
      }
    }
  }

  #take(source: TopicPartition, records: readonly StoredRecord[]): void {
    const partition = this.#partitions.get(nameOf(source));
    if (partition === undefined || this.#mode !== 'running') return;
    const touched = new Set<KeyLane>();
    for (const record of records) {
      if (!partition.begin(record.offset)) continue;
      const lane = this.#laneOf(partition, record.key);
      lane.push(record);
      touched.add(lane);
    }
    if (partition.mustPause()) this.#subscription?.pause([source]);
    for (const lane of touched) this.#schedule(lane);
  }

  #laneOf(partition: OwnedPartition, key: string): KeyLane {
    const id = `${partition.source.topic} ${key}`;
    const known = this.#lanes.get(id);
    if (known !== undefined && known.partition === partition) return known;
    const rest = (milliseconds: number): Promise<void> => this.#rest(milliseconds);
    const turn: KeyLaneOptions['turn'] = (suspect) =>
      this.#aside(this.#suspectLock.enter(suspect, AbortSignal.any([this.#ending.signal, partition.lost])));
    const lane = new KeyLane(key, partition, { ...this.#options, rest, turn }, this.#parts);
    this.#lanes.set(id, lane);
    return lane;
  }

  #schedule(lane: KeyLane): void {
    if (lane.scheduled || !lane.hasWork || !lane.partition.opened) return;
    lane.scheduled = true;
    this.#ready.push(lane);
    this.#runReady();
  }

  /**
   * Keys that are refused again and again must not starve the others: at most half of the slots are kept by lanes that
   * wait. Not fewer, because when all are refused, an engine being away, the slots are what keeps us from asking it
   * thousands of times a second.
   */
  async #rest(milliseconds: number): Promise<void> {
    const keeps = this.#resting.inSlot < Math.floor(this.#slots / 2);
    if (keeps) {
      this.#resting.inSlot++;
      await this.#parts.clock.sleep(milliseconds);
      this.#resting.inSlot--;
      return;
    }
    await this.#aside(this.#parts.clock.sleep(milliseconds));
  }

  /** Waits without a slot. */
  async #aside<T>(wait: Promise<T>): Promise<T> {
    this.#resting.without++;
    this.#running--;
    this.#runReady();
    const result = await wait;
    await new Promise<void>((resolve) => {
      this.#waking.push(resolve);
      this.#runReady();
    });
    this.#resting.without--;
    return result;
  }

  get #slots(): number {
    const { concurrency, concurrencyOfAll: all } = this.#options;
    return all === undefined
      ? concurrency
      : Math.max(1, Math.min(concurrency, Math.floor((all.keys * this.#partitions.size) / all.partitions)));
  }

  #runReady(): void {
    // Who was begun before goes on before anybody new begins, also while draining.
    while (this.#waking.length > 0 && (this.#running < this.#slots || this.#stopped)) {
      this.#running++;
      this.#waking.shift()!();
    }
    while (this.#mode === 'running' && this.#running < this.#slots && this.#ready.length > 0) {
      const lane = this.#ready.shift()!;
      if (lane.partition.owned) void this.#run(lane);
    }
  }

  async #run(lane: KeyLane): Promise<void> {
    this.#running++;
    try {
      const done = await lane.runBatch();
      this.#finish(lane.partition, done);
    } catch (error) {
      if (lane.partition.owned) this.#breakLane(lane, error);
    } finally {
      this.#running--;
      lane.scheduled = false;
    }
    if (lane.hasWork) this.#schedule(lane);
    else if (!lane.heldBack && !lane.broken) this.#forget(lane);
    this.#runReady();
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * A lane turns every failure it knows into an outcome. This one is a defect of ours: the lane's records stay
   * unacknowledged, so that a new owner gets them again, and health turns red.
   */
  #breakLane(lane: KeyLane, error: unknown): void {
    lane.broken = true;
    this.#trouble = `${this.name}: ${String(error)}`;
    this.#parts.reporter.failure('lane-broke', error, {
      consumer: this.name,
      topic: lane.partition.source.topic,
      key: lane.key,
    });
  }

  #forget(lane: KeyLane): void {
    const id = `${lane.partition.source.topic} ${lane.key}`;
    if (this.#lanes.get(id) === lane) this.#lanes.delete(id);
  }

  #finish(partition: OwnedPartition, offsets: readonly number[]): void {
    if (!partition.owned || this.#mode === 'stopped') return;
    const upTo = partition.finish(offsets);
    if (upTo !== null) this.#subscription?.ack(partition.source, upTo);
    if (partition.mayResume()) this.#subscription?.resume([partition.source]);
  }

  #pollWishes(): void {
    this.#parts.clock.after(WISH_POLL_MS, () => {
      if (this.#mode !== 'running') return;
      void this.#lookForWishes().finally(() => this.#pollWishes());
    });
  }

  async #lookForWishes(): Promise<void> {
    const partitions = new Set([...this.#lanes.values()].filter((lane) => lane.heldBack).map((lane) => lane.partition));
    for (const partition of partitions) {
      try {
        for (const flag of await listParkedKeys(
          this.#parts.store,
          partition.source.topic,
          partition.source.partition,
        )) {
          if (!partition.owned) break;
          const lane = this.#laneOf(partition, flag.key);
          lane.holdBack(flag);
          this.#schedule(lane);
        }
      } catch (error) {
        this.#parts.reporter.failure('parked-keys-unreadable', error, {
          consumer: this.name,
          topic: partition.source.topic,
        });
      }
    }
  }
}

function nameOf(source: TopicPartition): string {
  return `${source.topic}/${source.partition}`;
}
