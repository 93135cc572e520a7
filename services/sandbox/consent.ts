import type { Network } from '#domain/network.ts';
import type { Account, Accounts } from './accounts.ts';
import type { AppStates } from './app-states.ts';
import { consentPage, refusalPage } from './consent-page.ts';
import { html, redirect, type SandboxAnswer, type Incoming } from './exchange.ts';
import type { Grants } from './grants.ts';
import { isRegistered } from './redirect-uris.ts';
import type { SandboxApp } from './simulator.ts';

/** The scopes that people declined at earlier sign-ins. */
export interface DeclinedScopes {
  of(account: Account): readonly string[];
  keep(account: Account, declined: readonly string[]): void;
}

/** How one Network's consent differs from another's. */
export interface ConsentRules {
  readonly network: Network;
  readonly app: SandboxApp;
  readonly scopes: readonly string[];
  readonly scopeSeparator: string;
  readonly pkce: boolean;
  /** The Network's name for `client_id`. */
  readonly clientParameter?: string;
  /** Whether the redirect names the allowed scopes, as `scopes`. */
  readonly tellsScopes?: boolean;
  readonly codeLifeMs: number;
  /** Appended to the redirect address, after the query. */
  readonly fragment: string;
  /** Whether people may allow less than the app asked for: scripts name the refused scopes as `decline`. */
  readonly declinable?: boolean;
  /**
   * How the Network refuses a sign-in that asks for scopes that the app lacks: words for its page, or the parameters of
   * its redirect. Left out: a page that names the scopes.
   */
  readonly refuseScopes?: (scopes: readonly string[]) => string | Readonly<Record<string, string>>;
  /** The scopes of a sign-in that names a configuration of the app: then the parameter `scope` is not read. */
  readonly configuredScopes?: readonly string[];
  /** What people declined before. Left out: each sign-in asks for everything. */
  readonly declinedScopes?: DeclinedScopes;
  /** Translates the requested `account_kind` to the Network's word; null when it has none. */
  readonly kind: (asked: string) => string | null;
}

interface ConsentRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

const STATE_LENGTH = 500;
const NAME_LENGTH = 100;

/** The request for consent, or why it is refused: then the redirect address isn't trusted either. */
function readAsked(parameters: URLSearchParams, rules: ConsentRules): ConsentRequest | string {
  const client = rules.clientParameter ?? 'client_id';
  if (parameters.get(client) !== rules.app.clientId) return `The parameter ${client} is not the one of a known app.`;
  if (parameters.get('response_type') !== 'code') return 'The parameter response_type must be code.';
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!isRegistered(redirectUri, rules.app.redirectUris?.(rules.network) ?? []))
    return 'The parameter redirect_uri must be an address that the app has registered.';
  const state = parameters.get('state');
  if (state !== null && state.length > STATE_LENGTH) return `The parameter state may have ${STATE_LENGTH} characters.`;
  const named = (parameters.get('scope') ?? '').split(rules.scopeSeparator).filter((scope) => scope !== '');
  const scopes = rules.configuredScopes ?? named;
  const unknown = scopes.find((scope) => !rules.scopes.includes(scope));
  if (scopes.length === 0 || unknown !== undefined)
    return `The parameter scope must name some of: ${rules.scopes.join(', ')}.`;
  const challenge = parameters.get('code_challenge');
  if (rules.pkce && (challenge === null || challenge === '' || parameters.get('code_challenge_method') !== 'S256')) {
    return 'The parameters code_challenge and code_challenge_method=S256 are needed.';
  }
  return { redirectUri, state, scopes, challenge: rules.pkce ? challenge : null };
}

/** The account to sign in as: the one named by id, else a new one. A message when neither is possible. */
function chooseAccount(parameters: URLSearchParams, rules: ConsentRules, accounts: Accounts): Account | string {
  const accountId = parameters.get('account') || null;
  const name = parameters.get('account_name')?.trim().slice(0, NAME_LENGTH);
  const kind = rules.kind(parameters.get('account_kind') ?? '');
  if (kind === null) return 'The parameter account_kind is not one this Network knows.';
  if (accountId === null)
    return accounts.create({ network: rules.network, name: name || 'Sandbox account', kind, accountId: null });
  const known = accounts.get(accountId);
  if (known?.network === rules.network) return known;
  if (known !== null || !/^[1-9][0-9]{0,18}$/.test(accountId))
    return 'The parameter account must be the id of an account of this Network, or up to 19 digits for a new one.';
  return accounts.create({ network: rules.network, name: name || 'Sandbox account', kind, accountId });
}

