import { hash } from 'node:crypto';
import type { StoredCredential } from '#tables/repositories/credentials.ts';
import type { FindCredential } from './dependencies.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';

const BEARER = /^Bearer +([^\s,]+) *$/i;
/** The form of keys. A token of another form is refused without a read. */
const KEY = /^crier_[\w-]{16,200}$/;

const MISSING = failed('unauthorized', 'An API key is needed: send the header Authorization: Bearer <API key>.');
const UNKNOWN = failed('unauthorized', 'This API key is not known, or it was revoked.');

/** The digest by which a key is stored and looked up: SHA-256, lower-case hex. */
export function tokenHashOf(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/** The credential of the `Authorization` header. Rejects with `PortError` when it can not be looked up. */
export async function authenticate(
  authorization: string | undefined,
  find: FindCredential,
): Promise<UseCaseResult<StoredCredential>> {
  const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (key === undefined) return MISSING;
  if (!KEY.test(key)) return UNKNOWN;
  const credential = await find(tokenHashOf(key));
  return credential === null || credential.revoked ? UNKNOWN : done(credential);
}
