import assert from 'node:assert/strict';
import type { GroupMembership, Readiness, Subscriber, Subscription, TopicPartition } from '#ports/log.ts';
import type { GroupOptions } from './group-options.ts';
import { sourceKey } from './source-key.ts';

/** What a member needs of its group: `ConsumerGroup`. */
export interface GroupOfMembers {
  readonly options: GroupOptions;
  /** Removes the member without a callback; its partitions go to the others. */
  remove(member: GroupMember): void;
  /** Whether no later term was given out for the holding's partition. */
  isCurrent(holding: Holding): boolean;
}

/** A partition that a member takes for its own, and how far its records have been delivered. */
export interface Holding {
  readonly member: GroupMember;
  readonly source: TopicPartition;
  readonly term: number;
  /** Offset of the next record to deliver. */
  next: number;
  /** Paused by the subscriber. */
  paused: boolean;
  /** Held back by a test, to delay deliveries. */
  held: boolean;
  /** A delivery is already scheduled. */
  scheduled: boolean;
}

/**
 * One member of a group; what `Log.subscribe` returns.
 *
 * Modes: joined -> closed (left the group: acknowledgements are durable) or crashed (gone without notice:
 * acknowledgements that were not durable are lost). Nothing is delivered in closed or crashed, and neither has a way
 * out.
 */
export class GroupMember implements Subscription {
  mode: 'joined' | 'closed' | 'crashed' = 'joined';
  readonly subscriber: Subscriber;
  readonly client: string;
  readonly holdings = new Map<string, Holding>();
  readonly #group: GroupOfMembers;
  readonly #acknowledged = new Map<Holding, number>();
  #flushScheduled = false;

  constructor(group: GroupOfMembers, subscriber: Subscriber, client: string) {
    this.#group = group;
    this.subscriber = subscriber;
    this.client = client;
  }

  ack(source: TopicPartition, offset: number): void {
    const holding = this.holdings.get(sourceKey(source));
    if (this.mode !== 'joined' || !holding) return;
    const { storage } = this.#group.options;
    assert(
      offset < storage.end(source),
      `offset ${offset} of ${sourceKey(source)} is acknowledged before it is durable`,
    );
    if (offset <= (this.#acknowledged.get(holding) ?? -1)) return;
    this.#acknowledged.set(holding, offset);
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    this.#group.options.schedule(`commit ${this.#group.options.name} ${this.client}`, () => this.flush());
  }

  async isDurable(source: TopicPartition, offset: number): Promise<boolean> {
    const { name, schedule, storage } = this.#group.options;
    const holding = this.holdings.get(sourceKey(source));
    const settling = holding === undefined ? null : storage.settling(source, offset);
    if (settling !== null) {
      await settling;
      await new Promise<void>((resolve) => schedule(`settled ${name} ${this.client}`, resolve));
    }
    return this.mode === 'joined' && holding !== undefined && this.holdings.get(sourceKey(source)) === holding;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) this.#setPaused(source, true);
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const source of partitions) this.#setPaused(source, false);
  }

  /** The group is in this process, so its members never wait for it. */
  membership(): GroupMembership {
    return { state: this.mode === 'joined' ? 'joined' : 'away', detail: null, idleMs: 0 };
  }

  undelivered(): number {
    const { storage } = this.#group.options;
    let sum = 0;
    for (const { source, next } of this.holdings.values()) sum += Math.max(0, storage.end(source) - next);
    return sum;
  }

  async close(): Promise<void> {
    if (this.mode !== 'joined') return;
    this.flush();
    this.mode = 'closed';
    this.#group.remove(this);
  }

  crash(): void {
    if (this.mode !== 'joined') return;
    this.mode = 'crashed';
    this.#acknowledged.clear();
    this.#group.remove(this);
  }

  get reads(): Readiness {
    return this.subscriber.reads ?? 'durable';
  }

  /** Writes acknowledgements to the storage. */
  flush(): void {
    this.#flushScheduled = false;
    if (this.mode !== 'joined') return;
    const { name, storage } = this.#group.options;
    for (const [holding, offset] of this.#acknowledged) {
      // Only forward: a former owner that is still working may acknowledge a redelivered record late.
      if (!this.#group.isCurrent(holding) || offset < storage.next(name, holding.source)) continue;
      storage.commit(name, holding.source, offset + 1);
    }
    this.#acknowledged.clear();
  }

  /** Goes back to the last durable acknowledgement. */
  rewind(holding: Holding): void {
    this.flush();
    holding.next = Math.min(holding.next, this.#group.options.storage.next(this.#group.options.name, holding.source));
    this.pump(holding);
  }

  /** Schedules the delivery of records that are stored, one batch per scheduled step so that partitions take turns. */
  pump(holding: Holding): void {
    if (holding.scheduled || !this.#mayReceive(holding)) return;
    holding.scheduled = true;
    const label = `deliver ${this.#group.options.name} ${this.client} ${sourceKey(holding.source)}`;
    this.#group.options.schedule(label, () => {
      holding.scheduled = false;
      if (this.#mayReceive(holding)) this.#deliver(holding);
    });
  }

  #deliver(holding: Holding): void {
    const { storage, batchRecords } = this.#group.options;
    const records = storage.read(holding.source, holding.next, batchRecords, this.reads);
    const last = records.at(-1);
    if (!last) return;
    holding.next = last.offset + 1;
    this.subscriber.onRecords(holding.source, records);
    this.pump(holding);
  }

  #mayReceive(holding: Holding): boolean {
    return (
      this.mode === 'joined' &&
      !holding.paused &&
      !holding.held &&
      this.holdings.get(sourceKey(holding.source)) === holding
    );
  }

  #setPaused(source: TopicPartition, paused: boolean): void {
    const holding = this.holdings.get(sourceKey(source));
    if (!holding) return;
    holding.paused = paused;
    this.pump(holding);
  }
}
