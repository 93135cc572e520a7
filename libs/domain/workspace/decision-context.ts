import type { Credential } from './commands.ts';
import type { Effect } from './effects.ts';
import type { Refusal, RefusalCode, Result } from './results.ts';
import type { ApiKey, Member, Permission, WorkspaceState } from './state.ts';
import type { Decide, DecisionInput } from './decision.ts';

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

/** The caller of a command. `key` and `member` null: an operator, who may do anything. */
export type Authorization =
  | { readonly ok: true; readonly key: ApiKey; readonly member: Member }
  | { readonly ok: true; readonly key: null; readonly member: null }
  | Refusal;

/** Checked here again, since a key can be revoked, or its Member removed, after ingress checked it. */
export function authorize(state: WorkspaceState, credential: Credential | null, permission: Permission): Authorization {
  if (credential === null) return { ok: true, key: null, member: null };
  const key = state.keys[credential.keyId];
  const member = key && state.members[key.memberId];
  if (!key || !member || key.revoked || member.removed)
    return refusal('unauthorized', 'This API key is not valid any more.');
  if (permission !== 'posts:schedule' && !key.permissions.includes(permission)) {
    return refusal('forbidden', `This API key does not have the permission ${permission}.`);
  }
  return { ok: true, key, member };
}
