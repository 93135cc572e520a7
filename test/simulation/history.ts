import type { PlanName } from '#domain/plan/plan.ts';
import type { PlanState } from '#domain/plan/upgrade.ts';
import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import type { BulkPostInput } from '#schemas/http/post-requests.ts';
import type { BulkItem } from '#use-cases/create-posts-in-bulk.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { Member, MemberRole } from '#domain/workspace/state.ts';
import type { Membership } from '#tables/repositories/memberships.ts';

/**
 * The outcome that a caller saw. `unknown`: no answer, or one that says so: the call may have been done, now or later,
 * or not. `refused`: certainly not done.
 */
export type SeenAnswer = 'ok' | 'refused' | 'unknown';

interface Entry {
  readonly workspaceId: string;
  readonly invokedAt: number;
  completedAt: number | null;
  seen: SeenAnswer;
  /** The error's code, '' with `ok`. */
  code: string;
}

/** What a read right after the answer showed in place of what was answered; null: that, or nothing was. */
type Hidden = string | null;

export interface CreateEntry extends Entry {
  readonly kind: 'create';
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly scheduledAt: number | null;
  readonly idempotencyKey: string | null;
  /** Of the key or the approval; of who asks in person, the Member. */
  readonly credentialId: string;
  /** Names of its files, in order. */
  readonly files: readonly string[];
  /** Of those that are uploads. */
  readonly assetIds: readonly string[];
  /** The Post in whose place it is created; null: none. */
  readonly replaces: string | null;
  /** It is that Post at another time, for those of its Channels that were not disconnected. */
  readonly isMove: boolean;
  /** With `ok`. */
  postId: string | null;
  hidden: Hidden;
}

/** A file was uploaded: reserved, sent and completed, or less than that. */
export interface UploadEntry extends Entry {
  readonly kind: 'upload';
  readonly file: string;
  /** Once it was reserved. */
  assetId: string | null;
  /** Whether all of it was sent, as far as the client knows. */
  wasSent: boolean;
}

export interface UploadRemovedEntry extends Entry {
  readonly kind: 'upload removed';
  readonly assetId: string;
}

export interface CancelEntry extends Entry {
  readonly kind: 'cancel';
  readonly postId: string;
  hidden: Hidden;
}

export interface RetryEntry extends Entry {
  readonly kind: 'retry';
  readonly postId: string;
  readonly variantId: string;
  hidden: Hidden;
}

export interface CreditsEntry extends Entry {
  readonly kind: 'credits';
  readonly credits: number;
}

/** A change to Channels or Plan. */
export interface OperatorEntry extends Entry {
  readonly kind: 'operator';
  readonly what: string;
  /** Which is meant, if one is. */
  readonly channelId: string | null;
  /** What was asked for, where it is a Plan; `effectiveAt` null: at once. */
  readonly planned: { readonly plan: PlanName; readonly effectiveAt: number | null } | null;
  /** What a read right after the answer showed, with `ok` of a Plan. */
  shown: PlanState | null;
}

/** A credential was revoked, or its Member removed. */
export interface EndedEntry extends Entry {
  readonly kind: 'ended';
  readonly credentialId: string;
}

/** How large a Workspace is, as a read showed. */
export interface SizeEntry extends Entry {
  readonly kind: 'size';
  readonly stateBytes: number;
  /** Of these, the bytes of keys that had been revoked when a further one was asked for; null: none was since. */
  readonly endedBytes: number | null;
}

/** A receiver was registered as an endpoint. */
export interface EndpointEntry extends Entry {
  readonly kind: 'endpoint';
  readonly url: string;
  readonly events: readonly OutcomeType[];
  /** Of the key or the approval; of who asks in person, the Member. */
  readonly credentialId: string;
  /** With `ok`, as is the secret. */
  endpointId: string | null;
  secret: string | null;
  hidden: Hidden;
}

export interface EndpointDeletedEntry extends Entry {
  readonly kind: 'endpoint deleted';
  readonly endpointId: string;
  hidden: Hidden;
}

export interface SecretRotatedEntry extends Entry {
  readonly kind: 'secret rotated';
  readonly endpointId: string;
  /** With `ok`. */
  secret: string | null;
}

