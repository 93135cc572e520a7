import type { PublishVariant } from '#messages/messages.ts';
import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import type { Network } from '#domain/network.ts';
import type { OverdueChoice } from '#domain/restoration.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Renditions } from '#ports/rendition-source.ts';
import type { Arm, ArmRow, ArmVerdict, Evidence } from '#tables/repositories/ledger.ts';
import type { Obstacle } from './throttle.ts';

/** What is to be published once: a Variant, or the first comment under one. */
export interface AttemptJob extends TraceCarrier {
  /** Under which the ledger has its rows: the Variant's id, or one derived from it. */
  readonly ledgerId: string;
  readonly variantId: string;
  readonly attempt: number;
  readonly workspaceId: string;
  readonly network: Network;
  readonly channelId: string;
  readonly accountId: string;
  readonly dueAt: number;
  /** It is not armed later than this instant plus the time for which publishing was held since it was due. */
  readonly latestStart: number;
  /** An earlier attempt's outcome is unknown: the Network is asked before this one publishes. */
  readonly reconcileFirst: boolean;
  readonly why: PublishVariant['why'];
  /** `traceparent` of the run that works on it, of which its calls and its verdict are parts. */
  readonly runTrace?: string;
}

/** The trace of what a run reports. */
export function inTraceOfRun({ runTrace, trace }: Pick<AttemptJob, 'runTrace' | 'trace'>): TraceCarrier {
  const known = runTrace ?? trace;
  return known === undefined ? {} : { trace: known };
}

/** The only process that can publish at this moment: the lock of its data folder proves that all before it are dead. */
export interface SoleProcess {
  /** Drawn anew at each start. */
  readonly id: string;
  readonly startedAt: number;
}

/** One attempt at a Variant or a comment, as far as its worker knows it. */
export interface Attempt {
  readonly job: AttemptJob;
  /** The arm's row as last read or written, which the next write replaces; null = there is none. */
  readonly row: ArmRow | null;
  /** What the next write of the row is made from. */
  readonly arm: Arm;
  /** What the ledger has of all attempts at the Variant; empty until it was read. */
  readonly evidence: readonly Evidence[];
  /** Of the irreversible call, where the arm's row does not say it. */
  readonly publishTimeoutMs: number;
  /** Where only one process at a time can publish, this one; null: others may publish as well. */
  readonly soleProcess: SoleProcess | null;
  /** This process armed it. */
  readonly isOwnArm: boolean;
  /** By the holds as they were last asked for. */
  readonly brake: BrakeReading;
  /** null: no other installation can have published it. */
  readonly restored: RestoredReading | null;
  /** Its Channel was disconnected since it was queued, whether or not it is connected again. */
  readonly isDisconnected: boolean;
}

/**
 * This installation was restored from a backup, and the one that it is a copy of may have published what the attempt is
 * at.
 */
export interface RestoredReading {
  /** Of the restore, by which the ledger names it. */
  readonly restoredAt: number;
  /** What the operator who released the restore chose; null: it is not released, and everything is held. */
  readonly overdue: OverdueChoice | null;
  /** This installation published nothing from then until `until`. */
  readonly backupAt: number;
  /** The other installation did not publish it before this instant. */
  readonly since: number;
  /** From this instant on only this installation publishes. */
  readonly until: number;
  /** A Member asked for this attempt after having been told that it may be live. */
  readonly isTold: boolean;
}

/** What the holds of the installation mean for one attempt. */
export interface BrakeReading {
  readonly isHeld: boolean;
  /** How long it was held since it was due. */
  readonly heldMs: number;
}

/** Why a Network is asked to reconcile. */
export type ReconcileSubject =
  /** The arm of this attempt. `ifAbsent`: what its call was refused for, once it is proven that nothing is live. */
  | { readonly kind: 'armed'; readonly ifAbsent: Failure | null }
  /** Attempts before this one, which a Member retried although they may be live. */
  | { readonly kind: 'earlier' }
  /** The same attempts, after this one was refused as a duplicate. */
  | { readonly kind: 'duplicate'; readonly refusal: Failure }
  /** What the installation that this one is a copy of may have published. */
  | { readonly kind: 'restored' };

/** A call that the Network answered, or the verdict that closed the arm: what a row of evidence is made from. */
export type AnsweredStep =
  | { readonly step: 'prepare'; readonly startedAt: number; readonly answer: PrepareAnswer }
  | { readonly step: 'publish'; readonly startedAt: number; readonly answer: PublishAnswer }
  | {
      readonly step: 'reconcile';
      readonly startedAt: number;
      readonly subject: ReconcileSubject;
      readonly answer: ReconcileAnswer;
    }
  | { readonly step: 'verdict'; readonly startedAt: number; readonly answer: ArmVerdict };

