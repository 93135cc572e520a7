import type { StoredRecord, TopicPartition } from '#ports/log.ts';
import type { Holding } from '../in-process/group-member.ts';
import type { MemoryBroker } from './broker.ts';
import type { AppendFault } from './append-fault.ts';

/** The hands of a test on a memory log: everything a real log does to its clients at the worst moment. */
export class MemoryLogControl {
  readonly #broker: MemoryBroker;

  constructor(broker: MemoryBroker) {
    this.#broker = broker;
  }

  /** Everything stored in a partition, in order. */
  records(source: TopicPartition): readonly StoredRecord[] {
    return [...this.#broker.records(source)];
  }

  /** Offset up to which the group has durably acknowledged, inclusive; null: nothing yet. */
  acknowledged(group: string, source: TopicPartition): number | null {
    const next = this.#broker.next(group, source);
    return next === 0 ? null : next - 1;
  }

  /** The next append (to `topic`, when given) goes wrong so. Calls queue up. */
  failNextAppend(fault: AppendFault, topic?: string): void {
    this.#broker.queuedFaults.push({ topic, fault });
  }

  /** Hands everything after the last durable acknowledgement over again, to whoever believes to own the partition. */
  redeliver(group: string, source: TopicPartition): void {
    for (const holding of this.#holdings(group, source)) holding.member.rewind(holding);
  }

  /**
   * Hands one stored record over once more, whatever was acknowledged; it comes before records not yet handed over or
   * after them.
   */
  duplicate(group: string, source: TopicPartition, offset: number): void {
    const record = this.#broker.records(source)[offset];
    if (!record) throw new Error(`${source.topic}/${source.partition} has no offset ${offset}`);
    this.#broker.schedule(`duplicate ${group} ${source.topic}/${source.partition}`, () => {
      for (const { member } of this.#holdings(group, source)) {
        if (member.mode === 'joined') member.subscriber.onRecords(source, [record]);
      }
    });
  }

  /** Nothing of the partition is handed to the group's present holders until `release`. */
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
   * `client`'s member is assigned the partition too, while the old owner is not told before `rebalance`: both receive.
   */
  overlap(group: string, source: TopicPartition, client: string): void {
    const taker = this.#group(group).members.find((member) => member.client === client);
    if (!taker) throw new Error(`${client} is no member of ${group}`);
    this.#group(group).usurp(source, taker);
  }

  /** Shares the partitions out anew and tells everybody: ends overlaps. */
  rebalance(group: string): void {
    this.#group(group).rebalance();
  }

  /**
   * The client is gone without a notice: no callback comes, no promise settles, acknowledgements not yet durable are
   * lost.
   */
  crash(client: string): void {
    this.#broker.clients.get(client)?.crash();
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
