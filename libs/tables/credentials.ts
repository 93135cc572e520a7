import type { ApiKey, Permission } from '#domain/workspace/state.ts';
import type { Key, TableStore } from '#ports/table-store.ts';
import { decodeBody } from './body.ts';
import { CREDENTIALS } from './tables.ts';

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
}

/** What the Workspace says of a key when it carries out its `credential` effect. */
export interface KeyFacts {
  readonly key: ApiKey;
  readonly memberName: string;
  readonly memberRemoved: boolean;
}

/** The (partition, clustering, value) of a key's row. */
export function credentialRow(workspaceId: string, { key, memberName, memberRemoved }: KeyFacts): { partition: Key; clustering: Key; value: StoredCredential } {
  const value: StoredCredential = {
    workspaceId,
    keyId: key.id,
    keyName: key.name,
    memberId: key.memberId,
    memberName,
    permissions: key.permissions,
    revoked: key.revoked || memberRemoved,
  };
  return { partition: [key.tokenHash], clustering: [], value };
}

/** Null when there is no such key. `tokenHash`: SHA-256 of the key, lower-case hex. Rejects with `PortError`. */
export async function findCredential(store: TableStore, tokenHash: string): Promise<StoredCredential | null> {
  const row = await store.read(CREDENTIALS, [tokenHash], []);
  return row === null ? null : decodeBody<StoredCredential>(row);
}
