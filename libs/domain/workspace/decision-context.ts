import type { Via } from '../post/post.ts';
import type { Credential } from './request-envelope.ts';
import type { Effect } from './effects.ts';
import type { Refusal, RefusalCode, Result } from './results.ts';
import type { Member, Permission, WorkspaceState } from './state.ts';
import type { Decide, DecisionInput } from './decision.ts';
import { shownNameOf } from './shown-name.ts';

/** What a command of a Workspace that exists is decided from. */
export interface DecisionContext extends DecisionInput {
  readonly state: WorkspaceState;
}

export type DecideResult = ReturnType<Decide>;

export function unchanged(state: WorkspaceState | null, result: Result | null = null): DecideResult {
  return { state, posts: [], result, effects: [], rest: null };
}

export function refusal(code: RefusalCode, message: string, more: Pick<Refusal, 'blockers' | 'upgrade'> = {}): Refusal {
  return { ok: false, code, message, ...more };
}

/** A refusal changes nothing. */
export function refuse(state: WorkspaceState | null, code: RefusalCode, message: string): DecideResult {
  return unchanged(state, refusal(code, message));
}

export function done(state: WorkspaceState, effects: readonly Effect[] = []): DecideResult {
  return { state, posts: [], result: { ok: true, kind: 'done' }, effects, rest: null };
}

/** The caller of a command, and what its Posts are marked with. All null: an operator, who may do anything. */
export type Authorization =
  /** `via` null: the Member did it by hand. */
  | { readonly ok: true; readonly credential: Credential; readonly member: Member; readonly via: Via | null }
  | { readonly ok: true; readonly credential: null; readonly member: null; readonly via: null }
  | Refusal;

/**
 * Checked here again, since a key or an approval can be revoked, or its Member removed, after ingress checked it. A
 * viewer's key changes nothing: a viewer's apps have ended with the role.
 */
export function authorize(state: WorkspaceState, credential: Credential | null, permission: Permission): Authorization {
  if (credential === null) return { ok: true, credential, member: null, via: null };
  switch (credential.kind) {
    case 'key':
      return authorizeKey(state, credential, permission);
    case 'app':
      return authorizeApp(state, credential, permission);
    case 'member':
      return authorizeMember(state, credential);
  }
}

/** What the role of a Member allows is judged for the whole command, by `lackOfRight`. */
function authorizeMember({ members }: WorkspaceState, credential: CredentialOf<'member'>): Authorization {
  const member = members[credential.memberId];
  return member === undefined || member.removed
    ? refusal('unauthorized', 'You are no Member of this Workspace any more.')
    : { ok: true, credential, member, via: null };
}

type CredentialOf<K extends Credential['kind']> = Extract<Credential, { readonly kind: K }>;

export const READS_ONLY = 'This API key only reads, and this would change something. Use a key that may.';

function authorizeKey(
  { keys, members }: WorkspaceState,
  credential: CredentialOf<'key'>,
  permission: Permission,
): Authorization {
  const key = keys[credential.keyId];
  const member = key && members[key.memberId];
  if (!key || !member || key.revoked || member.removed)
    return refusal('unauthorized', 'This API key is not valid any more.');
  if (member.role === 'viewer')
    return refusal('forbidden', `This API key changes nothing: ${shownNameOf(member)}, who has it, is a viewer now.`);
  if (key.limits?.readOnly === true) return refusal('forbidden', READS_ONLY);
  if (permission !== 'posts:schedule' && !key.permissions.includes(permission)) {
    return refusal('forbidden', `This API key does not have the permission ${permission}.`);
  }
  return { ok: true, credential, member, via: { kind: 'key', name: key.name, by: shownNameOf(member) } };
}

const DEEDS: Readonly<Record<Permission, string>> = {
  'posts:schedule': 'schedule and read Posts',
  'posts:publish': 'publish now or retry',
  'webhooks:manage': 'manage webhooks',
};

function authorizeApp(
  { approvals, members }: WorkspaceState,
  credential: CredentialOf<'app'>,
  permission: Permission,
): Authorization {
  const approval = approvals[credential.approvalId];
  const member = approval && members[approval.memberId];
  if (!approval || !member || approval.revoked || !mayApprove(member))
    return refusal('unauthorized', "This app's access to the Workspace has ended. Connect it again and approve it.");
  if (!approval.permissions.includes(permission)) {
    return refusal(
      'forbidden',
      `This app may not ${DEEDS[permission]}: it was not given the permission ${permission}. Approve it again with that.`,
    );
  }
  return { ok: true, credential, member, via: { kind: 'app', name: approval.name, by: shownNameOf(member) } };
}

/** Whether apps may act for the Member: present, and no viewer. */
export function mayApprove({ removed, role }: Member): boolean {
  return !removed && role !== 'viewer';
}
