import type { Readiness, Subscriber, TopicPartition } from '#ports/log.ts';
import type { GroupOptions } from './group-options.ts';
import { sourceKey } from './source-key.ts';
import { balance } from './balance.ts';
import { GroupMember, type Holding } from './group-member.ts';

/**
 * The members of one consumer group in this process, and which partitions each owns. It has no protocol and no
 * heartbeats: a log that lives in one process uses it in place of a broker's group coordinator.
 *
 * Every partition has at most one owner, decided at once whenever a member joins or leaves; members are notified in two
 * scheduled steps each (revoke, then assign). Until its revoke step has run, an old owner goes on receiving: owners may
 * overlap, as they do in Kafka. A holding carries the term at which it was assigned; an acknowledgement counts only
 * while no later term was given out, so a zombie can't acknowledge for the new owner.
 */
export class ConsumerGroup {
  readonly options: GroupOptions;
  readonly members: GroupMember[] = [];
  readonly #owners = new Map<string, GroupMember>();
  readonly #terms = new Map<string, number>();
  readonly #holdings = new Map<string, Set<Holding>>();

  constructor(options: GroupOptions) {
    this.options = options;
  }

  join(subscriber: Subscriber, client: string): GroupMember {
    const member = new GroupMember(this, subscriber, client);
    this.members.push(member);
    this.rebalance();
    return member;
  }

  /** Removes the member without notifying it; its partitions go to the others. */
  remove(member: GroupMember): void {
    const at = this.members.indexOf(member);
    if (at === -1) return;
    this.members.splice(at, 1);
    for (const holding of member.holdings.values()) this.#forget(holding);
    member.holdings.clear();
    this.rebalance();
  }

  rebalance(): void {
    const topics = new Set(this.members.flatMap((member) => member.subscriber.topics));
    for (const key of this.#owners.keys()) {
      if (!topics.has(key.slice(0, key.lastIndexOf('/')))) this.#owners.delete(key);
    }
    for (const topic of topics) {
      const readers = this.members.filter((member) => member.subscriber.topics.includes(topic));
      const before = Array.from({ length: this.options.partitionsOf(topic) }, (_, partition) =>
        this.#owners.get(sourceKey({ topic, partition })),
      );
      balance(before, readers).forEach((owner, partition) => this.#owners.set(sourceKey({ topic, partition }), owner));
    }
    const { name, schedule } = this.options;
    for (const member of this.members) schedule(`revoke ${name} ${member.client}`, () => this.#revoke(member));
    for (const member of this.members) this.#assignSoon(member);
  }

  /** Assigns one partition to `member` too, without notifying its present holders until the next rebalance. */
  usurp(source: TopicPartition, member: GroupMember): void {
    this.#owners.set(sourceKey(source), member);
    this.#assignSoon(member);
  }

  /** The name of the client that the partition is given to; null: nobody reads it. */
  ownerOf(source: TopicPartition): string | null {
    return this.#owners.get(sourceKey(source))?.client ?? null;
  }

  holdersOf(source: TopicPartition): readonly Holding[] {
    return [...(this.#holdings.get(sourceKey(source)) ?? [])];
  }

  /** Called when new records can be read: by all members, or by those that read what is appended. */
  wake(source: TopicPartition, reads: Readiness): void {
    const holdings = this.#holdings.get(sourceKey(source));
    if (holdings === undefined) return;
    for (const holding of holdings)
      if (reads === 'durable' || holding.member.reads === reads) holding.member.pump(holding);
  }

  /**
   * The records from offset `from` on are no more. Members that had one of them lose the partition before this returns,
   * and are assigned it again.
   */
  takeBack(source: TopicPartition, from: number): void {
    for (const holding of this.holdersOf(source)) {
      const { member } = holding;
      if (holding.next <= from || member.mode !== 'joined') continue;
      this.#takeFrom(member, [holding]);
      this.#assignSoon(member);
    }
  }

  isCurrent(holding: Holding): boolean {
    return this.#terms.get(sourceKey(holding.source)) === holding.term;
  }

  #revoke(member: GroupMember): void {
    if (member.mode !== 'joined') return;
    const isOwner = ({ source }: Holding): boolean => this.#owners.get(sourceKey(source)) === member;
    // A member that did not run meanwhile may have lost a partition to one that is gone by now: what it made of the
    // records is out of date, and its acknowledgements do not count, until it is assigned the partition anew.
    const lost = [...member.holdings.values()].filter((holding) => !isOwner(holding) || !this.isCurrent(holding));
    if (lost.length === 0) return;
    this.#takeFrom(member, lost);
    if (lost.some(isOwner)) this.#assignSoon(member);
  }

  #takeFrom(member: GroupMember, lost: readonly Holding[]): void {
    // Acknowledgements that were made are stored before the next owner reads its start position.
    member.flush();
    for (const holding of lost) {
      member.holdings.delete(sourceKey(holding.source));
      this.#forget(holding);
    }
    member.subscriber.onRevoked?.(lost.map((holding) => holding.source));
  }

  #assignSoon(member: GroupMember): void {
    this.options.schedule(`assign ${this.options.name} ${member.client}`, () => this.#assign(member));
  }

  #assign(member: GroupMember): void {
    if (member.mode !== 'joined') return;
    const gained: Holding[] = [];
    for (const topic of member.subscriber.topics) {
      for (let partition = 0; partition < this.options.partitionsOf(topic); partition++) {
        const source = { topic, partition };
        const key = sourceKey(source);
        if (this.#owners.get(key) !== member || member.holdings.has(key)) continue;
        const term = (this.#terms.get(key) ?? 0) + 1;
        this.#terms.set(key, term);
        const next = this.options.storage.next(this.options.name, source);
        const holding: Holding = { member, source, term, next, paused: false, held: false, scheduled: false };
        member.holdings.set(key, holding);
        this.#remember(key, holding);
        gained.push(holding);
      }
    }
    if (gained.length === 0) return;
    member.subscriber.onAssigned?.(gained.map((holding) => holding.source));
    for (const holding of gained) member.pump(holding);
  }

  #remember(key: string, holding: Holding): void {
    const holdings = this.#holdings.get(key) ?? new Set();
    this.#holdings.set(key, holdings.add(holding));
  }

  #forget(holding: Holding): void {
    this.#holdings.get(sourceKey(holding.source))?.delete(holding);
  }
}
