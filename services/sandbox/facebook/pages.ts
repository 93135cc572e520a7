import type { Account } from '../accounts.ts';
import { avatarPath } from '../avatar.ts';
import type { GrantHolder } from '../grants.ts';
import type { Fields } from '../graph/fields.ts';
import type { SimulatorOptions } from '../simulator.ts';
import { ANALYST, SEVERAL_PAGES } from './oauth.ts';

/** A Page's token that was made of a person's long-lived one has no end of its own. */
const ENDLESS_MS = 100 * 365 * 86_400_000;

const TASKS = ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'];
const TASKS_OF_ANALYST = ['ANALYZE'];

/** The Pages of the person who signed in, the chosen one first. */
export function pagesOf({ account }: GrantHolder, { accounts }: SimulatorOptions): readonly Account[] {
  if (account.kind !== SEVERAL_PAGES) return [account];
  const kind = `beside ${account.accountId}`;
  const known = accounts.list('facebook').find((one) => one.kind === kind);
  return [account, known ?? accounts.create({ network: 'facebook', name: `${account.name} 2`, kind, accountId: null })];
}

/**
 * A token of the Page, with the scopes that the person allowed. It dies with the consent, and, when it was made of a
 * short-lived token, together with that one.
 */
export function pageToken(
  page: Account,
  { token, grant, account }: GrantHolder,
  { grants, clock }: SimulatorOptions,
): string {
  const now = clock.now();
  const own = page.accountId === account.accountId;
  const { grantId } = own ? grant : grants.begin({ ...grant, accountId: page.accountId });
  const lifeMs = token.longLived ? ENDLESS_MS : token.expiresAt - now;
  return grants.issue(grantId, {
    network: 'facebook',
    kind: 'access',
    subject: 'page',
    issuedAt: now,
    lifeMs,
    longLived: token.longLived,
  });
}

/** `token`: null where none is requested. */
export function pageFields(page: Account, token: string | null, baseUrl: string): Fields {
  return {
    id: page.accountId,
    name: page.name,
    username: page.username,
    category: 'Brand',
    tasks: page.kind === ANALYST ? TASKS_OF_ANALYST : TASKS,
    picture: { data: { height: 200, width: 200, is_silhouette: false, url: baseUrl + avatarPath(page) } },
    access_token: token ?? undefined,
    ...{
      link: undefined,
      about: undefined,
      fan_count: undefined,
      followers_count: undefined,
      instagram_business_account: undefined,
    },
  };
}
