import type { Credential } from './commands.ts';
import type { Effect } from './effects.ts';
import type { Refusal, RefusalCode, Result } from './results.ts';
import type { ApiKey, Member, Permission, WorkspaceState } from './state.ts';
import type { Decide } from './decision.ts';
import type { Rules } from './rules.ts';
import type { View } from './loads.ts';

/** What every family of commands is decided from. */
export interface Situation {
  readonly state: WorkspaceState;
  readonly view: View;
  readonly now: number;
  readonly rules: Rules;
}

export type Outcome = ReturnType<Decide>;

export function unchanged(state: WorkspaceState | null, result: Result | null = null): Outcome {
  return { state, posts: [], result, effects: [], rest: null };
}

export function refusal(code: RefusalCode, message: string, more: Pick<Refusal, 'blockers' | 'upgrade'> = {}): Refusal {
  return { ok: false, code, message, ...more };
}

/** A refusal changes nothing, whatever was found out on the way to it. */
export function refuse(state: WorkspaceState | null, code: RefusalCode, message: string): Outcome {
  return unchanged(state, refusal(code, message));
}

export function done(state: WorkspaceState, effects: readonly Effect[] = []): Outcome {
  return { state, posts: [], result: { ok: true, kind: 'done' }, effects, rest: null };
}

/** Who stands behind a command. `key` and `member` null: an operator, who may do anything. */
export type Standing =
  | { readonly ok: true; readonly key: ApiKey; readonly member: Member }
  | { readonly ok: true; readonly key: null; readonly member: null }
  | Refusal;

/** Judged again here because a key can be revoked, or its Member removed, after ingress looked. */
export function standingOf(state: WorkspaceState, credential: Credential | null, permission: Permission): Standing {
  if (credential === null) return { ok: true, key: null, member: null };
  const key = state.keys[credential.keyId];
  const member = key && state.members[key.memberId];
  if (!key || !member || key.revoked || member.removed) return refusal('unauthorized', 'This API key is not valid any more.');
  if (permission !== 'posts:schedule' && !key.permissions.includes(permission)) {
    return refusal('forbidden', `This API key does not have the permission ${permission}.`);
  }
  return { ok: true, key, member };
}
