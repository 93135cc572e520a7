import type { Permission } from '#domain/workspace/state.ts';
import { failed, type UseCaseResult } from './outcome.ts';

/** Who asks, as authenticated, and under which id. The same for every transport. */
export interface ApiCall {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  /** A UUIDv7 of this request; that of the command it leads to. */
  readonly requestId: string;
  /** Aborted when nobody waits for the answer any more: questions asked for its sake alone end with it. */
  readonly signal: AbortSignal;
}

const ADVICE: Readonly<Record<Permission, string>> = {
  'posts:schedule': 'schedule and read Posts',
  'posts:publish': 'publish now or retry. Give scheduledAt instead, or use a key that has it',
  'webhooks:manage': 'manage webhooks',
};

/** Null when the call may. `posts:schedule` comes with every key. */
export function missingPermission(
  call: ApiCall,
  permission: Permission,
): Extract<UseCaseResult<never>, { ok: false }> | null {
  if (permission === 'posts:schedule' || call.permissions.includes(permission)) return null;
  return failed('forbidden', `This key lacks the permission ${permission}, which is needed to ${ADVICE[permission]}.`);
}
