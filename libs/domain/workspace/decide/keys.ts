import type { CreateKey, RevokeKey } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { loaded } from '../post-changes.ts';
import { done, refuse, type DecideResult, type DecisionContext } from '../decision-context.ts';
import { opensNothing } from '../room.ts';
import { PERMISSIONS, type ApiKey } from '../state.ts';
import { stopEndpoints } from './endpoints.ts';

/** Keeps the Workspace's one row small: it is read and written whole. */
const MAX_KEYS = 1_000;
const MAX_ALLOWED_IPS = 50;
/** The same text whether another Workspace has the value, had it, or claimed it first: it reveals nothing of others. */
const TAKEN = 'This API key can not be given out. Choose another, or leave apiKey out and one is made.';

/**
 * The same value again in one Workspace is a second key: it authenticates as the newer one, and revoking either ends
 * the value.
 */
export function createKey({ state, view }: DecisionContext, command: CreateKey): DecideResult {
  const member = state.members[command.memberId];
  if (!member || member.removed) return refuse(state, 'not_found', 'There is no such Member.');
  if (member.role === 'viewer')
    return refuse(
      state,
      'forbidden',
      `${member.name} is a viewer, whose key could do nothing. Make an editor of them.`,
    );
  if (state.keys[command.keyId]) return refuse(state, 'invalid_request', 'There is a key with this id already.');
  const wrong = limitsProblem(command);
  if (wrong !== null) return refuse(state, 'invalid_request', wrong);
  if (loaded(view.tokenOwners, command.tokenHash) !== state.id) return refuse(state, 'key_taken', TAKEN);
  if (Object.values(state.keys).filter((key) => !opensNothing(key, command.issuedAt)).length >= MAX_KEYS) {
    return refuse(state, 'limit_reached', `A Workspace has ${MAX_KEYS} keys at most. Revoke those that are not used.`);
  }
  const key: ApiKey = {
    id: command.keyId,
    memberId: member.id,
    name: command.name,
    permissions: PERMISSIONS.filter(
      (permission) => permission === 'posts:schedule' || command.permissions.includes(permission),
    ),
    tokenHash: command.tokenHash,
    createdAt: command.issuedAt,
    revoked: false,
    ...(command.limits !== undefined && { limits: command.limits }),
  };
  const effect = { kind: 'credential', key, memberName: member.name, memberRemoved: false } as const;
  return done({ ...state, keys: { ...state.keys, [key.id]: key } }, [effect]);
}

/** Null: the limits are none, or such as a key can have. */
function limitsProblem({ limits, permissions, issuedAt }: CreateKey): string | null {
  if (limits === undefined) return null;
  if (limits.expiresAt !== null && limits.expiresAt <= issuedAt) return 'expiresAt must lie ahead.';
  if (limits.readOnly && permissions.some((permission) => permission !== 'posts:schedule'))
    return 'A key that only reads can not have posts:publish or webhooks:manage. Leave them out, or readOnly.';
  return limits.allowedIps.length > MAX_ALLOWED_IPS
    ? `allowedIps has ${MAX_ALLOWED_IPS} addresses and ranges at most.`
    : null;
}

/** Endpoints registered with the key stop with it: the key's holder may have registered endpoints of their own. */
export function revokeKey({ state, now }: DecisionContext, command: RevokeKey): DecideResult {
  const key = state.keys[command.keyId];
  const member = key && state.members[key.memberId];
  if (!key || !member) return refuse(state, 'not_found', 'There is no such key.');
  if (key.revoked) return done(state);
  const revoked: ApiKey = { ...key, revoked: true };
  const effect = { kind: 'credential', key: revoked, memberName: member.name, memberRemoved: member.removed } as const;
  const endpoints = stopEndpoints(state.endpoints, ({ keyId }) => keyId === key.id, now);
  const effects: readonly Effect[] = endpoints === null ? [effect] : [effect, { kind: 'endpoints-changed' }];
  return done(
    { ...state, keys: { ...state.keys, [key.id]: revoked }, endpoints: endpoints ?? state.endpoints },
    effects,
  );
}
