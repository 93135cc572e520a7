import type { Pools } from '#concurrency/pools.ts';
import type { Codec } from '#messages/messages.ts';
import type { Network } from '#domain/network.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { Invitation } from '#domain/workspace/state.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { SignIns } from '#connections/sign-in.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { Level } from '#reporting/event.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { OrphanOptions } from '#media/orphans.ts';
import type { ServiceState } from '#runtime/supervisor.ts';
import type { Workload } from '#consumer/workload.ts';
import type { PublishingHolds } from '#use-cases/publishing-holds.ts';
import type { ProcessRow } from '#tables/repositories/processes.ts';
import type { DueTimers } from '#tables/repositories/due.ts';

/** What the procedures of operators use. */
export interface AdminOptions {
  /** Answers `outcome_unknown` past its deadline; rejects with `PortError` when nothing was appended. */
  readonly request: (command: RequestedCommand) => Promise<CommandAnswer>;
  readonly log: Pick<Log, 'append' | 'progress'>;
  readonly codec: Codec;
  readonly store: TableStore;
  readonly due: Pick<DueTimers, 'minutes' | 'read'>;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly reporter: Reporter;
  readonly ids: Ids;
  /** This process's internal address, to which answers are hinted. */
  readonly replyTo: string;
  readonly publishingHolds: PublishingHolds;
  readonly orphans: OrphanOptions;
  /** For connecting Channels without a person; null with the real Networks. */
  readonly sandbox: { readonly http: HttpClient } | null;
  /** Networks that this installation can sign in to. */
  readonly networks: readonly Network[];
  readonly signIns: Pick<SignIns, 'begin' | 'start' | 'finish' | 'choose'>;
  /** Where clients reach the API. */
  readonly publicUrl: string;
  /**
   * Moves the clock ahead, durably, and resolves with the new instant once every timer that became due has fired; null
   * where operators may not move the clock.
   */
  readonly advanceClock: ((milliseconds: number) => Promise<number>) | null;
  /**
   * Mails the link by which an invitation is accepted; null where no mail can be sent. Rejects with `PortError` when it
   * was not mailed, or may not have been.
   */
  readonly mailInvitation: ((invitation: InvitationToMail) => Promise<void>) | null;
  /** Gives the authorization server a new key, which signs from that instant on. */
  readonly rotateOAuthKeys: () => Promise<{ readonly id: string; readonly signsFrom: number }>;
  /** Of this process. */
  readonly pools: Pick<Pools, 'top'>;
  readonly process: ProcessFacts;
  /** Of this process's log. */
  readonly logLevel: {
    readonly status: () => LogLevelStatus;
    readonly change: (level: Level, forMs: number) => LogLevelStatus;
  };
  readonly cluster: ClusterFacts;
}

/** An invitation of a Workspace, with the words that its mail needs. */
export interface InvitationToMail extends Pick<Invitation, 'email' | 'name' | 'role' | 'expiresAt'> {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly invitationId: string;
  /** The name of the Member who invites; null: an operator. */
  readonly invitedBy: string | null;
}

/** The processes of the installation, and the format that they agreed on. All of it rejects with `PortError`. */
export interface ClusterFacts {
  readonly status: () => Promise<{
    readonly processes: readonly ProcessRow[];
    /** Of the tables and topics that exist. */
    readonly schemaVersion: number;
    readonly format: number;
    /** The release that last raised or lowered it; null: none did. */
    readonly changedBy: string | null;
    /** null: not now. */
    readonly canRaiseTo: number | null;
    readonly why: string;
  }>;
  /** The format that is written from then on. */
  readonly raiseFormat: () => Promise<number>;
}

/** What this process is, and the state of its roles. */
export interface ProcessFacts {
  readonly version: string;
  readonly engine: string;
  readonly networks: string;
  readonly roles: readonly string[];
  readonly services: () => readonly ServiceState[];
  readonly workloads: () => readonly Workload[];
  readonly timersHeld: () => number;
}

/** The level of a log, and the change of it that an operator made. */
export interface LogLevelStatus {
  readonly level: Level | 'silent';
  /** By CRIER_LOG_LEVEL. */
  readonly usual: Level | 'silent';
  /** When the usual one is back; null: it is the usual one. */
  readonly until: number | null;
}
