import type { Channel } from '../channel/channel.ts';
import type { PlanName } from '../plan/plan.ts';
import type { Endpoints } from '../webhook/endpoint.ts';

export const PERMISSIONS = ['posts:schedule', 'posts:publish', 'webhooks:manage'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly removed: boolean;
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

/** The small aggregate that a turn loads and replaces as a whole. Posts are not in it. */
export interface WorkspaceState {
  readonly id: string;
  readonly name: string;
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
  /** Bytes of its files, with those reserved. */
  readonly storage: { readonly bytes: number };
  readonly sweeps: readonly Sweep[];
  /** Endpoints by id, in order of registering. */
  readonly endpoints: Endpoints;
}
