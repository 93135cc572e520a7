import type { MemberRole } from '#domain/workspace/state.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { SIGN_IN_LINKS } from '../declarations/tables.ts';

/** What accepting an invitation takes. The Member's id is fixed, so that it can be repeated. */
export interface InvitationOfLink {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly invitationId: string;
  readonly memberId: string;
  readonly role: MemberRole;
  /** What the Member is to be called. */
  readonly name: string;
}

/** unused -> used, again and again only while no use has led to a session; never back. */
export interface SignInLink {
  readonly email: string;
  readonly purpose: 'sign-in' | 'invitation' | 'demo';
  /** SHA-256 of the key of the browser that asked; null: no browser did. */
  readonly browserHash: string | null;
  /** Where the browser that asked was going: a path on our own address. */
  readonly returnPath: string;
  readonly expiresAt: number;
  /** The session that the newest use leads to; null: not used yet. */
  readonly usedFor: { readonly sessionHash: string } | null;
  /** Of the purpose `invitation` only. */
  readonly invitation: InvitationOfLink | null;
}

export interface StoredSignInLink extends SignInLink {
  readonly version: number;
}

/** A link is remembered for a day after it expired, so that who opens it late is told that it was right once. */
const KEPT_AFTER_SECONDS = 86_400;

/** Null: there is none, or it was forgotten. Rejects with `PortError`. */
export async function findSignInLink(store: TableStore, linkHash: string): Promise<StoredSignInLink | null> {
  const row = await store.read(SIGN_IN_LINKS, [linkHash], []);
  const link = row === null ? null : decodeBody<SignInLink>(row);
  return row === null || link === null ? null : { ...link, version: row.version };
}

export interface SignInLinkWrite {
  /** What is replaced; null: the link is new. */
  readonly over: StoredSignInLink | null;
  readonly next: SignInLink;
  /** New for each write. */
  readonly token: string;
  readonly now: number;
}

/** False: it was used meanwhile. Rejects with `PortError` when the store can not tell. */
export async function writeSignInLink(
  store: TableStore,
  linkHash: string,
  { over, next, token, now }: SignInLinkWrite,
): Promise<boolean> {
  const lifeSeconds = Math.max(0, Math.ceil((next.expiresAt - now) / 1000));
  // Only the fields of a link, whatever else the object has.
  const { email, purpose, browserHash, returnPath, expiresAt, usedFor, invitation } = next;
  const replacement = {
    over: over?.version ?? null,
    value: { email, purpose, browserHash, returnPath, expiresAt, usedFor, invitation } satisfies SignInLink,
    token,
    ttlSeconds: lifeSeconds + KEPT_AFTER_SECONDS,
  };
  return settledWrite(store, SIGN_IN_LINKS, replacing([linkHash], [], replacement));
}