type WaitStep = { readonly kind: 'wait'; readonly arm: Arm; readonly delayMs: number };
type CloseStep = { readonly kind: 'close'; readonly arm: Arm; readonly verdict: ArmVerdict };

/** What a worker does next. `arm`: what the attempt goes on from. Writes of the row are compare-and-sets over `row`. */
export type Step =
  | { readonly kind: 'read-arm' }
  | { readonly kind: 'read-evidence'; readonly arm: Arm }
  | { readonly kind: 'get-tokens'; readonly arm: Arm }
  /** Reads the content of the Post and its renditions. */
  | { readonly kind: 'get-files' }
  /** Asks the throttle for admission, right before a call. */
  | { readonly kind: 'ask-throttle' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'take-quota'; readonly arm: Arm }
  | { readonly kind: 'arm'; readonly armedAt: number; readonly sendBefore: number }
  /** Asks for the holds, right before the irreversible call. */
  | { readonly kind: 'ask-brake'; readonly row: ArmRow }
  /** The irreversible call. */
  | { readonly kind: 'publish' }
  /** Asks the throttle how long the pause lasts that the Network's own answers ask for. */
  | { readonly kind: 'ask-pause'; readonly arm: Arm; readonly subject: ReconcileSubject }
  | { readonly kind: 'reconcile'; readonly arm: Arm; readonly armed: ArmedCall; readonly subject: ReconcileSubject }
  | { readonly kind: 'write-evidence'; readonly answered: AnsweredStep }
  /** Goes on with `then`, where there is one, whatever the refresh comes to. */
  | { readonly kind: 'refresh-tokens'; readonly arm: Arm; readonly then: WaitStep | null }
  /** Reports to the Workspace that the Channel needs a reconnect, and goes on with `then`. */
  | { readonly kind: 'mark-channel'; readonly then: WaitStep | CloseStep }
  /** Writes the row, and looks at it anew. */
  | { readonly kind: 'move'; readonly arm: Arm }
  /** Writes the row with `notBefore` that far ahead. 0: goes on at once from what was written. */
  | WaitStep
  /** Sets a timer for each instant, and ends. */
  | { readonly kind: 'wake'; readonly at: readonly number[] }
  | CloseStep
  /** Writes the row so that nothing more is done under this attempt: it is held, or its Channel was disconnected. */
  | { readonly kind: 'give-back'; readonly arm: Arm }
  /** Reports to the Workspace that the attempt was given back, and ends. */
  | { readonly kind: 'report-given-back' }
  /** Reports the verdict to the Workspace, and ends. */
  | { readonly kind: 'conclude'; readonly verdict: ArmVerdict }
  | { readonly kind: 'end' };

/** What the step before came to. What it read or wrote of the ledger is in the `Attempt`. */
export type Finding =
  /** The row was read. `isUnsent`: this process wrote its arm, and certainly never sent under it. */
  | { readonly kind: 'arm-read'; readonly isUnsent: boolean }
  | { readonly kind: 'evidence-read' }
  | { readonly kind: 'tokens'; readonly tokens: TokensAnswer }
  | { readonly kind: 'files'; readonly renditions: Renditions }
  | { readonly kind: 'throttle'; readonly obstacle: Obstacle | null }
  | { readonly kind: 'quota'; readonly obstacle: Obstacle | null }
  | { readonly kind: 'pause'; readonly forMs: number; readonly subject: ReconcileSubject }
  | { readonly kind: 'armed'; readonly row: ArmRow }
  /** The holds were read after `row` was armed, which began so long ago by the monotonic clock. */
  | { readonly kind: 'brake'; readonly row: ArmRow; readonly armedForMs: number }
  | { readonly kind: 'answered'; readonly answered: AnsweredStep }
  | { readonly kind: 'evidence-written'; readonly answered: AnsweredStep }
  | { readonly kind: 'refreshed'; readonly tokens: TokensAnswer }
  | { readonly kind: 'waiting'; readonly until: number; readonly delayMs: number }
  | { readonly kind: 'closed'; readonly verdict: ArmVerdict }
  | { readonly kind: 'moved' }
  /** The row was not written: another worker, or a repeat of ours, moved it since it was read. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'left' };
