import assert from 'node:assert/strict';
import type { Backoff } from '#concurrency/backoff.ts';
import { retryWhileUnavailable } from '#concurrency/retry.ts';
import { workingOn } from '#concurrency/work-in-hand.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import type { GroupMembership, StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';
import { listParkedKeys, type ParkedKey } from '#tables/repositories/parking.ts';
import type { Service } from '#runtime/service.ts';
import type { ConsumerPorts, KeyedConsumerOptions, KeyLaneOptions, WorkspaceTurns } from './consumer-options.ts';
import { GatheredKeys } from './gathering.ts';
import type { Backlog, Workload } from './workload.ts';
import { KeyLane } from './key-lane.ts';
import { OwnedPartition } from './owned-partition.ts';
import { SuspectLock } from './suspect-lock.ts';

/** How often an owner reads whether an operator wishes that a parked key goes on. */
const WISH_POLL_MS = 1000;
/** A shorter wait is not reported: the lane began in the turn of the event loop in which it became ready. */
const LEAST_WAIT_MS = 1;
const PARKED_KEYS_BACKOFF: Backoff = { firstMs: 100, maxMs: 2_000 };

type Mode = 'new' | 'running' | 'draining' | 'stopped';
const TRANSITIONS: Transitions<Mode> = {
  new: ['running', 'stopped'],
  running: ['draining', 'stopped'],
  draining: ['stopped'],
  stopped: ['stopped'],
};

/**
 * Reads topics as mailboxes: one lane for each key, with its records in order, and lanes side by side. A record is
 * acknowledged when it and all before it in its partition are done: handled, dead-lettered or parked.
 *
 * new -> `start` -> running -> `drain` -> draining (no further record begins; what runs ends) -> `stop` -> stopped.
 * From any mode `stop` ends it at once, as a crash does: what was not acknowledged comes again to the next owner. A
 * second `drain` or `stop` changes nothing, nor does a `drain` of what does not run; a second `start` is a defect.
 */
export class KeyedConsumer implements Service, Workload {
  readonly name: string;
  readonly #options: KeyedConsumerOptions;
  readonly #ports: ConsumerPorts;
  readonly #lanes = new Map<string, KeyLane>();
  readonly #ready: KeyLane[] = [];
  /** By lane with a permit of its Workspace: how it is released. */
  readonly #turns = new Map<KeyLane, () => void>();
  readonly #partitions = new Map<string, OwnedPartition>();
  /** Null: no record waits for others. */
  readonly #gathered: GatheredKeys | null;
  /** Lanes whose records wait for others, each with a timer. */
  readonly #gathering = new Set<KeyLane>();
  readonly #suspectLock: SuspectLock;
  /** Aborted when nothing new may begin any more. */
  readonly #ending = new AbortController();
  #running = 0;
  /** Lanes that have begun a batch and not ended it, also while they rest between two tries. */
  readonly #runningLanes = new Set<KeyLane>();
  /** Lanes that wait for a turn of their Workspace. */
  #waitForTurns = 0;
  /** Lanes that wait before they try again, by whether they gave their slot away meanwhile. */
  #resting = { inSlot: 0, without: 0 };
  readonly #waking: (() => void)[] = [];
  /** A timer for the next look at the wishes is set, or such a look is under way. */
  #watchesWishes = false;
  #trouble: string | null = null;
  #mode: Mode = 'new';
  #subscription: Subscription | null = null;
  #onIdle: (() => void)[] = [];

  constructor(options: KeyedConsumerOptions, ports: ConsumerPorts) {
    assert(options.pipelined !== true || options.maxBatch === 1, 'a pipelined consumer handles records one by one');
    this.name = options.name;
    this.#options = options;
    this.#ports = ports;
    this.#gathered = options.gathering === undefined ? null : new GatheredKeys(ports.clock, options.gathering);
    this.#suspectLock = ports.suspectLock ?? new SuspectLock(ports.clock);
  }

