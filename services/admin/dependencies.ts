import type { Codec } from '#messages/messages.ts';
import type { Network } from '#domain/network.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Connections } from '#connections/connections.ts';
import type { SignIns } from '#connections/sign-in.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { OrphanOptions } from '#media/orphans.ts';
import type { ServiceTrouble } from '#runtime/supervisor.ts';
import type { Workload } from '#consumer/workload.ts';
import type { DueTimers } from '#tables/repositories/due.ts';
import type { DeadLetters } from './dead-letter-reader.ts';

/** What the procedures of operators use. */
export interface AdminOptions {
  /** Answers `outcome_unknown` past its deadline; rejects with `PortError` when nothing was appended. */
  readonly request: (command: RequestedCommand) => Promise<CommandAnswer>;
  readonly log: Pick<Log, 'append'>;
  readonly codec: Codec;
  readonly store: TableStore;
  readonly due: Pick<DueTimers, 'minutes' | 'read'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  /** This process's internal address, to which answers are hinted. */
  readonly replyTo: string;
  readonly deadLetters: DeadLetters;
  readonly orphans: OrphanOptions;
  /** For connecting Channels without a person; null with the real Networks. */
  readonly sandbox: { readonly http: HttpClient } | null;
  /** Networks that this installation can sign in to. */
  readonly networks: readonly Network[];
  readonly signIns: Pick<SignIns, 'begin' | 'start' | 'finish' | 'choose'>;
  /** Where clients reach the API. */
  readonly publicUrl: string;
  readonly connections: Pick<Connections, 'forget'>;
  /**
   * Moves the clock ahead, durably, and resolves with the new instant once every timer that became due has fired; null
   * where operators may not move the clock.
   */
  readonly advanceClock: ((milliseconds: number) => Promise<number>) | null;
  readonly process: ProcessFacts;
}

/** What this process is, and the state of its roles. */
export interface ProcessFacts {
  readonly version: string;
  readonly engine: string;
  readonly networks: string;
  readonly roles: readonly string[];
  readonly services: () => readonly ServiceTrouble[];
  readonly workloads: () => readonly Workload[];
  readonly timersHeld: () => number;
}
