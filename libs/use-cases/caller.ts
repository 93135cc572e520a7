import type { Credential, Origin } from '#domain/workspace/request-envelope.ts';
import { LOOKS_ON } from '#domain/workspace/member-rights.ts';
import type { KeyLimits, Permission } from '#domain/workspace/state.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import { failed, type UseCaseResult } from './outcome.ts';

/** For whom a request is made, by its key or its app's token. */
export interface Caller {
  readonly workspaceId: string;
  readonly credential: Credential;
  /** Whose requests count together: a key's, or those of an app for one Member in one Workspace. */
  readonly budgetId: string;
  readonly permissions: readonly Permission[];
  /** The key's name, or what the app calls itself. */
  readonly name: string;
  /** The Member behind it. */
  readonly memberName: string;
  /** Of a key; absent: none. */
  readonly limits?: KeyLimits;
}

/** An authenticated call, the same for every transport. */
export interface ApiCall extends Pick<Caller, 'workspaceId' | 'credential' | 'permissions'>, TraceCarrier {
  /** A UUIDv7 of this request, and of the command that it sends. */
  readonly requestId: string;
  /** Where it came from, for the audit. */
  readonly origin: Origin;
  /** Aborted when the client no longer waits for the answer: requests to other hosts on its behalf end then. */
  readonly signal: AbortSignal;
}

const ADVICE: Readonly<Record<Permission, string>> = {
  'posts:schedule': 'schedule and read Posts',
  'posts:publish': 'publish now or retry. Give scheduledAt instead, or use one that has it',
  'webhooks:manage': 'manage webhooks',
};

/** Null when the call has the permission. */
export function missingPermission(
  call: ApiCall,
  permission: Permission,
): Extract<UseCaseResult<never>, { ok: false }> | null {
  if (call.permissions.includes(permission)) return null;
  const holder = nounOf(call);
  if (holder === 'Member') return failed('forbidden', LOOKS_ON);
  return failed(
    'forbidden',
    `This ${holder} lacks the permission ${permission}, which is needed to ${ADVICE[permission]}.`,
  );
}

const NOUNS = { key: 'key', app: 'token', member: 'Member' } as const;

/** What the caller has or is, in texts for a person. */
export function nounOf({ credential }: Pick<Caller, 'credential'>): (typeof NOUNS)[Credential['kind']] {
  return NOUNS[credential.kind];
}

/** The id by which uses of a key or an approval are noted; null: a Member calls in person. */
export function credentialIdOf({ credential }: Pick<Caller, 'credential'>): string | null {
  if (credential.kind === 'member') return null;
  return credential.kind === 'key' ? credential.keyId : credential.approvalId;
}

/** The caller in log lines. */
export function callerFacts(caller: Pick<Caller, 'workspaceId' | 'credential'> | null): {
  readonly workspaceId?: string;
  readonly keyId?: string;
  readonly approvalId?: string;
  readonly memberId?: string;
} {
  if (caller === null) return {};
  const { kind: _, ...id } = caller.credential;
  return { workspaceId: caller.workspaceId, ...id };
}
