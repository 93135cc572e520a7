import type { Permission } from '#domain/workspace/state.ts';
import { failed, type UseCaseResult } from './outcome.ts';

/** An authenticated call, the same for every transport. */
export interface ApiCall {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  /** A UUIDv7 of this request, and of the command that it sends. */
  readonly requestId: string;
  /** Aborted when the client no longer waits for the answer: requests to other hosts on its behalf end then. */
  readonly signal: AbortSignal;
}

const ADVICE: Readonly<Record<Permission, string>> = {
  'posts:schedule': 'schedule and read Posts',
  'posts:publish': 'publish now or retry. Give scheduledAt instead, or use a key that has it',
  'webhooks:manage': 'manage webhooks',
};

/** Null when the call has the permission. Every key has `posts:schedule`. */
export function missingPermission(
  call: ApiCall,
  permission: Permission,
): Extract<UseCaseResult<never>, { ok: false }> | null {
  if (permission === 'posts:schedule' || call.permissions.includes(permission)) return null;
  return failed('forbidden', `This key lacks the permission ${permission}, which is needed to ${ADVICE[permission]}.`);
}
