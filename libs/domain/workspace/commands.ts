import type { AcceptedType, FileFacts } from '../media/file-facts.ts';
import type { Network } from '../network.ts';
import type { PlanName } from '../plan/plan.ts';
import type { ChannelDefaults, ChannelOptions } from '../post/channel-options.ts';
import type { FailureReason, FirstCommentState } from '../post/post.ts';
import type { MediaReference } from '../post/media-reference.ts';
import type { TraceCarrier } from '../traceparent.ts';
import type { OutcomeType } from '../webhook/outcome-type.ts';
import type { RequestEnvelope } from './request-envelope.ts';
import type { Approval, Invitation, KeyLimits, MemberRole, Permission } from './state.ts';

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
  /** Of the browser that signed up; absent: not known. */
  readonly timeZone?: string;
}

export interface RenameWorkspace extends RequestEnvelope {
  readonly type: 'RenameWorkspace';
  readonly name: string;
}

/** Has people see times of the Workspace in another zone; no Post moves. */
export interface SetZone extends RequestEnvelope {
  readonly type: 'SetZone';
  /** IANA name. */
  readonly timeZone: string;
}

/** An owner holds what the Workspace publishes. It is judged and audited here; the hold is no part of the state. */
export interface HoldPublishing extends RequestEnvelope {
  readonly type: 'HoldPublishing';
  /** For a person. */
  readonly reason: string;
}

/** An owner ends what owners hold. */
export interface ReleasePublishing extends RequestEnvelope {
  readonly type: 'ReleasePublishing';
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
  /** What a repeat by the key must have in common with the first; absent: the digest. */
  readonly keyDigest?: string;
  /** Judge only: nothing is created, counted or remembered. */
  readonly dryRun: boolean;
  /** A Post that is cancelled in the same turn, and whose files this one may have. */
  readonly replaces?: string;
}

export interface CancelPost extends RequestEnvelope {
  readonly type: 'CancelPost';
  readonly postId: string;
}

/** Makes the addresses of the Post's files void; what is still to be published gets new ones. */
export interface VoidFileAddresses extends RequestEnvelope {
  readonly type: 'VoidFileAddresses';
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
  /** Where the Network has the account's picture, for some days: it is copied. null: it named none. */
  readonly avatarUrl: string | null;
  readonly accountId: string;
  readonly kind: string;
  /** Of the tokens that are kept for it. */
  readonly connectionId?: string;
  /** What a new Channel begins with; one that is reconnected keeps its own. */
  readonly defaults?: ChannelDefaults;
}

export interface SetChannelDefaults extends RequestEnvelope {
  readonly type: 'SetChannelDefaults';
  readonly channelId: string;
  /** Takes the place of all that were set before. */
  readonly defaults: ChannelDefaults;
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
  /** What was paid for, by the id that the payment service gave it: it counts once, however often it is reported. */
  readonly purchaseId?: string;
}

export interface AddMember extends RequestEnvelope {
  readonly type: 'AddMember';
  readonly memberId: string;
  readonly name: string;
  readonly email: string;
  /** Absent: editor. */
  readonly role?: MemberRole;
}

export interface RemoveMember extends RequestEnvelope {
  readonly type: 'RemoveMember';
  readonly memberId: string;
}

export interface VerifyEmail extends RequestEnvelope {
  readonly type: 'VerifyEmail';
  readonly memberId: string;
}

export interface ChangeMemberRole extends RequestEnvelope {
  readonly type: 'ChangeMemberRole';
  readonly memberId: string;
  readonly role: MemberRole;
}

/** Asks an address to join. It takes the place of an earlier invitation of the same address. */
export interface InviteMember extends RequestEnvelope, Omit<Invitation, 'id' | 'createdAt'> {
  readonly type: 'InviteMember';
  readonly invitationId: string;
}

export interface RevokeInvitation extends RequestEnvelope {
  readonly type: 'RevokeInvitation';
  readonly invitationId: string;
}

/** Makes the Member, with a verified e-mail: only who reads the mail of `email` can ask for it. */
export interface AcceptInvitation extends RequestEnvelope {
  readonly type: 'AcceptInvitation';
  readonly invitationId: string;
  /** Of the Member that it makes: the same at every repetition. */
  readonly memberId: string;
  readonly email: string;
  /** Used where the invitation names none. */
  readonly name: string;
}

