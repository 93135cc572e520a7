import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Codec, Message } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log, Readiness, TopicPartition } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Gathering } from './gathering.ts';
import type { HandOver } from './hand-over.ts';
import type { Suspect, SuspectLock, SuspectPermit } from './suspect-lock.ts';

export interface WorkspaceTurns {
  /** Of this consumer alone, which gives it as many permits as it has slots. */
  readonly pool: Pick<FairPool<'workspace'>, 'tryAcquire' | 'acquire' | 'resize'>;
  readonly workspaceOf: (message: Message) => string;
}

export interface KeyedConsumerOptions {
  readonly name: string;
  readonly group: string;
  readonly topics: readonly string[];
  /** How early records are handled; see `Subscriber.reads`. Default: `durable`. */
  readonly reads?: Readiness;
  /** Records of one key that are handled together, at most. */
  readonly maxBatch: number;
  /**
   * Begins to handle the next record of a key while one is handled, in a slot that no other key wants: the handler then
   * waits for `predecessor` before it does what has to stay in order. Needs a `maxBatch` of 1. What may have ended the
   * last owner is handled alone.
   */
  readonly pipelined?: boolean;
  /** Records that may wait for more of their key; left out: none does. */
  readonly gathering?: Gathering;
  /** Keys worked on at once, in this process. */
  readonly concurrency: number;
  /**
   * Keys worked on at once in all processes together: each process takes the share of the partitions that it owns, and
   * at least one. Left out: no such bound.
   */
  readonly concurrencyOfAll?: { readonly keys: number; readonly partitions: number };
  /** Keys that wait for a slot have their turns by Workspace; left out: in the order in which they came to wait. */
  readonly turns?: WorkspaceTurns;
  /** Records of one partition held in memory before it is paused. */
  readonly maxWaiting: number;
  /**
   * Handles messages of one key, in order. Each may have been handled before. Rejecting with `PortError` means "not
   * now": the batch is tried again until it works. Any other rejection is unexpected: tried again a few times, then the
   * key is parked.
   */
  handle(key: string, messages: readonly Message[], context: HandlerContext): Promise<void>;
  /**
   * What marks the parts of the handling that could end this process (see `HandlingMarks`); default `by_consumer`: all
   * of it is marked.
   */
  readonly marks?: 'by_consumer' | 'by_handler';
  /** Called when a key is begun that waited for a slot, with how long it did. */
  onWaited?(waitMs: number): void;
  onAssigned?(partitions: readonly TopicPartition[]): void;
  onRevoked?(partitions: readonly TopicPartition[]): void;
}

/** What a handler may do on account of the records that it handles. */
export interface Standing {
  /**
   * False once the log may have taken the records back: nothing may be written for them any more. Of durable records it
   * is always true, also when the partition has another owner: what is written then is fenced by the store.
   */
  isOurs(): boolean;
  /**
   * Resolves once the records are durable: nothing may be told of them before, and no effect of them may leave the
   * process. Rejects with `PortError` `unavailable` when they are not ours any more.
   */
  durable(): Promise<void>;
}

/** The standing of records that are durable, or of what came through no log. */
export const DURABLE: Standing = { isOurs: () => true, durable: async () => {} };

/** The place of a record in the order of its key, where the next one's handling may begin beside it (`pipelined`). */
export interface Succession {
  /** Null: no record before it is being handled. Else its turn comes when that one's is over. */
  readonly predecessor: Pick<HandOver, 'over'> | null;
  /**
   * Gives the turn to the next record of the key. Should this one have to be handled again all the same, the next one
   * goes on beside it.
   */
  pass(): void;
}

export interface HandlerContext extends Standing, Succession {
  /**
   * True: an owner that vanished, or an earlier try of this one, may have handled the records. False is a hint and no
   * promise, by which a handler may leave out a look that it makes up for where it was wrong: an owner that was
   * replaced may be at the same record, and a message may stand twice in the log.
   */
  readonly mayBeRepeat: boolean;
  /**
   * Where `marks` is `by_handler`: runs a part of the handling, and before it begins makes it durable that it runs.
   * That pays where a handler waits for long before it does what could end the process, or does that seldom, for every
   * begin is written. Rejects when the process ends before the part could begin, and as `work` does.
   */
  marked<T>(work: () => Promise<T>): Promise<T>;
}

export interface KeyLaneOptions extends Pick<
  KeyedConsumerOptions,
  'name' | 'maxBatch' | 'handle' | 'marks' | 'gathering'
> {
  /** Waits before a next try; other lanes may run meanwhile. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /** As `Subscription.isDurable`, of the lane's partition. */
  readonly isDurable: (offset: number) => Promise<boolean>;
  /** A suspect's turn to run alone; null when the partition is lost or the process ends before it comes. */
  readonly turn: (suspect: Suspect) => Promise<SuspectPermit | null>;
  /** Whether a record may begin. `ahead`: beside the one before it. */
  readonly mayBegin: (when: 'in_turn' | 'ahead') => boolean;
}

export interface ConsumerPorts {
  readonly log: Log;
  readonly store: TableStore;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** One for all consumers of a process; left out: the consumer has one of its own. */
  readonly suspectLock?: SuspectLock;
}
