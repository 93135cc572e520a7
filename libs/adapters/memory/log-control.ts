import type { StoredRecord, TopicPartition } from '#ports/log.ts';
import type { Holding } from '../in-process/group-member.ts';
import type { MemoryBroker } from './broker.ts';
import type { AppendFault } from './append-fault.ts';
import type { AppendsWithin } from './table-store.ts';

/** A test's controls of a memory log: the faults that a real log causes to its clients. */
export class MemoryLogControl {
  readonly #broker: MemoryBroker;

  constructor(broker: MemoryBroker) {
    this.#broker = broker;
  }

  /** Everything stored in a partition, in order. */
  records(source: TopicPartition): readonly StoredRecord[] {
    return [...this.#broker.records(source)];
  }

  /** See `MemoryBroker.behindAppends`. */
  behindAppends(): Promise<boolean> | null {
    return this.#broker.behindAppends();
  }

  /** See `MemoryBroker.behindAtoms`. */
  behindAtoms(): Promise<unknown> | null {
    return this.#broker.behindAtoms();
  }

  /** What a store has that is one with the log, in the process of `client`. */
  within(client: string): AppendsWithin {
    const own = this.#broker.client(client);
    return { appendWithin: (appends, undo) => own.appendWithin(appends, undo) };
  }

  /** The offset, inclusive, up to which the group has durably acknowledged; null: none yet. */
  acknowledged(group: string, source: TopicPartition): number | null {
    const next = this.#broker.next(group, source);
    return next === 0 ? null : next - 1;
  }

  /** The next append (to `topic`, when given) fails in this way. Calls queue up. */
  failNextAppend(fault: AppendFault, topic?: string): void {
    this.#broker.queuedFaults.push({ topic, fault });
  }

  /** Redelivers everything after the last durable acknowledgement to every member that holds the partition. */
  redeliver(group: string, source: TopicPartition): void {
    for (const holding of this.#holdings(group, source)) holding.member.rewind(holding);
  }

  /**
   * Delivers one stored record once more, whatever was acknowledged, to every holder that has had it. To one that has
   * not, no log delivers it before those that stand before it.
   */
  duplicate(group: string, source: TopicPartition, offset: number): void {
    const record = this.#broker.records(source)[offset];
    if (!record) throw new Error(`${source.topic}/${source.partition} has no offset ${offset}`);
    this.#broker.schedule(`duplicate ${group} ${source.topic}/${source.partition}`, () => {
      for (const { member, next } of this.#holdings(group, source)) {
        if (member.mode === 'joined' && offset < next) member.subscriber.onRecords(source, [record]);
      }
    });
  }

  /** Delivers nothing of the partition to the group's present holders until `release`. */
  hold(group: string, source: TopicPartition): void {
    for (const holding of this.#holdings(group, source)) holding.held = true;
  }

  release(group: string, source: TopicPartition): void {
    for (const holding of this.#holdings(group, source)) {
      holding.held = false;
      holding.member.pump(holding);
    }
  }

  /**
   * Assigns the partition to `client`'s member too, and does not notify the old owner before `rebalance`: both receive.
   */
  overlap(group: string, source: TopicPartition, client: string): void {
    const taker = this.#group(group).members.find((member) => member.client === client);
    if (!taker) throw new Error(`${client} is no member of ${group}`);
    this.#group(group).usurp(source, taker);
  }

  /** Assigns the partitions anew and notifies every member, which ends overlaps. */
  rebalance(group: string): void {
    this.#group(group).rebalance();
  }

  /**
   * Crashes the client: no callback comes, no promise settles, and acknowledgements that were not yet durable are lost.
   */
  crash(client: string): void {
    this.#broker.clients.get(client)?.crash();
  }

  /** Takes a backup of everything; the returned function restores it, once all clients have crashed or closed. */
  backup(): () => void {
    return this.#broker.backup();
  }

  #group(name: string) {
    const group = this.#broker.groups.get(name);
    if (!group) throw new Error(`there is no group ${name}`);
    return group;
  }

  #holdings(group: string, source: TopicPartition): readonly Holding[] {
    return this.#group(group).holdersOf(source);
  }
}
