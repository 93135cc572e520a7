import type { AcceptedType, FileFacts } from '../media/file-facts.ts';
import type { Network } from '../network.ts';
import type { PlanName } from '../plan/plan.ts';
import type { ChannelOptions } from '../post/channel-options.ts';
import type { FailureReason, MediaReference } from '../post/post.ts';
import type { OutcomeType } from '../webhook/outcome-type.ts';
import type { Permission } from './state.ts';

/** The caller, as ingress authenticated it; `decide` checks that the key is still valid. */
export interface Credential {
  readonly kind: 'key';
  readonly keyId: string;
}

/** Carried by every command that a client or an operator waits for. */
export interface RequestEnvelope {
  readonly workspaceId: string;
  /** Chosen by the caller: a command that is twice in the log is one command. */
  readonly requestId: string;
  /** The instant of the request, by the caller's clock: the rules go by it. */
  readonly issuedAt: number;
  /** Not to be carried out after this. */
  readonly notAfter: number;
  /** Where the answer's hint goes: the CRIER_INTERNAL_URL of the process that waits. */
  readonly replyTo: string;
  /** null: an operator. */
  readonly credential: Credential | null;
}

export interface CreateWorkspace extends RequestEnvelope {
  readonly type: 'CreateWorkspace';
  readonly name: string;
  readonly plan: PlanName;
  readonly owner: {
    readonly memberId: string;
    readonly name: string;
    readonly email: string;
    readonly emailVerified: boolean;
  };
}

export interface CreatePost extends RequestEnvelope {
  readonly type: 'CreatePost';
  /** Made of a UUIDv7 of `issuedAt`: the instant in it becomes the Post's createdAt. */
  readonly postId: string;
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly scheduledAt: number | null;
  readonly media: readonly MediaReference[];
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
  /** Over text, the set of Channels, options, instant and media in order: see post/digest.ts. */
  readonly digest: string;
  readonly idempotencyKey: string | null;
  /** Judge only: nothing is created, counted or remembered. */
  readonly dryRun: boolean;
}

export interface CancelPost extends RequestEnvelope {
  readonly type: 'CancelPost';
  readonly postId: string;
}

export interface RetryVariant extends RequestEnvelope {
  readonly type: 'RetryVariant';
  readonly variantId: string;
}

export interface ConnectChannel extends RequestEnvelope {
  readonly type: 'ConnectChannel';
  /** A new id, or that of the Channel to reconnect (then network and accountId must be the same). */
  readonly channelId: string;
  readonly network: Network;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly accountId: string;
  readonly kind: string;
}

export interface DisconnectChannel extends RequestEnvelope {
  readonly type: 'DisconnectChannel';
  readonly channelId: string;
  /** null: the operator. */
  readonly memberId: string | null;
}

export interface SetPlan extends RequestEnvelope {
  readonly type: 'SetPlan';
  readonly plan: PlanName;
  /** null: now. */
  readonly effectiveAt: number | null;
}

export interface AddCredits extends RequestEnvelope {
  readonly type: 'AddCredits';
  readonly credits: number;
}

export interface AddMember extends RequestEnvelope {
  readonly type: 'AddMember';
  readonly memberId: string;
  readonly name: string;
  readonly email: string;
}

export interface RemoveMember extends RequestEnvelope {
  readonly type: 'RemoveMember';
  readonly memberId: string;
}

export interface VerifyEmail extends RequestEnvelope {
  readonly type: 'VerifyEmail';
  readonly memberId: string;
}

export interface CreateKey extends RequestEnvelope {
  readonly type: 'CreateKey';
  readonly keyId: string;
  readonly memberId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly tokenHash: string;
}

export interface RevokeKey extends RequestEnvelope {
  readonly type: 'RevokeKey';
  readonly keyId: string;
}

export interface ReserveUpload extends RequestEnvelope {
  readonly type: 'ReserveUpload';
  readonly assetId: string;
  readonly filename: string;
  readonly contentType: AcceptedType;
  /** Counts against the storage from now on; the file must have as many. */
  readonly bytes: number;
}

/** Completes an upload with the facts of its file, or ends it with the problem of the file. */
export interface CompleteUpload extends RequestEnvelope {
  readonly type: 'CompleteUpload';
  readonly assetId: string;
  /** null: no whole file came, or its type is not accepted. */
  readonly file: { readonly blob: string; readonly facts: FileFacts } | null;
  /** Why the file is not accepted, for a person; null when no file came, or nothing is wrong with it. */
  readonly problem: string | null;
}

export interface RemoveUpload extends RequestEnvelope {
  readonly type: 'RemoveUpload';
  readonly assetId: string;
}

export interface RegisterEndpoint extends RequestEnvelope {
  readonly type: 'RegisterEndpoint';
  readonly endpointId: string;
  /** As it was given; ingress has checked that events may be sent to it. */
  readonly url: string;
  readonly events: readonly OutcomeType[];
  /** Under a SecretBox, for `secretContext` of the endpoint. */
  readonly sealedSecret: string;
}

export interface DeleteEndpoint extends RequestEnvelope {
  readonly type: 'DeleteEndpoint';
  readonly endpointId: string;
}

export interface RotateEndpointSecret extends RequestEnvelope {
  readonly type: 'RotateEndpointSecret';
  readonly endpointId: string;
  readonly sealedSecret: string;
}

