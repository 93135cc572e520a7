import type { Network } from '#domain/network.ts';
import type { Ids } from '#ports/ids.ts';
import type { Account, Accounts } from './accounts.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/** One consent of a person to an app; every token that was made of it dies with it. */
export interface Grant {
  readonly grantId: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Requested scopes that are not allowed, or no longer. */
  readonly declined?: readonly string[];
  readonly generation: number;
  readonly revoked: boolean;
}

/** An authorization code that was not exchanged yet. */
export interface Code {
  readonly network: Network;
  readonly accountId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Requested scopes that were not allowed. */
  readonly declined?: readonly string[];
  /** PKCE S256; null where the Network has none. */
  readonly challenge: string | null;
  readonly expiresAt: number;
}

export interface Token {
  readonly network: Network;
  readonly kind: 'access' | 'refresh';
  readonly grantId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Single-use tokens that were used. */
  readonly spent: boolean;
  /** Where a Network has access tokens of two lifetimes. */
  readonly longLived: boolean;
  /** Where a Network has tokens of people and of their Pages. */
  readonly subject?: 'person' | 'page';
}

export interface GrantHolder {
  readonly token: Token;
  readonly grant: Grant;
  readonly account: Account;
}

export type TokenState =
  { readonly state: 'unknown' } | ({ readonly state: 'live' | 'expired' | 'revoked' | 'spent' } & GrantHolder);

export interface NewToken extends Omit<Token, 'grantId' | 'spent' | 'expiresAt'> {
  readonly lifeMs: number;
}

export interface Grants {
  issueCode(code: Code): string;
  /** Removes and returns the code, so that it can be exchanged only once. */
  takeCode(network: Network, code: string): Code | null;
  begin(code: Pick<Code, 'accountId' | 'clientId' | 'scopes' | 'declined'>): Grant;
  issue(grantId: string, token: NewToken): string;
  look(network: Network, token: string, now: number): TokenState;
  spend(token: string): void;
  /** Ends all access by tokens of this grant. */
  revoke(grantId: string): void;
  removeScopes(grantId: string, scopes: readonly string[]): void;
}

export function createGrants(store: SandboxStore, ids: Pick<Ids, 'token'>, accounts: Accounts): Grants {
  const codes = shelf<Code>(store, 'codes');
  const grants = shelf<Grant>(store, 'grants');
  const tokens = shelf<Token>(store, 'tokens');
  const change = (grantId: string, to: Partial<Grant>) => {
    const grant = grants.get(grantId);
    if (grant !== null) grants.put(grantId, { ...grant, ...to });
  };
  return {
    issueCode(code) {
      const value = ids.token();
      codes.put(value, code);
      return value;
    },
    takeCode(network, value) {
      const code = codes.get(value);
      if (code === null || code.network !== network) return null;
      codes.delete(value);
      return code;
    },
    begin({ accountId, clientId, scopes, declined }) {
      const allowed = { accountId, clientId, scopes, ...(declined === undefined ? {} : { declined }) };
      const grant: Grant = {
        grantId: ids.token(),
        ...allowed,
        generation: accounts.get(accountId)!.generation,
        revoked: false,
      };
      grants.put(grant.grantId, grant);
      return grant;
    },
    issue(grantId, { lifeMs, ...token }) {
      const value = ids.token(32);
      tokens.put(value, { ...token, grantId, expiresAt: token.issuedAt + lifeMs, spent: false });
      return value;
    },
    look(network, value, now) {
      const token = tokens.get(value);
      if (token === null || token.network !== network) return { state: 'unknown' };
      const grant = grants.get(token.grantId)!;
      const account = accounts.get(grant.accountId)!;
      const dead = grant.revoked || grant.generation !== account.generation;
      const state = dead ? 'revoked' : token.spent ? 'spent' : token.expiresAt <= now ? 'expired' : 'live';
      return { state, token, grant, account };
    },
    spend(value) {
      tokens.put(value, { ...tokens.get(value)!, spent: true });
    },
    revoke: (grantId) => change(grantId, { revoked: true }),
    removeScopes(grantId, gone) {
      const { scopes = [], declined = [] } = grants.get(grantId) ?? {};
      const isGone = (scope: string) => gone.includes(scope);
      change(grantId, {
        scopes: scopes.filter((scope) => !isGone(scope)),
        declined: [...declined, ...scopes.filter(isGone)],
      });
    },
  };
}