/** A test event was asked for, or a delivery again. */
export interface DeliveryAskedEntry extends Entry {
  readonly kind: 'delivery asked for';
  readonly endpointId: string;
  /** Of the delivery, with `ok`. */
  deliveryId: string | null;
}

/** One command sent several times under one request id. */
export interface RepeatedEntry extends Entry {
  readonly kind: 'repeated';
  readonly requestId: string;
  readonly results: Result[];
}

export interface BulkRow {
  readonly post: BulkPostInput;
  /** It is sent with a field that is unknown. */
  readonly isMalformed: boolean;
}

/** Many Posts by one request. Each row that is not of a dry run has an entry of its own, too. */
export interface BulkEntry extends Entry {
  readonly kind: 'bulk';
  readonly rows: readonly BulkRow[];
  readonly isDry: boolean;
  /** With `ok`. */
  items: readonly BulkItem[] | null;
}

/** What a Member asks for. */
export type Asked =
  | {
      readonly what: 'invite';
      readonly invitationId: string;
      readonly email: string;
      readonly role: MemberRole;
      readonly expiresAt: number;
    }
  | { readonly what: 'revoke an invitation'; readonly invitationId: string }
  | { readonly what: 'change a role'; readonly of: string; readonly role: MemberRole }
  | { readonly what: 'remove'; readonly of: string }
  | { readonly what: 'revoke a key'; readonly of: string; readonly keyId: string }
  | { readonly what: 'end an app'; readonly of: string; readonly approvalId: string }
  | { readonly what: 'approve an app'; readonly approvalId: string }
  | { readonly what: PlainDeed };

/** By which nothing of a Member changes that another deed goes by. */
export type PlainDeed =
  | 'make a Post'
  | 'cancel a Post'
  | 'replace a Post'
  | 'make a key'
  | 'set defaults'
  | 'register an endpoint'
  | 'reconnect'
  | 'disconnect'
  | 'rename';

/** A Member asked for something: in person, or by a key or an app of theirs. */
export interface MemberEntry extends Entry {
  readonly kind: 'member';
  readonly memberId: string;
  readonly by: Credential;
  /** When the row was read by which the app let them in, which may be long before they asked. */
  readonly since: number;
  readonly asked: Asked;
}

/** An account accepted an invitation. */
export interface AcceptEntry extends Entry {
  readonly kind: 'accept';
  readonly invitationId: string;
  /** Of the account. */
  readonly email: string;
  /** Of the Member that it would be. */
  readonly memberId: string;
}

/** The Members of a Workspace were read. */
export interface MembersListedEntry extends Entry {
  readonly kind: 'members listed';
  /** With `ok`. */
  members: readonly Pick<Member, 'id' | 'email' | 'role'>[] | null;
}

/** The row was read by which the app finds the Member behind an account. */
export interface MembershipEntry extends Entry {
  readonly kind: 'membership';
  readonly email: string;
  /** With `ok`; null: the account is no Member. */
  membership: Pick<Membership, 'memberId' | 'role'> | null;
}

export type HistoryEntry =
  | BulkEntry
  | CreateEntry
  | CancelEntry
  | RetryEntry
  | CreditsEntry
  | OperatorEntry
  | EndedEntry
  | SizeEntry
  | RepeatedEntry
  | UploadEntry
  | UploadRemovedEntry
  | EndpointEntry
  | EndpointDeletedEntry
  | SecretRotatedEntry
  | DeliveryAskedEntry
  | MemberEntry
  | AcceptEntry
  | MembersListedEntry
  | MembershipEntry;

/** Everything that the callers of a run did and saw, in order of calling. */
export class History {
  readonly entries: HistoryEntry[] = [];

  add<E extends HistoryEntry>(entry: E): E {
    this.entries.push(entry);
    return entry;
  }

  of<K extends HistoryEntry['kind']>(kind: K): readonly Extract<HistoryEntry, { kind: K }>[] {
    return this.entries.filter((entry) => entry.kind === kind) as Extract<HistoryEntry, { kind: K }>[];
  }
}