/** Sends a made-up event to one endpoint. Once decided, the command itself goes on to the webhooks service. */
export interface SendTestEvent extends RequestEnvelope {
  readonly type: 'SendTestEvent';
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: OutcomeType;
  readonly createdAt: number;
  /** The exact text to send. */
  readonly body: string;
}

/**
 * Delivers an event again, in a new round, whatever the rounds before came to. Once decided, the command itself goes
 * on to the webhooks service.
 */
export interface ReplayDelivery extends RequestEnvelope {
  readonly type: 'ReplayDelivery';
  readonly endpointId: string;
  readonly deliveryId: string;
  /** The new round: a UUIDv7 chosen by the caller. */
  readonly round: string;
  readonly askedAt: number;
}

/** What a Post's timer carries: these Variants of it, at this attempt, are due. */
export interface DuePost {
  readonly postId: string;
  readonly attempt: number;
  /** The last bytes of the Variants' ids. */
  readonly variants: readonly number[];
}

/**
 * Reports from our own services: recognised by Variant and attempt against the state, so any of them may come twice or
 * late.
 */
interface Reported {
  readonly workspaceId: string;
}

/** The due Variants of one or more Posts: at most `MAX_STEP_VARIANTS`. */
export interface VariantsDue extends Reported {
  readonly type: 'VariantsDue';
  readonly posts: readonly DuePost[];
}

interface AttemptReport extends Reported {
  readonly variantId: string;
  readonly attempt: number;
}

export interface PublishSucceeded extends AttemptReport {
  readonly type: 'PublishSucceeded';
  readonly remoteId: string;
  readonly permalink: string | null;
}

/** The Network certainly published nothing. */
export interface PublishFailed extends AttemptReport {
  readonly type: 'PublishFailed';
  readonly reason: Exclude<FailureReason, 'unconfirmed'>;
  /** What the Network said. */
  readonly detail: string;
}

/** It may be live, and the Network can not tell. */
export interface PublishUnconfirmed extends AttemptReport {
  readonly type: 'PublishUnconfirmed';
  readonly detail: string;
}

export interface MarkChannel extends Reported {
  readonly type: 'MarkChannel';
  readonly channelId: string;
  readonly state: 'connected' | 'needs_reconnect';
  /** The instant of the Network's answer; ignored when it is before the Channel's last connect. */
  readonly seenAt: number;
}

/** A pending Downgrade is due. */
export interface PlanDue extends Reported {
  readonly type: 'PlanDue';
}

/**
 * One bounded step of a sweep: the Variants of Posts due in `dueWeek`, after `afterPostId` in the order of the table.
 */
export interface ContinueSweep extends Reported {
  readonly type: 'ContinueSweep';
  readonly sweepId: string;
  /** Weeks since the epoch. */
  readonly dueWeek: number;
  readonly afterPostId: string | null;
}

/** A Post's file by address has come. */
export interface FileFetched extends Reported {
  readonly type: 'FileFetched';
  readonly postId: string;
  readonly assetId: string;
  readonly facts: FileFacts;
  readonly blob: string;
}

/** Every file of the Post is ready for these Variants (last bytes of their ids). */
export interface MediaPrepared extends Reported {
  readonly type: 'MediaPrepared';
  readonly postId: string;
  readonly variants: readonly number[];
}

/** The Post's files can't be made ready for these Variants; those at another attempt are not meant. */
export interface MediaFailed extends Reported {
  readonly type: 'MediaFailed';
  readonly postId: string;
  readonly attempt: number;
  readonly variants: readonly number[];
  /** For a person. */
  readonly detail: string;
}

/** The time of an upload that no Post uses is over. */
export interface UploadExpired extends Reported {
  readonly type: 'UploadExpired';
  readonly assetId: string;
  /** The asset's `expiresAt` for which the timer was set; ignored when the asset has another by now. */
  readonly expiresAt: number;
}

/** The time for which files of an ended Post are kept is over. */
export interface FilesDue extends Reported {
  readonly type: 'FilesDue';
  readonly postId: string;
  readonly assetIds: readonly string[];
  /** Attempts of all Variants when the Post ended: another sum means that the Post went on since. */
  readonly attempts: number;
  readonly dueAt: number;
}

export type RequestedCommand =
  | CreateWorkspace
  | CreatePost
  | CancelPost
  | RetryVariant
  | ConnectChannel
  | DisconnectChannel
  | SetPlan
  | AddCredits
  | AddMember
  | RemoveMember
  | VerifyEmail
  | CreateKey
  | RevokeKey
  | ReserveUpload
  | CompleteUpload
  | RemoveUpload
  | RegisterEndpoint
  | DeleteEndpoint
  | RotateEndpointSecret
  | SendTestEvent
  | ReplayDelivery;

export type ReportedCommand =
  | VariantsDue
  | PublishSucceeded
  | PublishFailed
  | PublishUnconfirmed
  | MarkChannel
  | PlanDue
  | ContinueSweep
  | FileFetched
  | MediaPrepared
  | MediaFailed
  | UploadExpired
  | FilesDue;

export type Command = RequestedCommand | ReportedCommand;

export function isRequested(command: Command): command is RequestedCommand {
  return 'requestId' in command;
}
