import type { Channel } from '../channel/channel.ts';
import type { PlanName } from '../plan/plan.ts';
import type { Endpoints } from '../webhook/endpoint.ts';

export const PERMISSIONS = ['posts:schedule', 'posts:publish', 'webhooks:manage'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Owners manage the Workspace, editors make Posts and approve apps, viewers look on. */
export const MEMBER_ROLES = ['owner', 'editor', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export interface Member {
  readonly id: string;
  readonly name: string;
  /** As it was given; the account behind it is `accountIdOf(email)`. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly removed: boolean;
  readonly role: MemberRole;
}

/** What a key may not do although its permissions allow it. */
export interface KeyLimits {
  /** From this instant on it opens nothing; null: it does not expire. */
  readonly expiresAt: number | null;
  /** It reads, and changes nothing. */
  readonly readOnly: boolean;
  /** Addresses, and ranges as in 10.0.0.0/8, that it is good from; empty: from everywhere. */
  readonly allowedIps: readonly string[];
}

export interface ApiKey {
  readonly id: string;
  readonly memberId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** SHA-256 of the key, hex: its row in `credentials`. */
  readonly tokenHash: string;
  readonly createdAt: number;
  readonly revoked: boolean;
  /** Absent: none. */
  readonly limits?: KeyLimits;
}

/** How an app became known: it registered itself, or its client id is the address of a document about it. */
export const REGISTRATIONS = ['itself', 'document'] as const;
export type Registration = (typeof REGISTRATIONS)[number];

/** A Member's consent that an app acts for them in this Workspace. It ends for good: revoked, or with its Member. */
export interface Approval {
  /** The id of the grant at the authorization server. */
  readonly id: string;
  readonly clientId: string;
  /** What the app calls itself. */
  readonly name: string;
  readonly registered: Registration;
  /** Where people are sent back to after consent. */
  readonly redirectHost: string;
  readonly memberId: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly revoked: boolean;
}

/** An address that was asked to join. It is removed when it is accepted, revoked or replaced. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  /** What the Member is to be called; null: who accepts says. */
  readonly name: string | null;
  readonly role: MemberRole;
  /** The Member who invited; null: an operator. */
  readonly invitedBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Work that is too large for one turn, done in bounded steps through the due weeks: cancels the scheduled Variants of
 * these Channels. `decide` goes by the state of the Channel at once; the rows follow with the sweep.
 */
export interface Sweep {
  readonly id: string;
  readonly channelIds: readonly string[];
  /** The next step: a ContinueSweep for another one is a repeat. */
  readonly next: { readonly dueWeek: number; readonly afterPostId: string | null };
}

/** Variants of one Channel that a hold keeps back, and those that one kept back and that are `publishing` now. */
export interface HeldCounts {
  readonly waiting: number;
  readonly underWay: number;
}

/** The small aggregate that a turn loads and replaces as a whole. Posts are not in it. */
export interface WorkspaceState {
  readonly id: string;
  readonly name: string;
  /** IANA name of the zone that its people plan in. Absent: nobody chose one, and each sees their own. */
  readonly timeZone?: string;
  readonly createdAt: number;
  readonly plan: PlanName;
  /** A pending Downgrade. */
  readonly comingPlan: { readonly plan: PlanName; readonly effectiveAt: number } | null;
  readonly members: Readonly<Record<string, Member>>;
  /** Every Channel that ever was, by id, in order of connecting. */
  readonly channels: Readonly<Record<string, Channel>>;
  readonly keys: Readonly<Record<string, ApiKey>>;
  /**
   * Posts counted in the calendar month (UTC) `month`, e.g. `2026-11`, and in the one before it, for what was stamped
   * at its end.
   */
  readonly usage: { readonly month: string; readonly posts: number; readonly previousPosts: number };
  readonly xCredits: { readonly available: number; readonly reserved: number };
  /** When credits that were paid for were added, by the purchase's id. Absent: none were, or long ago. */
  readonly purchases?: Readonly<Record<string, number>>;
  /** Bytes of its files, with those reserved. */
  readonly storage: { readonly bytes: number };
  readonly sweeps: readonly Sweep[];
  /** By Channel, those with such Variants only; absent: there are none. */
  readonly held?: Readonly<Record<string, HeldCounts>>;
  /** Endpoints by id, in order of registering. */
  readonly endpoints: Endpoints;
  /** By id, in order of approving; those that ended stay until a later consent has them forgotten. */
  readonly approvals: Readonly<Record<string, Approval>>;
  /** By id; at most one for each address. */
  readonly invitations: Readonly<Record<string, Invitation>>;
  /**
   * Of how many Members, in their order, the rows were written by which accounts find this Workspace. Turns write the
   * rest, a bounded number each: a Workspace of a release without such rows begins at 0.
   */
  readonly membershipsWritten: number;
}