/** A Member's consent that an app acts for them. */
export interface ApproveApp extends RequestEnvelope, Omit<Approval, 'id' | 'createdAt' | 'revoked'> {
  readonly type: 'ApproveApp';
  /** The id of the grant at the authorization server: the same at every repetition. */
  readonly approvalId: string;
  /** Approvals of this Workspace that have no token any more: they make room. */
  readonly forget: readonly string[];
}

export interface RevokeApproval extends RequestEnvelope {
  readonly type: 'RevokeApproval';
  readonly approvalId: string;
}

export interface CreateKey extends RequestEnvelope {
  readonly type: 'CreateKey';
  readonly keyId: string;
  readonly memberId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly tokenHash: string;
  /** Absent: none. */
  readonly limits?: KeyLimits;
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

/** The secrets of an endpoint sealed anew, under the installation's secret of today: the secrets themselves stay. */
export interface ResealEndpoint extends RequestEnvelope {
  readonly type: 'ResealEndpoint';
  readonly endpointId: string;
  /** Those that the endpoint has no more by then are passed over. */
  readonly secrets: readonly { readonly from: string; readonly to: string }[];
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

/**
 * The attempt began while publishing was held, or after a Disconnect of its Channel, and sends nothing any more: the
 * Variant waits for the next one, or is cancelled by the Disconnect when that comes due.
 */
export interface PublishHeld extends AttemptReport {
  readonly type: 'PublishHeld';
}

/** What became of the first comment under a Variant. */
export interface FirstCommentEnded extends Reported {
  readonly type: 'FirstCommentEnded';
  readonly variantId: string;
  /** `unconfirmed`: it may be there, and the Network can not tell. */
  readonly status: Exclude<FirstCommentState['status'], 'waiting'>;
  readonly permalink: string | null;
  /** What the Network said, when it failed. */
  readonly detail: string | null;
}

export interface MarkChannel extends Reported {
  readonly type: 'MarkChannel';
  readonly channelId: string;
  readonly state: 'connected' | 'needs_reconnect';
  /** When the tokens were read that the Network judged; ignored when it is before the Channel's last connect. */
  readonly seenAt: number;
}

/**
 * A person had a Network ask us to delete what we hold of them: the Channel is disconnected, and what the Network said
 * of the account goes. Posts keep their history.
 */
export interface EraseAccount extends Reported {
  readonly type: 'EraseAccount';
  readonly channelId: string;
  /** When the person asked; ignored when the Channel was connected later. */
  readonly requestedAt: number;
}

/** A copy of the account's picture is stored. */
export interface PictureCopied extends Reported {
  readonly type: 'PictureCopied';
  readonly channelId: string;
  /** When the Channel was connected for which it was asked. */
  readonly connectedAt: number;
  /** When it was asked for. */
  readonly askedAt: number;
  readonly blob: string;
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
  | RenameWorkspace
  | SetZone
  | HoldPublishing
  | ReleasePublishing
  | CreatePost
  | CancelPost
  | VoidFileAddresses
  | RetryVariant
  | ConnectChannel
  | SetChannelDefaults
  | DisconnectChannel
  | SetPlan
  | AddCredits
  | AddMember
  | RemoveMember
  | VerifyEmail
  | ChangeMemberRole
  | InviteMember
  | RevokeInvitation
  | AcceptInvitation
  | ApproveApp
  | RevokeApproval
  | CreateKey
  | RevokeKey
  | ReserveUpload
  | CompleteUpload
  | RemoveUpload
  | RegisterEndpoint
  | DeleteEndpoint
  | RotateEndpointSecret
  | ResealEndpoint
  | SendTestEvent
  | ReplayDelivery;

export type ReportedCommand =
  | VariantsDue
  | PublishSucceeded
  | PublishFailed
  | PublishUnconfirmed
  | PublishHeld
  | FirstCommentEnded
  | MarkChannel
  | EraseAccount
  | PictureCopied
  | PlanDue
  | ContinueSweep
  | FileFetched
  | MediaPrepared
  | MediaFailed
  | UploadExpired
  | FilesDue;

export type Command = (RequestedCommand | ReportedCommand) & TraceCarrier;

export function isRequested(
  command: TraceCarrier & { readonly type: string },
): command is RequestedCommand & TraceCarrier {
  return 'requestId' in command;
}
