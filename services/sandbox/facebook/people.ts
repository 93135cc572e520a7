import type { Account } from '../accounts.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { readFieldTree } from '../graph/field-tree.ts';
import { bearer } from '../graph/parameters.ts';
import type { AdmittedCall, FacebookOptions } from './page-request.ts';
import { FACEBOOK_SCOPES, LIST_SCOPE, PORTFOLIO_SCOPE, READ_SCOPE } from './calls.ts';
import { answerObject } from './fields.ts';
import { noField, noPermission, unsupported } from './graph-errors.ts';
import { listed } from './lists.ts';
import { pageFields, pagesOf, pageToken } from './pages.ts';

/** People have no account here besides their Pages; their ids are derived from the Page that they signed in with. */
export const personIdOf = (page: Account): string => `1${page.accountId}`;

/** Tokens are made only when they are requested. */
const asksFor = (field: string, { parameters }: AdmittedCall): boolean =>
  readFieldTree(parameters.get('fields') ?? '')?.has(field) ?? false;

/** GET /me, of a person or of a Page. */
export function readMe(call: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  const { holder, parameters } = call;
  if (holder.token.subject === 'page') return readPage(holder.account.accountId, call, options);
  const person = { id: personIdOf(holder.account), name: holder.account.name, email: undefined, picture: undefined };
  return answerObject(parameters, person, 'User', ['name']);
}

/**
 * GET /me/accounts: empty also for a person without the scope to list Pages. Pages that a business portfolio owns are
 * left out without the scope for portfolios.
 */
export function listAccounts(call: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  const { holder, request, parameters, fault } = call;
  if (holder.token.subject === 'page') return noField('Page')('accounts');
  const none = fault?.fault === 'me_accounts_empty' || !holder.grant.scopes.includes(LIST_SCOPE);
  const usual = ['access_token', 'category', 'name', 'tasks'];
  const withToken = !parameters.has('fields') || asksFor('access_token', call);
  const withPortfolios = holder.grant.scopes.includes(PORTFOLIO_SCOPE);
  const shown = pagesOf(holder, options).filter(
    ({ accountId }) => withPortfolios || !options.accountStates.isInPortfolio(accountId),
  );
  const entries = (none ? [] : shown).map((page) => {
    return {
      key: page.accountId,
      all: () => pageFields(page, withToken ? pageToken(page, holder, options) : null, options.baseUrl()),
    };
  });
  const rules = {
    kind: 'Page',
    usual,
    most: options.limits.get('accountsPerAnswer'),
    baseUrl: options.baseUrl(),
    token: bearer(request, parameters),
  };
  return listed(entries, request, parameters, rules);
}

/** GET /me/permissions */
export function listPermissions({ holder: { grant, token } }: AdmittedCall): SandboxAnswer {
  if (token.subject === 'page') return noField('Page')('permissions');
  const { scopes, declined = [] } = grant;
  const call = FACEBOOK_SCOPES.filter((scope) => scopes.includes(scope) || declined.includes(scope));
  return json(200, {
    data: call.map((permission) => ({ permission, status: scopes.includes(permission) ? 'granted' : 'declined' })),
  });
}

/** GET /{page}: one's own Page; with `access_token` among the fields, its token. */
export function readPage(pageId: string, call: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  const { holder, parameters } = call;
  const own = holder.token.subject === 'page' ? [holder.account] : pagesOf(holder, options);
  const page = own.find(({ accountId }) => accountId === pageId);
  if (page === undefined) return unsupported('get', pageId);
  if (!holder.grant.scopes.includes(READ_SCOPE)) return noPermission();
  const token = asksFor('access_token', call) ? pageToken(page, holder, options) : null;
  return answerObject(parameters, pageFields(page, token, options.baseUrl()), 'Page', ['name']);
}
