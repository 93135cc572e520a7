import type { Permission } from '#domain/workspace/state.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { OAUTH_RECORDS } from '../declarations/tables.ts';

/** What the authorization server keeps of one client, interaction, code or token. */
export interface OAuthRecord {
  /** The authorization server's own facts under a SecretBox. They do not hold the id that the row is found by. */
  readonly sealed: string;
  /** Milliseconds by the Clock port; past it the record is as good as gone, whatever the store still holds. */
  readonly expiresAt: number;
  /** When it was first used, of what may be used once; null: not yet. */
  readonly consumedAt: number | null;
  /** The approval that it stands for; null: none, as of a client. */
  readonly approvalId: string | null;
  /** What an access token opens; null of everything else. */
  readonly access: { readonly resource: string; readonly permissions: readonly Permission[] } | null;
}

/** Whose record it is: the name of the authorization server's model, and the SHA-256 of its id, lower-case hex. */
export interface OAuthRecordKey {
  readonly kind: string;
  readonly idHash: string;
}

export interface StoredOAuthRecord {
  /** Null: it was removed. */
  readonly record: OAuthRecord | null;
  readonly version: number;
}

export interface OAuthRecordChange {
  /** The version that is replaced; null: there must be no row yet. */
  readonly over: number | null;
  /** Null: it is removed for good. */
  readonly record: OAuthRecord | null;
  /** New for each write. */
  readonly token: string;
  /** After which the store may collect the row. */
  readonly ttlSeconds: number;
}

/** Null: there never was one, or the store collected it. Rejects with `PortError`. */
export async function findOAuthRecord(
  store: TableStore,
  { kind, idHash }: OAuthRecordKey,
): Promise<StoredOAuthRecord | null> {
  // A serial read settles writes in flight: of two uses of a code the second has to see the first.
  const row = await store.read(OAUTH_RECORDS, [kind, idHash], [], { serial: true });
  return row === null ? null : { record: decodeBody<OAuthRecord>(row), version: row.version };
}

/** What a record is sealed for. */
export const oauthRecordContext = ({ kind, idHash }: OAuthRecordKey): string => `oauth/${kind}/${idHash}`;

/** A row outlives its record by this, so that no difference between the store's clock and ours ends a record early. */
const TTL_SLACK_SECONDS = 3_600;

/** How long the row of a record is kept from now on. */
export const oauthRecordTtl = ({ expiresAt }: Pick<OAuthRecord, 'expiresAt'>, now: number): number =>
  Math.ceil(Math.max(0, expiresAt - now) / 1000) + TTL_SLACK_SECONDS;

/** False: another process changed it first. Rejects with `PortError` when the store can not tell. */
export function changeOAuthRecord(
  store: TableStore,
  { kind, idHash }: OAuthRecordKey,
  { record, ...change }: OAuthRecordChange,
): Promise<boolean> {
  return settledWrite(store, OAUTH_RECORDS, replacing([kind, idHash], [], { ...change, value: record }));
}

/** An app's access token, as a request needs it. */
export interface AppToken {
  readonly approvalId: string;
  /** The one resource that it is for. */
  readonly resource: string;
  /** At most; the approval's permissions bound them. */
  readonly permissions: readonly Permission[];
  /** Milliseconds by the Clock port. */
  readonly expiresAt: number;
}

/** Of access tokens among the kinds of records. */
export const ACCESS_TOKEN = 'AccessToken';

/**
 * Null: there is none, or it was revoked. It may have expired, and its approval may have ended: both are the caller's
 * to judge. `tokenHash`: SHA-256 of the token, lower-case hex. Rejects with `PortError`.
 */
export async function findAppToken(store: TableStore, tokenHash: string): Promise<AppToken | null> {
  const row = await store.read(OAUTH_RECORDS, [ACCESS_TOKEN, tokenHash], []);
  const record = row === null ? null : decodeBody<OAuthRecord>(row);
  if (record === null || record.approvalId === null || record.access === null) return null;
  return { approvalId: record.approvalId, ...record.access, expiresAt: record.expiresAt };
}
