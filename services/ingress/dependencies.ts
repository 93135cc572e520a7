import type { Permission } from '#domain/workspace/state.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';
import type { StoredCredential } from '#tables/repositories/credentials.ts';

/** What ingress alone uses of other rooms. Each rejects with `PortError` when it can not do its work. */

export type FindCredential = (tokenHash: string) => Promise<StoredCredential | null>;

/** An app's token with the approval that it stands on. */
export interface AppAccess {
  /** The address that the token is for. */
  readonly resource: string;
  /** What the token was asked for: at most what its approval allows counts. */
  readonly permissions: readonly Permission[];
  /** By the Clock port. */
  readonly expiresAt: number;
  readonly approval: StoredApproval;
}

/** Null: there is no such token, or its approval is gone. */
export type FindAppAccess = (tokenHash: string) => Promise<AppAccess | null>;

/** Remembers that an API key, or an app by its approval, was used. Returns at once, and never throws. */
export type NoteUse = (credentialId: string) => void;

/** The Workspace that owns an asset; null: there is no such asset. */
export type FindAssetOwner = (assetId: string) => Promise<string | null>;
