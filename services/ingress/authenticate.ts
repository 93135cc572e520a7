import { hash } from 'node:crypto';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Clock } from '#ports/clock.ts';
import type { StoredCredential } from '#tables/repositories/credentials.ts';
import { isMistyped } from '#use-cases/api-key.ts';
import type { Caller } from '#use-cases/caller.ts';
import type { AppAccess, FindAppAccess, FindCredential } from './dependencies.ts';
import { resourceOf, type ResourceName } from './resources.ts';

const BEARER = /^Bearer +([^\s,]+) *$/i;
/** The form of keys, and of what was meant as one. A text of this form is never an app's token. */
const KEY = /^crier_[\w-]{16,200}$/;
const MEANT_AS_KEY = /^crier_/;
/** The form of apps' tokens. A text of neither form is refused without a read. */
const TOKEN = /^[\w-]{20,200}$/;

/** Why somebody is not let in: `message` says it to a person, `reason` to operators. */
export interface AuthenticationFailure {
  readonly ok: false;
  readonly reason: 'missing' | 'unknown' | 'expired' | 'other_resource' | 'key';
  readonly message: string;
}

export type Authentication = { readonly ok: true; readonly caller: Caller } | AuthenticationFailure;

/** Who the `Authorization` header of a request for `resource` stands for. Rejects with `PortError`. */
export type Authenticate = (authorization: string | undefined, resource: ResourceName) => Promise<Authentication>;

export interface AuthenticateOptions {
  readonly findCredential: FindCredential;
  readonly findAppAccess: FindAppAccess;
  readonly clock: Pick<Clock, 'now'>;
  readonly publicUrl: () => string;
}

/** The digest by which keys and tokens are stored and looked up: SHA-256, lower-case hex. */
export function tokenHashOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Judges keys and apps' tokens alike, by what `findCredential` and `findAppAccess` say. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { findCredential, findAppAccess, clock, publicUrl } = options;

  const ofKey = async (key: string): Promise<Authentication> => {
    const credential = await findCredential(tokenHashOf(key));
    if (credential === null || credential.revoked) return UNKNOWN.api;
    const endsAt = credential.limits?.expiresAt ?? null;
    return endsAt !== null && endsAt <= clock.now() ? KEY_EXPIRED : { ok: true, caller: callerOfKey(credential) };
  };

  const ofToken = async (token: string, resource: ResourceName): Promise<Authentication> => {
    const access = await findAppAccess(tokenHashOf(token));
    if (access === null || access.approval.revoked) return UNKNOWN[resource];
    if (access.expiresAt <= clock.now()) return EXPIRED;
    const wanted = resourceOf(resource, publicUrl());
    if (withoutSlash(access.resource) !== wanted) return otherResource(wanted);
    return { ok: true, caller: callerOfApp(access) };
  };

  return async (authorization, resource) => {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined) return MISSING[resource];
    if (MEANT_AS_KEY.test(token)) {
      if (resource === 'mcp') return KEY_ON_MCP;
      if (!KEY.test(token)) return UNKNOWN.api;
      return isMistyped(token) ? MISTYPED : ofKey(token);
    }
    return TOKEN.test(token) ? ofToken(token, resource) : UNKNOWN[resource];
  };
}

function callerOfKey({ workspaceId, keyId, keyName, memberName, permissions, limits }: StoredCredential): Caller {
  return {
    workspaceId,
    credential: { kind: 'key', keyId },
    budgetId: keyId,
    // Every key may read and schedule.
    permissions: PERMISSIONS.filter((one) => one === 'posts:schedule' || permissions.includes(one)),
    name: keyName,
    memberName,
    ...(limits !== undefined && { limits }),
  };
}

/** Budgets of apps begin so, and those of keys are UUIDs. */
const APP_BUDGET = 'app/';

export function isBudgetOfApp(budgetId: string): boolean {
  return budgetId.startsWith(APP_BUDGET);
}

function callerOfApp({ permissions, approval }: AppAccess): Caller {
  const { workspaceId, approvalId, clientId, memberId, name, memberName } = approval;
  return {
    workspaceId,
    credential: { kind: 'app', approvalId },
    budgetId: `${APP_BUDGET}${hash('sha256', `${clientId}|${memberId}|${workspaceId}`, 'hex')}`,
    // A token may have been asked for less than its approval allows.
    permissions: PERMISSIONS.filter((one) => permissions.includes(one) && approval.permissions.includes(one)),
    name,
    memberName,
  };
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}

function refused(reason: AuthenticationFailure['reason'], message: string): AuthenticationFailure {
  return { ok: false, reason, message };
}

const MISSING = {
  api: refused('missing', 'An API key is needed: send the header Authorization: Bearer <API key>.'),
  mcp: refused('missing', 'Sign in is needed: add this address to your app, which then asks you for your approval.'),
};
const UNKNOWN = {
  api: refused('unknown', 'This API key or token is not known, or it was revoked.'),
  mcp: refused('unknown', 'This token is not known, or its approval ended. Please approve the app again.'),
};
const MISTYPED = refused(
  'unknown',
  'This API key is not whole: its checksum does not fit. Copy it again, with all its characters.',
);
const EXPIRED = refused('expired', 'This token has expired. The app can get another one with its refresh token.');
const KEY_EXPIRED = refused('expired', 'This API key has expired. Make another one in the app.');
const KEY_ON_MCP = refused(
  'key',
  'API keys are for the REST API. This address takes the token of an app that you approved: add it to the app without a key.',
);

function otherResource(wanted: string): AuthenticationFailure {
  return refused('other_resource', `This token is for another resource. Ask for one whose resource is ${wanted}.`);
}
