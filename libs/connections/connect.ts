import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { NetworkAuth, Profile, Tokens } from '#networks/contract/adapter.ts';
import { call, summaryOf } from '#networks/http/call.ts';
import { CALL_TIMEOUT_MS } from '#networks/contract/waits.ts';

export interface SandboxAccount {
  readonly http: HttpClient;
  readonly auth: NetworkAuth;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  /** Any http address: no browser goes there, the sandbox's redirect is read instead. */
  readonly redirectUri: string;
  readonly name: string;
  /** What the account's limits depend on, in the Network's words; '' or left out for none. */
  readonly kind?: string;
  /** To sign in to the account of before: reconnecting. */
  readonly accountId?: string;
}

export type SandboxConnection =
  | { readonly ok: true; readonly tokens: Tokens; readonly profile: Profile }
  /** `refused`: asking again will not help. */
  | { readonly ok: false; readonly refused: boolean; readonly detail: string };

/**
 * Signs in to a sandbox Network the way a person would: consent (which a sandbox gives by itself), code, tokens,
 * profile.
 */
export async function connectSandboxAccount(account: SandboxAccount): Promise<SandboxConnection> {
  const { http, auth, clock, ids, redirectUri } = account;
  const verifier = ids.token(48);
  const approved = await approveAtSandbox(
    http,
    auth.authorizeUrl({ redirectUri, state: ids.token(), verifier }),
    account,
  );
  if (!approved.ok) return approved;
  const exchanged = await auth.exchange(http, { code: approved.code, redirectUri, verifier, now: clock.now() });
  if (exchanged.kind !== 'ok')
    return { ok: false, refused: exchanged.kind === 'refused', detail: exchanged.summary.detail };
  const accounts = await auth.accounts(http, exchanged.value, clock.now());
  if (accounts.kind !== 'ok')
    return { ok: false, refused: accounts.kind === 'refused', detail: accounts.summary.detail };
  const chosen = chosenOf(accounts.value, account);
  if (chosen === undefined) {
    const offered = accounts.value.map(({ accountId }) => accountId).join(', ') || 'none';
    return {
      ok: false,
      refused: true,
      detail: `signed in to account ${offered}, not ${account.accountId ?? account.name}`,
    };
  }
  const { tokens, ...profile } = chosen;
  return { ok: true, tokens, profile };
}

export type SandboxApproval =
  | { readonly ok: true; readonly code: string; readonly state: string }
  | { readonly ok: false; readonly refused: boolean; readonly detail: string };

/** Does at a sandbox's `authorizeUrl` what a person does at a Network's: signs in, and agrees. */
export async function approveAtSandbox(
  http: HttpClient,
  authorizeUrl: string,
  account: Pick<SandboxAccount, 'name' | 'kind' | 'accountId'>,
): Promise<SandboxApproval> {
  const url = new URL(authorizeUrl);
  const redirectUri = url.searchParams.get('redirect_uri') ?? '';
  const state = url.searchParams.get('state') ?? '';
  url.searchParams.set('auto_approve', '1');
  url.searchParams.set('account_name', account.name);
  if (account.kind !== undefined && account.kind !== '') url.searchParams.set('account_kind', account.kind);
  if (account.accountId !== undefined) url.searchParams.set('account', account.accountId);
  const consent = await call(http, { method: 'GET', url: url.href, timeoutMs: CALL_TIMEOUT_MS });
  if (consent.kind === 'lost') return { ok: false, refused: false, detail: consent.message };
  const location = consent.status === 302 || consent.status === 303 ? consent.headers['location'] : undefined;
  if (location === undefined || !URL.canParse(location)) {
    return {
      ok: false,
      refused: consent.status < 500,
      detail: `the Network answered ${consent.status} instead of sending back: ${summaryOf(consent, readable(consent.body)).detail}`,
    };
  }
  const code = codeIn(new URL(location), redirectUri, state);
  return 'problem' in code ? { ok: false, refused: true, detail: code.problem } : { ok: true, code: code.code, state };
}

/** By id when one is asked for; else the one that was made under the name, or the only one. */
export function chosenOf<A extends Pick<Profile, 'accountId' | 'name'>>(
  offered: readonly A[],
  { accountId, name }: Pick<SandboxAccount, 'accountId' | 'name'>,
): A | undefined {
  if (accountId !== undefined) return offered.find((each) => each.accountId === accountId);
  return offered.length === 1 ? offered[0] : offered.find((each) => each.name === name);
}

const ENTITIES: Readonly<Record<string, string>> = { '#39': "'", quot: '"', lt: '<', gt: '>', amp: '&' };

/** What a page says, without what it looks like. */
function readable(page: string): string {
  return page
    .replace(/<(style|script|title)\b.*?<\/\1>/gis, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(#39|quot|lt|gt|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ');
}

/** The state is compared first: what comes back without ours was not asked for by us. */
function codeIn(
  location: URL,
  redirectUri: string,
  state: string,
): { readonly code: string } | { readonly problem: string } {
  const wanted = new URL(redirectUri);
  if (location.origin !== wanted.origin || location.pathname !== wanted.pathname)
    return { problem: 'sent back to another address' };
  if (location.searchParams.get('state') !== state) return { problem: 'sent back with a state that is not ours' };
  const code = location.searchParams.get('code');
  if (code !== null && code !== '') return { code };
  return { problem: `not allowed: ${location.searchParams.get('error') ?? 'no code came back'}` };
}
