import type { AccountAccess, IrreversibleCall } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { Renditions } from '#ports/rendition-source.ts';
import type { ArmVerdict, Ledger } from '#tables/repositories/ledger.ts';
import type { LiveItems } from '#tables/repositories/live-items.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import type { FirstDueAt } from './after-restore.ts';
import type { AnsweredStep, AttemptJob, SoleProcess } from './attempt.ts';
import type { Obstacle, Throttle } from './throttle.ts';

/** What an attempt publishes, as far as it can be read at this moment. */
export interface ContentReading<Content> {
  readonly renditions: Renditions;
  /** Of the Post; null: it is published at once. */
  readonly scheduledAt: number | null;
  /** As the adapter takes it. Of what was armed before, the files may be gone. */
  readonly contentFor: (access: AccountAccess) => Content;
}

export type CallKind = AnsweredStep['step'] extends infer S ? Exclude<S, 'verdict'> : never;

/** A call to a Network that is about to be made. */
export interface CallMoment extends Pick<ContentReading<never>, 'scheduledAt'> {
  readonly kind: CallKind;
  /** By the ledger, no call of this attempt changed anything so far. */
  readonly isUntouched: boolean;
  /** How long publishing was held since it was due. */
  readonly heldMs: number;
}

/** Sees what a machine does, and changes nothing about it. */
export interface RunObserver<Job> {
  /** What calls of the kind are made with. */
  httpFor(kind: CallKind, job: Job): HttpClient;
  calling(job: Job, moment: CallMoment): void;
  heldBack(job: Job, obstacle: Obstacle): void;
}

export interface PublishMachineOptions<Job extends AttemptJob, Content> extends Pick<WorldPorts, 'clock' | 'ids'> {
  readonly observer: RunObserver<Job>;
  readonly adapter: IrreversibleCall<Content>;
  readonly ledger: Ledger;
  readonly soleProcess: SoleProcess | null;
  /** `beforeCall`: awaited before the Network is asked for a newer token. */
  readonly tokensFor: (channelId: string, beforeCall: () => Promise<void>) => Promise<TokensAnswer>;
  readonly refreshNow: (channelId: string, staleAccessToken: string) => Promise<TokensAnswer>;
  readonly readContent: (job: Job) => Promise<ContentReading<Content>>;
  readonly throttle: Throttle;
  /** Whether it uses up the Network's budget. */
  readonly isUse: boolean;
  /** Goes on with the job at that instant. */
  readonly continueAt: (job: Job, at: number) => Promise<void>;
  /** Reports to the Workspace how an attempt ended. */
  readonly conclude: (job: Job, verdict: ArmVerdict) => Promise<void>;
  readonly brake: Brake;
  readonly liveItems: LiveItems;
  readonly firstDueAt: FirstDueAt<Job>;
  /** Whether its Channel was disconnected since it was queued. Rejects with `PortError`. */
  readonly isDisconnected: (job: Job) => Promise<boolean>;
  /** Gives the attempt back to the Workspace; null: there is no other, and it goes on by a timer. */
  readonly giveBack: ((job: Job) => Promise<void>) | null;
  /** Reports to the Workspace what the Network said of the tokens that the Channel had at that instant. */
  readonly markChannel: (job: Job, state: 'needs_reconnect', seenAt: number) => Promise<void>;
}
