import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import {
  partitionsOf,
  placeRecords,
  type AppendOptions,
  type GroupProgress,
  type GroupReading,
  type Log,
  type LogRecord,
  type Position,
  type Readiness,
  type StoredRecord,
  type Subscriber,
  type TopicPartition,
} from '#ports/log.ts';
import type { TopicRecords } from '#ports/table-store.ts';
import type { Topic } from '#tables/declarations/topics.ts';
import { ConsumerGroup } from '../in-process/consumer-group.ts';
import { groupProgress } from '../in-process/group-progress.ts';
import type { GroupStorage, Schedule } from '../in-process/group-options.ts';
import type { GroupMember } from '../in-process/group-member.ts';
import { sourceKey } from '../in-process/source-key.ts';
import type { AppendFault, MemoryLogHooks } from './append-fault.ts';

export interface MemoryLogOptions {
  readonly topics: readonly Topic[];
  /**
   * Gives records their timestamps and times the deadlines. Without it records are stamped with the order of their
   * arrival, and deadlines are ignored.
   */
  readonly clock?: Clock;
  readonly hooks?: MemoryLogHooks;
  /**
   * `at_once`, the default: appends are durable as soon as they can be read, as Kafka's are. `later`: at first only who
   * reads what is appended has them; they are durable a scheduled step later, and a crash of their client takes back
   * those that are not.
   */
  readonly syncs?: 'at_once' | 'later';
  /** The most records delivered in one call. Default: 500. */
  readonly batchRecords?: number;
}

/** The records, acknowledgements and groups that all clients share. */
export class MemoryBroker implements GroupStorage {
  readonly schedule: Schedule;
  readonly clock: Clock | undefined;
  readonly groups = new Map<string, ConsumerGroup>();
  readonly clients = new Map<string, MemoryClient>();
  readonly queuedFaults: { readonly topic: string | undefined; readonly fault: AppendFault }[] = [];
  readonly #options: MemoryLogOptions;
  readonly #topics: ReadonlyMap<string, Topic>;
  readonly #records = new Map<string, StoredRecord[]>();
  #behind: { readonly before: Set<Unsynced>; readonly resolve: (isAllDurable: boolean) => void }[] = [];
  readonly #acknowledged = new Map<string, number>();
  readonly #nextOffsets = new Map<string, number>();
  /** What was appended and is not durable yet, oldest first. */
  #unsynced: Unsynced[] = [];
  #waiting: { readonly source: TopicPartition; readonly offset: number; readonly resolve: () => void }[] = [];
  #arrivals = 0;

  constructor(options: MemoryLogOptions) {
    this.#options = options;
    this.#topics = new Map(options.topics.map((topic) => [topic.name, topic]));
    this.clock = options.clock;
    this.schedule = options.hooks?.schedule ?? ((_label, run) => void setImmediate(run));
  }

  client(name: string): MemoryClient {
    const present = this.clients.get(name);
    if (present?.mode === 'open') return present;
    const client = new MemoryClient(this, name);
    this.clients.set(name, client);
    return client;
  }

  partitionsOf(topic: string): number {
    return partitionsOf(this.#topics, topic);
  }

  group(name: string): ConsumerGroup {
    const present = this.groups.get(name);
    if (present) return present;
    const group = new ConsumerGroup({
      name,
      storage: this,
      schedule: this.schedule,
      partitionsOf: (topic) => this.partitionsOf(topic),
      batchRecords: this.#options.batchRecords ?? 500,
    });
    this.groups.set(name, group);
    return group;
  }

  faultFor(client: string, topic: string, records: readonly LogRecord[]): AppendFault | undefined {
    const at = this.queuedFaults.findIndex((queued) => queued.topic === undefined || queued.topic === topic);
    if (at !== -1) return this.queuedFaults.splice(at, 1)[0]?.fault;
    return this.#options.hooks?.appendFault?.(client, topic, records);
  }

  get syncsLater(): boolean {
    return this.#options.syncs === 'later';
  }

  /** Gives the records their offsets; who reads what is appended may have them from now on. */
  append(client: string, { topic, placement, records }: PlacedAppend, isStored: boolean): Unsynced {
    const appended = this.#placed({ topic, placement, records });
    return this.#hold({ client, isStored, records: appended });
  }

  /** As `append`, of several topics and in one atom with rows, which `within` takes back. */
  appendWithin(client: string, appends: readonly PlacedAppend[], isStored: boolean, within: WithinAtom): Unsynced {
    return this.#hold({ client, isStored, records: appends.flatMap((each) => this.#placed(each)), within });
  }

  #hold(unsynced: Unsynced): Unsynced {
    this.#unsynced.push(unsynced);
    if (this.syncsLater) this.#wake(unsynced.records, 'appended');
    return unsynced;
  }