  async start(): Promise<void> {
    this.#enter('running');
    this.#subscription = await this.#ports.log.subscribe({
      group: this.#options.group,
      topics: this.#options.topics,
      reads: this.#options.reads ?? 'durable',
      onAssigned: (partitions) => this.#assign(partitions),
      onRevoked: (partitions) => this.#revoke(partitions),
      onRecords: (source, records) => this.#take(source, records),
    });
    if (this.#stopped) return this.#subscription.close();
  }

  async drain(): Promise<void> {
    if (this.#mode !== 'running') return;
    this.#enter('draining');
    this.#ending.abort();
    for (const lane of this.#ready) this.#endTurn(lane);
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.#release();
    await this.#subscription?.close();
  }

  async stop(): Promise<void> {
    const subscription = this.#mode === 'stopped' ? null : this.#subscription;
    this.#enter('stopped');
    this.#ending.abort();
    for (const partition of this.#partitions.values()) partition.lose();
    this.#lanes.clear();
    this.#ready.length = 0;
    this.#runReady();
    if (subscription !== null) await this.#release();
    await subscription?.close();
  }

  /** Before the partitions get another owner, which would take this one for an owner that vanished. */
  async #release(): Promise<void> {
    await Promise.all([...this.#partitions.values()].map((partition) => partition.marks.release()));
  }

  #enter(mode: Mode): void {
    this.#mode = transition(this.name, TRANSITIONS, this.#mode, mode);
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

  membership(): GroupMembership | null {
    return this.#subscription?.membership() ?? null;
  }

  /** Partitions that this process owns as far as it knows, for reports. */
  owned(): readonly TopicPartition[] {
    return [...this.#partitions.values()].map((partition) => partition.source);
  }

  /** Records taken and not yet done. */
  waiting(): number {
    let sum = 0;
    for (const partition of this.#partitions.values()) sum += partition.waiting;
    return sum;
  }

  behind(): Backlog {
    const oldest = [...this.#partitions.values()].map((partition) => partition.oldestAt() ?? Infinity);
    const oldestAt = Math.min(...oldest, Infinity);
    let taken = 0;
    for (const partition of this.#partitions.values()) taken += partition.unacknowledged;
    return {
      records: taken + (this.#subscription?.undelivered() ?? 0),
      oldestAt: Number.isFinite(oldestAt) ? oldestAt : null,
    };
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
      const partition = new OwnedPartition(source, this.#options, this.#ports);
      this.#partitions.set(nameOf(source), partition);
      void this.#open(partition);
    }
    this.#resize();
    this.#options.onAssigned?.(partitions);
  }

  #resize(): void {
    this.#options.turns?.pool.resize(this.#slots);
  }

  #revoke(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) {
      const partition = this.#partitions.get(nameOf(source));
      partition?.lose();
      void partition?.marks.release();
      this.#partitions.delete(nameOf(source));
      for (const [id, lane] of this.#lanes) if (lane.partition === partition) this.#lanes.delete(id);
    }
    this.#resize();
    this.#options.onRevoked?.(partitions);
  }

  /**
   * No record of the partition may run before its parked keys are known, or one could overtake those that are held
   * back; nor before its suspects are.
   */
  async #open(partition: OwnedPartition): Promise<void> {
    const flags = await this.#loadParked(partition);
    if (flags === null || !partition.owned) return;
    for (const flag of flags) this.#laneOf(partition, flag.key).holdBack(flag);
    partition.open();
    for (const lane of this.#lanes.values()) if (lane.partition === partition) this.#schedule(lane);
    this.#watchWishes();
  }

  /** Its parked keys, with its handling marks loaded; null: the partition was lost before the store answered. */
  async #loadParked(partition: OwnedPartition): Promise<readonly ParkedKey[] | null> {
    const { topic, partition: number } = partition.source;
    const { store, clock, reporter } = this.#ports;
    const load = async (): Promise<readonly ParkedKey[]> => {
      const [flags] = await Promise.all([listParkedKeys(store, topic, number), partition.marks.load()]);
      return flags;
    };
    const report = (error: unknown): void =>
      reporter.failure('parked-keys-read-failed', error, { consumer: this.name, topic, partition: number });
    try {
      const mayRetry = (): boolean => partition.owned;
      return await retryWhileUnavailable(load, {
        clock,
        report,
        mayRetry,
        // Without them nothing of the partition can run, so even a defect is tried again.
        passes: () => true,
        backoff: PARKED_KEYS_BACKOFF,
      });
    } catch (error) {
      if (partition.owned) throw error;
      return null;
    }
  }

  #take(source: TopicPartition, records: readonly StoredRecord[]): void {
    const partition = this.#partitions.get(nameOf(source));
    if (partition === undefined || this.#mode !== 'running') return;
    const touched = new Set<KeyLane>();
    for (const record of records) {
      if (!partition.begin(record)) continue;
      const lane = this.#laneOf(partition, record.key);
      lane.push(record);
      touched.add(lane);
    }
    if (partition.mustPause()) this.#subscription?.pause([source]);
    for (const lane of touched) this.#schedule(lane);
  }

  #laneOf(partition: OwnedPartition, key: string): KeyLane {
    const id = laneId(partition, key);
    const known = this.#lanes.get(id);
    if (known !== undefined && known.partition === partition) return known;
    const rest = (milliseconds: number): Promise<void> => this.#rest(lane, milliseconds);
    const turn: KeyLaneOptions['turn'] = (suspect) =>
      this.#aside(lane, this.#suspectLock.enter(suspect, AbortSignal.any([this.#ending.signal, partition.lost])));
    const isDurable: KeyLaneOptions['isDurable'] = async (offset) =>
      (await this.#subscription?.isDurable(partition.source, offset)) ?? false;
    const mayBegin: KeyLaneOptions['mayBegin'] = (when) =>
      this.#mode === 'running' && (when === 'in_turn' || this.#mayBeginAhead);
    const options = { ...this.#options, rest, turn, isDurable, mayBegin };
    const lane: KeyLane = new KeyLane(key, partition, options, this.#ports);
    this.#lanes.set(id, lane);
    return lane;
  }

  #schedule(lane: KeyLane): void {
    if (!lane.isReady || this.#waitsForOthers(lane)) return;
    lane.queue();
    lane.queuedAt = this.#ports.clock.monotonic();
    if (this.#options.turns === undefined) return this.#makeReady(lane);
    void this.#takeTurn(lane, this.#options.turns).then(() => this.#makeReady(lane));
  }

  /** The lane is scheduled again once its records have waited, or when one comes that may not wait. */
  #waitsForOthers(lane: KeyLane): boolean {
    const waitMs = this.#gathered?.waitMs(lane.key) ?? 0;
    if (waitMs === 0 || lane.isFull || !lane.isGathered) return false;
    if (this.#gathering.has(lane)) return true;
    this.#gathering.add(lane);
    this.#ports.clock.after(waitMs, () => {
      this.#gathering.delete(lane);
      this.#schedule(lane);
    });
    return true;
  }

  #makeReady(lane: KeyLane): void {
    // Nothing begins any more, and what has begun may wait for its next turn.
    if (this.#mode !== 'running') return this.#endTurn(lane);
    this.#ready.push(lane);
    this.#runReady();
  }

  /** Never rejects. A lane keeps its permit for as long as it keeps a slot. */
  async #takeTurn(lane: KeyLane, { pool, workspaceOf }: WorkspaceTurns): Promise<void> {
    const holders = { workspace: await lane.workspaceBy(workspaceOf) };
    const quick = pool.tryAcquire(holders);
    if (!quick.granted) this.#waitForTurns++;
    const permit = quick.granted ? quick : await pool.acquire(holders);
    if (!quick.granted) this.#waitForTurns--;
    assert(permit.granted, 'a wait for a turn ended without one');
    this.#turns.set(lane, permit.release);
  }

  #endTurn(lane: KeyLane): void {
    this.#turns.get(lane)?.();
    this.#turns.delete(lane);
  }

  /**
   * Keys that are refused again and again must not starve the others: lanes that wait keep at most half of the slots.
   * Not fewer, because while an engine is away all keys are refused, and the slots are what bounds how often it is
   * asked.
   */
  async #rest(lane: KeyLane, milliseconds: number): Promise<void> {
    const keeps = this.#resting.inSlot < Math.floor(this.#slots / 2);
    if (keeps) {
      this.#resting.inSlot++;
      await this.#ports.clock.sleep(milliseconds);
      this.#resting.inSlot--;
      return;
    }
    await this.#aside(lane, this.#ports.clock.sleep(milliseconds));
  }

  /** Waits without a slot. */
  async #aside<T>(lane: KeyLane, wait: Promise<T>): Promise<T> {
    const { turns } = this.#options;
    this.#resting.without++;
    this.#running--;
    this.#endTurn(lane);
    this.#runReady();
    const result = await wait;
    // While draining, what has begun goes on before anything else, and no further lane begins.
    if (turns !== undefined && this.#mode === 'running') await this.#takeTurn(lane, turns);
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

  /**
   * A record that is begun ahead counts as one in a slot of its own, and takes only a slot that no other key wants: its
   * lane goes on with it and does not give its own slot back in between.
   */
  get #mayBeginAhead(): boolean {
    if (this.#options.pipelined !== true || this.#waitForTurns > 0) return false;
    let begun = 0;
    for (const lane of this.#runningLanes) if (lane.hasBegunAhead) begun++;
    return this.#running + begun < this.#slots;
  }

  #runReady(): void {
    // A lane that has begun goes on before a further one begins, also while draining.
    while (this.#waking.length > 0 && (this.#running < this.#slots || this.#stopped)) {
      this.#running++;
      this.#waking.shift()!();
    }
    while (this.#mode === 'running' && this.#running < this.#slots && this.#ready.length > 0) {
      const lane = this.#ready.shift()!;
      if (!lane.partition.owned) {
        this.#endTurn(lane);
        continue;
      }
      const waitMs = this.#ports.clock.monotonic() - lane.queuedAt;
      if (waitMs >= LEAST_WAIT_MS) this.#options.onWaited?.(waitMs);
      void this.#run(lane);
    }
  }

  async #run(lane: KeyLane): Promise<void> {
    lane.begin();
    this.#running++;
    this.#runningLanes.add(lane);
    const isGathered = lane.isGathered;
    try {
      const about = { work: this.name, workspaceId: null, key: lane.key };
      do this.#finish(lane.partition, await workingOn(about, () => lane.runBatch()));
      while (this.#goesOn(lane));
      lane.end();
    } catch (error) {
      // Of a lost partition the store and the log may refuse anything: its records run elsewhere.
      if (lane.partition.owned) this.#breakLane(lane, error);
      else lane.end();
    }
    this.#running--;
    this.#runningLanes.delete(lane);
    this.#endTurn(lane);
    if (isGathered) this.#gathered?.ended(lane.key);
    // This batch may have parked the lane's key.
    if (lane.heldBack) this.#watchWishes();
    if (lane.hasWork) this.#schedule(lane);
    else if (!lane.heldBack && !lane.broken) this.#forget(lane);
    this.#runReady();
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * Whether the lane goes on with the record that it began ahead. While draining only if that record got its turn, and
   * so may have done anything: a record that still waits for its turn is left to the next owner.
   */
  #goesOn({ hasBegunAhead, isHandedOver, partition }: KeyLane): boolean {
    return hasBegunAhead && partition.owned && (this.#mode === 'running' || isHandedOver);
  }

  /**
   * A lane turns every failure it knows into an outcome. This one is a defect of ours: the lane's records stay
   * unacknowledged, so that a new owner gets them again, and health turns red.
   */
  #breakLane(lane: KeyLane, error: unknown): void {
    lane.fail();
    this.#trouble = `${this.name}: ${String(error)}`;
    this.#ports.reporter.failure('key-lane-failed', error, {
      consumer: this.name,
      topic: lane.partition.source.topic,
      key: lane.key,
    });
  }

  #forget(lane: KeyLane): void {
    const id = laneId(lane.partition, lane.key);
    if (this.#lanes.get(id) === lane) this.#lanes.delete(id);
  }

  #finish(partition: OwnedPartition, offsets: readonly number[]): void {
    if (!partition.owned || this.#mode === 'stopped') return;
    const upTo = partition.finish(offsets);
    if (upTo !== null) this.#subscription?.ack(partition.source, upTo);
    if (partition.mayResume()) this.#subscription?.resume([partition.source]);
  }

  /**
   * Reads the wishes for as long as a key is held back. Without one nothing is read and no timer is set: a process has
   * many consumers, and next to never a parked key.
   */
  #watchWishes(): void {
    if (this.#watchesWishes || this.#mode !== 'running' || this.heldBack() === 0) return;
    this.#watchesWishes = true;
    this.#ports.clock.after(WISH_POLL_MS, () => {
      void this.#lookForWishes().finally(() => {
        this.#watchesWishes = false;
        this.#watchWishes();
      });
    });
  }

  async #lookForWishes(): Promise<void> {
    if (this.#mode !== 'running') return;
    const partitions = new Set([...this.#lanes.values()].filter((lane) => lane.heldBack).map((lane) => lane.partition));
    for (const partition of partitions) {
      try {
        for (const flag of await listParkedKeys(
          this.#ports.store,
          partition.source.topic,
          partition.source.partition,
        )) {
          if (!partition.owned) break;
          const lane = this.#laneOf(partition, flag.key);
          lane.holdBack(flag);
          this.#schedule(lane);
        }
      } catch (error) {
        this.#ports.reporter.failure('parked-keys-read-failed', error, {
          consumer: this.name,
          topic: partition.source.topic,
        });
      }
    }
  }
}

/** Another program may place a key in another partition than we do; then it has a lane, and may be parked, in each. */
function laneId({ source }: OwnedPartition, key: string): string {
  return `${nameOf(source)} ${key}`;
}

function nameOf(source: TopicPartition): string {
  return `${source.topic}/${source.partition}`;
}