function backTo(asked: ConsentRequest, parameters: Readonly<Record<string, string>>, fragment: string): SandboxAnswer {
  const target = new URL(asked.redirectUri);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  if (asked.state !== null) target.searchParams.set('state', asked.state);
  target.hash = '';
  return redirect(`${target.href}${fragment}`);
}

export interface ConsentOptions {
  readonly accounts: Accounts;
  readonly grants: Grants;
  readonly appStates: AppStates;
  readonly now: number;
}

/** The Network's answer to a sign-in that asks for scopes that the app lacks; null: it asks for none of these. */
function refuseMissing(
  asked: ConsentRequest,
  rules: ConsentRules,
  { appStates }: ConsentOptions,
): SandboxAnswer | null {
  const lacking = appStates.get(rules.network).scopes;
  const missing = asked.scopes.filter((scope) => lacking.includes(scope));
  if (missing.length === 0) return null;
  const refusal = rules.refuseScopes?.(missing) ?? `The app may not ask for: ${missing.join(', ')}.`;
  return typeof refusal === 'string'
    ? html(400, refusalPage(rules.network, refusal))
    : backTo(asked, refusal, rules.fragment);
}

/** The requested scopes that the person does not allow, now or before. */
function declinedOf(
  account: Account,
  parameters: URLSearchParams,
  asked: ConsentRequest,
  { declinable, declinedScopes, scopeSeparator }: ConsentRules,
): readonly string[] {
  if (declinable !== true) return [];
  const before = declinedScopes?.of(account) ?? [];
  const all = new Set([...(parameters.get('decline') ?? '').split(scopeSeparator), ...before]);
  const declined = asked.scopes.filter((scope) => all.has(scope));
  declinedScopes?.keep(account, [...before.filter((scope) => !asked.scopes.includes(scope)), ...declined]);
  return declined;
}

/**
 * The page on which a person allows an app to act for an account, and the effects of its buttons. Scripts skip the
 * page: `auto_approve=1`, with `account` (the id of an account to sign in as; created when unknown) or `account_name`
 * (a new account of that name), and `account_kind`.
 */
export function consent(request: Incoming, rules: ConsentRules, deps: ConsentOptions): SandboxAnswer {
  const parameters = request.method === 'POST' ? request.form() : request.query;
  const asked = readAsked(parameters, rules);
  if (typeof asked === 'string') return html(400, refusalPage(rules.network, asked));
  const refused = refuseMissing(asked, rules, deps);
  if (refused !== null) return refused;
  const decision =
    request.method === 'POST' ? parameters.get('decision') : parameters.get('auto_approve') === '1' ? 'approve' : null;
  if (decision === 'deny') return backTo(asked, { error: 'access_denied' }, rules.fragment);
  if (decision !== 'approve')
    return html(200, consentPage(rules.network, parameters, asked.scopes, deps.accounts.list(rules.network)));
  const account = chooseAccount(parameters, rules, deps.accounts);
  if (typeof account === 'string') return html(400, refusalPage(rules.network, account));
  const declined = declinedOf(account, parameters, asked, rules);
  const scopes = asked.scopes.filter((scope) => !declined.includes(scope));
  const code = deps.grants.issueCode({
    network: rules.network,
    accountId: account.accountId,
    clientId: rules.app.clientId,
    redirectUri: asked.redirectUri,
    scopes,
    ...(declined.length === 0 ? {} : { declined }),
    challenge: asked.challenge,
    expiresAt: deps.now + rules.codeLifeMs,
  });
  return backTo(
    asked,
    { code, ...(rules.tellsScopes === true ? { scopes: scopes.join(rules.scopeSeparator) } : {}) },
    rules.fragment,
  );
}
