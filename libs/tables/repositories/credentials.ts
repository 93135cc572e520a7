import type { ApiKey, KeyLimits, Permission } from '#domain/workspace/state.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key, Row } from '#ports/table.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { CREDENTIAL_OWNERS, CREDENTIALS } from '../declarations/tables.ts';

/** Whom a key stands for: all that a request needs before its Workspace is asked. */
export interface StoredCredential {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly permissions: readonly Permission[];
  /** The key was revoked, or its Member removed. */
  readonly revoked: boolean;
  /** Absent: none. */
  readonly limits?: KeyLimits;
}

/**
 * As rows hold it. Releases that do not know limits go by `revoked`, and refuse a key that has some, rather than let it
 * do more than it may.
 */
type CredentialRow = Omit<StoredCredential, 'limits'> & {
  readonly limited?: { readonly limits: KeyLimits; readonly revoked: boolean };
};

/** What the Workspace says of a key when it carries out its `credential` effect. */
export interface KeyFacts {
  readonly key: ApiKey;
  readonly memberName: string;
  readonly memberRemoved: boolean;
}

/** The (partition, clustering, value) of a key's row. */
export function credentialRow(
  workspaceId: string,
  { key, memberName, memberRemoved }: KeyFacts,
): { partition: Key; clustering: Key; value: CredentialRow } {
  const revoked = key.revoked || memberRemoved;
  const value: CredentialRow = {
    workspaceId,
    keyId: key.id,
    keyName: key.name,
    memberId: key.memberId,
    memberName,
    permissions: key.permissions,
    revoked: revoked || key.limits !== undefined,
    ...(key.limits !== undefined && { limited: { limits: key.limits, revoked } }),
  };
  return { partition: [key.tokenHash], clustering: [], value };
}

/** Null when there is no such key. `tokenHash`: SHA-256 of the key, lower-case hex. Rejects with `PortError`. */
export async function findCredential(store: TableStore, tokenHash: string): Promise<StoredCredential | null> {
  const row = await store.read(CREDENTIALS, [tokenHash], []);
  const stored = row === null ? null : decodeBody<CredentialRow>(row);
  if (stored?.limited === undefined) return stored;
  const { limited, ...credential } = stored;
  return { ...credential, ...limited };
}

/**
 * The Workspace that a key's value belongs to for good: `workspaceId`, unless another one was first. Only then may the
 * value's row be written: rows of two Workspaces would be ordered by timestamps that have nothing to do with each
 * other, and the value would open either. Of several at once one is first; asking again gives the same answer. Rejects
 * with `PortError`.
 */
export async function claimTokenHash(store: TableStore, tokenHash: string, workspaceId: string): Promise<string> {
  // Keys of releases before the claims have a row and no claim.
  const known = await findCredential(store, tokenHash);
  if (known !== null) return known.workspaceId;
  const next = { version: 1, token: workspaceId, body: encodeBody({ workspaceId }), format: BODY_FORMAT };
  try {
    const outcome = await store.compareAndSet(CREDENTIAL_OWNERS, {
      partition: [tokenHash],
      clustering: [],
      expected: null,
      next,
    });
    if (outcome.applied) return workspaceId;
    if (outcome.current !== null) return ownerIn(outcome.current);
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
  }
  const row = await store.read(CREDENTIAL_OWNERS, [tokenHash], [], { serial: true });
  if (row === null) throw new PortError('unavailable', "the owner of a key's value was not written");
  return ownerIn(row);
}

function ownerIn(row: Row): string {
  return decodeBody<{ readonly workspaceId: string }>(row)!.workspaceId;
}
