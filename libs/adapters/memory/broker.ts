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
  type StoredRecord,
  type Subscriber,
  type TopicPartition,
} from '#ports/log.ts';
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
  readonly #acknowledged = new Map<string, number>();
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

  store(topic: string, placement: readonly number[], records: readonly LogRecord[]): readonly Position[] {
    const timestamp = this.clock?.now() ?? this.#arrivals++;
    const positions = records.map((record, index) => {
      const partition = placement[index] ?? 0;
      const stored = this.records({ topic, partition });
      const offset = stored.length;
      const { key, value, headers } = record;
      stored.push({ topic, partition, offset, key, value, ...(headers && { headers }), timestamp });
      return { partition, offset };
    });
    for (const partition of new Set(placement)) {
      for (const group of this.groups.values()) group.wake({ topic, partition });
    }
    return positions;
  }

  records(source: TopicPartition): StoredRecord[] {
    const key = sourceKey(source);
    const present = this.#records.get(key);
    if (present) return present;
    const made: StoredRecord[] = [];
    this.#records.set(key, made);
    return made;
  }

  read(source: TopicPartition, from: number, limit: number): readonly StoredRecord[] {
    return this.records(source).slice(from, from + limit);
  }

  end(source: TopicPartition): number {
    return this.records(source).length;
  }

  next(group: string, source: TopicPartition): number {
    return this.#acknowledged.get(`${group} ${sourceKey(source)}`) ?? 0;
  }

  /** Puts records and acknowledgements back as they are now. No client may be open then. */
  backup(): () => void {
    const records = [...this.#records].map(([key, stored]) => [key, [...stored]] as const);
    const acknowledged = [...this.#acknowledged];
    return () => {
      this.groups.clear();
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

interface PendingAppend {
  /** Stored once already, so no further fault is applied to it. */
  readonly retried: boolean;
  readonly topic: string;
  readonly placement: readonly number[];
  readonly records: readonly LogRecord[];
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
  }

  #storeFirst(): void {
    const pending = this.#appends.shift();
    if (!pending) return;
    const { topic, placement, records } = pending;
    const fault = pending.retried ? undefined : this.#broker.faultFor(this.name, topic, records);
    if (fault === 'lost')
      return this.#answer(topic, () => pending.reject(new PortError('unknown', `${topic}: the append was lost`)));
    const positions = this.#broker.store(topic, placement, records);
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