  #placed({ topic, placement, records }: PlacedAppend): readonly StoredRecord[] {
    const timestamp = this.clock?.now() ?? this.#arrivals++;
    return records.map((record, index): StoredRecord => {
      const partition = placement[index] ?? 0;
      const name = sourceKey({ topic, partition });
      const offset = this.#nextOffsets.get(name) ?? 0;
      this.#nextOffsets.set(name, offset + 1);
      const { key, value, headers } = record;
      return { topic, partition, offset, key, value, ...(headers && { headers }), timestamp };
    });
  }

  /** Makes durable what was appended until then, it included, but for what will not be stored. */
  sync(last: Unsynced): readonly Position[] {
    const before = this.#unsynced.slice(0, this.#unsynced.indexOf(last) + 1).filter(({ isStored }) => isStored);
    this.#unsynced = this.#unsynced.filter((each) => !before.includes(each));
    const synced = before.flatMap(({ records }) => records);
    for (const record of synced) this.records(record).push(record);
    this.#wake(synced, 'durable');
    for (const { within } of before) within?.stored();
    this.#settle();
    return last.records.map(({ partition, offset }) => ({ partition, offset }));
  }

  /** Of one append, or what a client had appended when it crashed. */
  takeBack(isLost: (appended: Unsynced) => boolean): void {
    const lost = this.#unsynced.filter(isLost);
    for (const { within } of lost.toReversed()) within?.undo();
    this.#unsynced = this.#unsynced.filter((each) => !lost.includes(each));
    const isStillBehind = ({ before }: { readonly before: ReadonlySet<Unsynced> }): boolean =>
      lost.every((each) => !before.has(each));
    for (const each of this.#behind) if (!isStillBehind(each)) each.resolve(false);
    this.#behind = this.#behind.filter(isStillBehind);
    for (const { records } of lost)
      for (const { topic, partition, offset } of records)
        for (const group of this.groups.values()) group.takeBack({ topic, partition }, offset);
    for (const { client, within } of lost) if (this.clients.get(client)?.mode !== 'crashed') within?.takenBack();
    this.#settle();
  }

  /**
   * Resolves once no rows are left that were written in one atom with appends and may be taken back; null: none are.
   */
  behindAtoms(): Promise<unknown> | null {
    const last = this.#unsynced.findLast(({ within }) => within !== undefined);
    if (last === undefined) return null;
    const before = new Set([last]);
    return new Promise((resolve) => void this.#behind.push({ before, resolve }));
  }

  /**
   * For a store that is one with the log, as SQLite's is: resolves once everything that was appended until now is
   * durable or was taken back, with whether nothing was. Null: all of it is durable.
   */
  behindAppends(): Promise<boolean> | null {
    const before = new Set(this.#unsynced);
    if (before.size === 0) return null;
    return new Promise((resolve) => void this.#behind.push({ before, resolve }));
  }

  settling(source: TopicPartition, offset: number): Promise<void> | null {
    if (this.#isSettled(source, offset)) return null;
    return new Promise((resolve) => void this.#waiting.push({ source, offset, resolve }));
  }

  #settle(): void {
    this.#behind = this.#behind.filter(({ before, resolve }) => {
      if (this.#unsynced.some((each) => before.has(each))) return true;
      resolve(true);
      return false;
    });
    this.#waiting = this.#waiting.filter(({ source, offset, resolve }) => {
      if (!this.#isSettled(source, offset)) return true;
      resolve();
      return false;
    });
  }

  #isSettled(source: TopicPartition, offset: number): boolean {
    return this.#unsyncedOf(source).every((record) => record.offset > offset);
  }

  #unsyncedOf({ topic, partition }: TopicPartition): readonly StoredRecord[] {
    return this.#unsynced
      .flatMap(({ records }) => records)
      .filter((record) => record.topic === topic && record.partition === partition);
  }

  #wake(records: readonly StoredRecord[], reads: Readiness): void {
    const sources = new Map(
      records.map(({ topic, partition }) => [sourceKey({ topic, partition }), { topic, partition }]),
    );
    for (const source of sources.values()) for (const group of this.groups.values()) group.wake(source, reads);
  }

  /** Those that are durable. */
  records(source: TopicPartition): StoredRecord[] {
    const key = sourceKey(source);
    const present = this.#records.get(key);
    if (present) return present;
    const made: StoredRecord[] = [];
    this.#records.set(key, made);
    return made;
  }

  read(source: TopicPartition, from: number, limit: number, reads: Readiness): readonly StoredRecord[] {
    const durable = this.records(source);
    // Offsets that were taken back leave gaps, so a record is never further back than its offset.
    let at = Math.min(from, durable.length);
    while (at > 0 && durable[at - 1]!.offset >= from) at--;
    if (at < durable.length || reads === 'durable') return durable.slice(at, at + limit);
    return this.#unsyncedOf(source)
      .filter(({ offset }) => offset >= from)
      .slice(0, limit);
  }

  end(source: TopicPartition): number {
    return (this.records(source).at(-1)?.offset ?? -1) + 1;
  }

  next(group: string, source: TopicPartition): number {
    return this.#acknowledged.get(`${group} ${sourceKey(source)}`) ?? 0;
  }

  /**
   * Puts records and acknowledgements back as they are now. No client may be open then. Atoms with rows are settled
   * before, so that a backup of the rows at the same moment has the same.
   */
  backup(): () => void {
    this.takeBack(({ isStored, within }) => !isStored && within !== undefined);
    const atom = this.#unsynced.findLast(({ within }) => within !== undefined);
    if (atom !== undefined) this.sync(atom);
    const records = [...this.#records].map(([key, stored]) => [key, [...stored]] as const);
    const acknowledged = [...this.#acknowledged];
    return () => {
      this.groups.clear();
      this.#unsynced = [];
      this.#behind = [];
      this.#records.clear();
      for (const [key, stored] of records) this.#records.set(key, [...stored]);
      this.#acknowledged.clear();
      for (const [key, next] of acknowledged) this.#acknowledged.set(key, next);
    };
  }

  commit(group: string, source: TopicPartition, next: number): void {
    this.#acknowledged.set(`${group} ${sourceKey(source)}`, next);
  }
}

/** What hears of an append that is in one atom with rows. */
interface WithinAtom {
  undo(): void;
  stored(): void;
  /** After all who had the records heard of it. */
  takenBack(): void;
}

/** One append whose records have their offsets. */
interface Unsynced {
  readonly client: string;
  /** False: it will be taken back. */
  readonly isStored: boolean;
  readonly records: readonly StoredRecord[];
  readonly within?: WithinAtom;
}

interface PlacedAppend {
  readonly topic: string;
  readonly placement: readonly number[];
  readonly records: readonly LogRecord[];
}

interface PendingAppend extends PlacedAppend {
  /** Stored once already, so no further fault is applied to it. */
  readonly retried: boolean;
  readonly resolve: (positions: readonly Position[]) => void;
  readonly reject: (error: PortError) => void;
}

/**
 * One process's view of the log.
 *
 * Modes: open -> closed (subscriptions left their groups; calls reject) or crashed (callbacks stop; pending calls never
 * settle, because the process that waits for them is gone; appends that were not yet stored never are).
 */
export class MemoryClient implements Log {
  mode: 'open' | 'closed' | 'crashed' = 'open';
  readonly name: string;
  members: readonly GroupMember[] = [];
  readonly #broker: MemoryBroker;
  /**
   * In order of calling. Each scheduled step stores the first one, so that no schedule can reorder the appends of one
   * caller.
   */
  readonly #appends: PendingAppend[] = [];

  constructor(broker: MemoryBroker, name: string) {
    this.#broker = broker;
    this.name = name;
  }

  async append(topic: string, records: readonly LogRecord[], options?: AppendOptions): Promise<readonly Position[]> {
    if (this.mode === 'crashed') return new Promise(() => {});
    this.#assertOpen();
    const placement = placeRecords(topic, this.#broker.partitionsOf(topic), records);
    if (records.length === 0) return [];
    return new Promise((resolve, reject) => {
      const deadlineMs = options?.deadlineMs;
      const cancel =
        deadlineMs === undefined
          ? undefined
          : this.#broker.clock?.after(deadlineMs, () =>
              reject(new PortError('unknown', `no answer from ${topic} within ${deadlineMs} ms`)),
            );
      this.#appends.push({
        retried: false,
        topic,
        placement,
        records: records.map((record) => ({ ...record, value: Uint8Array.from(record.value) })),
        resolve: (positions) => (cancel?.(), resolve(positions)),
        reject: (error) => (cancel?.(), reject(error)),
      });
      this.#broker.schedule(`append ${this.name} ${topic}`, () => this.#storeFirst());
    });
  }

  /**
   * For a store that is one with the log. Of the faults only `full` befalls it: what is not answered is the store's to
   * say.
   */
  appendWithin(appends: readonly TopicRecords[], undo: () => void): Promise<void> {
    const broker = this.#broker;
    const placed = appends.map(({ topic, records }) => ({
      topic,
      placement: placeRecords(topic, broker.partitionsOf(topic), records),
      records: records.map((record) => ({ ...record, value: Uint8Array.from(record.value) })),
    }));
    const faults = placed.map(({ topic, records }) => broker.faultFor(this.name, topic, records));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const appended = broker.appendWithin(this.name, placed, !faults.includes('full'), {
      undo,
      stored: resolve,
      takenBack: () => reject(new PortError('unavailable', 'what was written with an append was taken back')),
    });
    // A write in flight may land after its process is gone; what a crash took back is not there any more.
    const end = (): void => {
      if (appended.isStored) broker.sync(appended);
      else broker.takeBack((each) => each === appended);
    };
    if (broker.syncsLater) broker.schedule(`append ${this.name} an atom is durable`, end);
    else end();
    // Its caller may hear of something else first.
    promise.catch(() => {});
    return promise;
  }

  async subscribe(subscriber: Subscriber): Promise<GroupMember> {
    if (this.mode === 'crashed') return new Promise(() => {});
    this.#assertOpen();
    for (const topic of subscriber.topics) this.#broker.partitionsOf(topic);
    const member = this.#broker.group(subscriber.group).join(subscriber, this.name);
    this.members = [...this.members.filter(({ mode }) => mode === 'joined'), member];
    return member;
  }

  async progress(readings: readonly GroupReading[]): Promise<readonly GroupProgress[]> {
    this.#assertOpen();
    const { groups } = this.#broker;
    return groupProgress(readings, {
      storage: this.#broker,
      groups,
      partitionsOf: (topic) => this.#broker.partitionsOf(topic),
    });
  }

  partitions(topic: string): number {
    return this.#broker.partitionsOf(topic);
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    if (this.mode !== 'open') return;
    this.mode = 'closed';
    await Promise.all(this.members.map((member) => member.close()));
    for (const pending of this.#appends.splice(0)) pending.reject(new PortError('unavailable', 'the log was closed'));
  }

  crash(): void {
    if (this.mode !== 'open') return;
    this.mode = 'crashed';
    this.#appends.length = 0;
    for (const member of this.members) member.crash();
    this.#broker.takeBack(({ client }) => client === this.name);
  }

  #storeFirst(): void {
    const pending = this.#appends.shift();
    if (!pending) return;
    const { topic, records } = pending;
    const fault = pending.retried ? undefined : this.#broker.faultFor(this.name, topic, records);
    const refusal = refusalOf(topic, fault);
    if (!this.#broker.syncsLater) {
      if (refusal !== null) return this.#answer(topic, () => pending.reject(refusal));
      return this.#sync(pending, this.#broker.append(this.name, pending, true), fault);
    }
    const appended = this.#broker.append(this.name, pending, refusal === null);
    this.#broker.schedule(`sync ${this.name} ${topic}`, () => {
      if (this.mode === 'crashed') return;
      if (refusal === null) return this.#sync(pending, appended, fault);
      this.#broker.takeBack((each) => each === appended);
      this.#answer(topic, () => pending.reject(refusal));
    });
  }

  #sync(pending: PendingAppend, appended: Unsynced, fault: AppendFault | undefined): void {
    const { topic } = pending;
    const positions = this.#broker.sync(appended);
    if (fault === 'ack-lost') {
      return this.#answer(topic, () =>
        pending.reject(new PortError('unknown', `${topic}: the acknowledgement was lost`)),
      );
    }
    if (fault !== 'twice') return this.#answer(topic, () => pending.resolve(positions));
    // The retry precedes this client's later appends, as a producer's would, and follows the appends of other clients
    // that were stored meanwhile.
    this.#appends.unshift({ ...pending, retried: true });
    this.#broker.schedule(`append ${this.name} ${topic}`, () => this.#storeFirst());
  }

  #answer(topic: string, settle: () => void): void {
    this.#broker.schedule(`answer ${this.name} ${topic}`, () => {
      if (this.mode !== 'crashed') settle();
    });
  }

  #assertOpen(): void {
    if (this.mode !== 'open') throw new PortError('unavailable', 'the log is closed');
  }
}

/** With what an append rejects that is not stored; null: it is. */
function refusalOf(topic: string, fault: AppendFault | undefined): PortError | null {
  if (fault === 'lost') return new PortError('unknown', `${topic}: the append was lost`);
  return fault === 'full' ? new PortError('unavailable', `${topic}: there is no room`) : null;
}
