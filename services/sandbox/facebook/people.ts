import type { Account } from '../accounts.ts';
import { avatarPath } from '../avatar.ts';
import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { Grants, Holder } from '../grants.ts';
import { answerFields } from '../graph/fields.ts';
import type { Fields } from '../graph/fields.ts';
import { fieldsOf } from '../graph/parameters.ts';
import type { SimulatorDeps } from '../simulator.ts';
import { noPermission, parameterError, unsupported } from './graph-errors.ts';
import { FACEBOOK_SCOPES, SEVERAL_PAGES } from './oauth.ts';

/** A token of a Page has no end of its own. */
const PAGE_TOKEN_LIFE_MS = 100 * 365 * 86_400_000;
const DATA_ACCESS_MS = 90 * 86_400_000;

/** People have no account here but their Pages; their ids are made from the Page that they signed in with. */
const personIdOf = (page: Account): string => `1${page.accountId}`;

const noField = (kind: string) => (field: string): Answer => parameterError(`(#100) Tried accessing nonexisting field (${field}) on node type (${kind})`);

/** `name{sub,sub}` and `name.type(large){url}` are asked for by their name. */
function topFields(parameters: URLSearchParams): readonly string[] {
  let fields = parameters.get('fields') ?? '';
  for (let before = ''; before !== fields; ) {
    before = fields;
    fields = fields.replace(/\{[^{}]*\}|\.[a-z_]+\([^()]*\)/g, '');
  }
  return fieldsOf(new URLSearchParams({ fields }));
}

/** The Pages of who signed in, the chosen one first. */
export function pagesOf({ account }: Holder, { accounts }: SimulatorDeps): readonly Account[] {
  if (account.kind !== SEVERAL_PAGES) return [account];
  const kind = `beside ${account.accountId}`;
  const known = accounts.list('facebook').find((one) => one.kind === kind);
  return [account, known ?? accounts.create({ network: 'facebook', name: `${account.name} 2`, kind, accountId: null })];
}

/** A token of the Page, with what the person allowed; it lives and dies with that, not with the person's own token. */
function pageToken(page: Account, { grant, account }: Holder, grants: Grants, now: number): string {
  const own = page.accountId === account.accountId;
  const { grantId } = own ? grant : grants.begin({ accountId: page.accountId, clientId: grant.clientId, scopes: grant.scopes });
  return grants.issue(grantId, { network: 'facebook', kind: 'access', subject: 'page', issuedAt: now, lifeMs: PAGE_TOKEN_LIFE_MS, longLived: true });
}

function pageFields(page: Account, token: string | undefined, baseUrl: string): Fields {
  return {
    id: page.accountId,
    name: page.name,
    username: page.username,
    link: `${baseUrl}/sim/facebook/${page.username}`,
    category: 'Brand',
    tasks: ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'],
    picture: { data: { height: 200, width: 200, is_silhouette: false, url: baseUrl + avatarPath(page) } },
    access_token: token,
    instagram_business_account: undefined,
  };
}

/** GET /me, of a person or of a Page. */
export function readMe(parameters: URLSearchParams, holder: Holder, deps: SimulatorDeps): Answer {
  if (holder.token.subject === 'page') return readPage(parameters, holder.account.accountId, holder, deps);
  return answerFields(topFields(parameters), { id: personIdOf(holder.account), name: holder.account.name, email: undefined }, noField('User'));
}

/** GET /me/accounts */
export function listAccounts(parameters: URLSearchParams, holder: Holder, deps: SimulatorDeps): Answer {
  if (!holder.grant.scopes.includes('pages_show_list')) return json(200, { data: [] });
  const asked = topFields(parameters);
  const wanted = asked.length === 0 ? ['name', 'access_token', 'category', 'tasks'] : asked;
  const data: Fields[] = [];
  for (const page of pagesOf(holder, deps)) {
    const token = wanted.includes('access_token') ? pageToken(page, holder, deps.grants, deps.clock.now()) : undefined;
    const all = pageFields(page, token, deps.baseUrl());
    const unknown = wanted.find((field) => !Object.hasOwn(all, field));
    if (unknown !== undefined) return noField('Page')(unknown);
    data.push(Object.fromEntries(['id', ...wanted].map((field) => [field, all[field]]).filter(([, value]) => value !== undefined)));
  }
  return json(200, { data, paging: { cursors: { before: 'QVFIU', after: 'QVFIV' } } });
}

/** GET /me/permissions */
export function listPermissions({ grant }: Holder): Answer {
  const data = FACEBOOK_SCOPES.filter((scope) => grant.scopes.includes(scope)).map((permission) => ({ permission, status: 'granted' }));
  return json(200, { data });
}

/** GET /{page}: of one's own; with `access_token` among the fields, its token. */
export function readPage(parameters: URLSearchParams, pageId: string, holder: Holder, deps: SimulatorDeps): Answer {
  const own = holder.token.subject === 'page' ? [holder.account] : pagesOf(holder, deps);
  const page = own.find(({ accountId }) => accountId === pageId);
  if (page === undefined) return unsupported('get', pageId);
  if (holder.token.subject !== 'page' && !holder.grant.scopes.includes('pages_read_engagement')) return noPermission();
  const asked = topFields(parameters);
  const token = asked.includes('access_token') ? pageToken(page, holder, deps.grants, deps.clock.now()) : undefined;
  return answerFields(asked.length === 0 ? ['name'] : asked, pageFields(page, token, deps.baseUrl()), noField('Page'));
}

/** GET /debug_token, asked by the app itself. */
export function debugToken(parameters: URLSearchParams, deps: SimulatorDeps): Answer {
  const { app, grants, clock } = deps;
  if (parameters.get('access_token') !== `${app.clientId}|${app.clientSecret}`) return parameterError('(#100) You must provide an app access token, or a user access token that is an owner or developer of the app');
  const input = parameters.get('input_token') ?? '';
  if (input === '') return parameterError('(#100) The parameter input_token is required');
  const now = clock.now();
  const found = grants.look('facebook', input, now);
  if (found.state === 'unknown') return json(200, { data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] } });
  const { token, grant, account } = found;
  const error = found.state === 'live' ? {} : { error: { code: 190, message: 'Error validating access token', subcode: found.state === 'expired' ? 463 : 458 } };
  const person = token.subject === 'person';
  const targets = person ? pagesOf(found, deps).map(({ accountId }) => accountId) : [account.accountId];
  const granular = grant.scopes.map((scope) => (scope.startsWith('pages_') ? { scope, target_ids: targets } : { scope }));
  const seconds = (instant: number) => Math.floor(instant / 1000);
  const about = {
    app_id: app.clientId,
    type: person ? 'USER' : 'PAGE',
    application: 'Sandbox app',
    data_access_expires_at: seconds(token.issuedAt + DATA_ACCESS_MS),
    expires_at: person ? seconds(token.expiresAt) : 0,
    is_valid: found.state === 'live',
    issued_at: seconds(token.issuedAt),
    ...(person ? {} : { profile_id: account.accountId }),
    scopes: grant.scopes,
    granular_scopes: granular,
    user_id: personIdOf(account),
  };
  return json(200, { data: { ...error, ...about } });
}
