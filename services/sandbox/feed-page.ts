import { factsOf, NETWORKS, type Network } from '#domain/network.ts';
import type { Account, Accounts } from './accounts.ts';
import { avatarPath } from './avatar.ts';
import { escapeHtml } from './exchange.ts';
import { filePath } from './files/serve-file.ts';
import type { LiveItem, Items } from './items.ts';
import { page } from './page.ts';
import { mediaShown, postShown, timeLink } from './post-view.ts';

const ACCOUNTS_PER_NETWORK = 40;
const ITEMS_PER_ACCOUNT = 8;
/** The number of an account's newest posts whose videos show a picture before they are played. */
const ITEMS_AT_ONCE = 2;

function who(account: Account, withNetwork: boolean): string {
  const chip = withNetwork ? `<span class="chip">${factsOf(account.network).displayName}</span>` : '';
  const names = `<strong dir="auto">${escapeHtml(account.name)}</strong><small>@${escapeHtml(account.username)} · ${escapeHtml(account.accountId)}</small>`;
  return `<div class="who"><img src="${escapeHtml(avatarPath(account))}" alt="" loading="lazy"><div>${names}</div>${chip}</div>`;
}

function storyRow(stories: readonly LiveItem[], baseUrl: string): string {
  if (stories.length === 0) return '';
  const tiles = stories.map((item) => {
    const permalink = baseUrl + item.path;
    return `<li>${mediaShown(item, { permalink, brief: true, preload: 'metadata' })}${timeLink(item, permalink)}</li>`;
  });
  return `<div class="stories"><small>Stories</small><ul>${tiles.join('')}</ul></div>`;
}

interface AccountCard {
  readonly account: Account;
  /** Newest first. */
  readonly newest: readonly LiveItem[];
  readonly hasOlder: boolean;
}

function card({ account, newest, hasOlder }: AccountCard, baseUrl: string): string {
  const stories = newest.filter(({ placement }) => placement === 'story');
  const posts = newest.filter(({ placement }) => placement !== 'story');
  const articles = posts.map((item, index) =>
    postShown(item, {
      permalink: baseUrl + item.path,
      brief: true,
      preload: index < ITEMS_AT_ONCE ? 'metadata' : 'none',
    }),
  );
  const nothing = newest.length === 0 ? '<article><small>Nothing published yet.</small></article>' : '';
  const all = `/sandbox/items?network=${account.network}&accountId=${encodeURIComponent(account.accountId)}`;
  const older = hasOlder
    ? `<article><small>Older posts are not shown here, but <a href="${escapeHtml(all)}">listed</a>.</small></article>`
    : '';
  return `<section class="card ${account.network}">${who(account, false)}${storyRow(stories, baseUrl)}${articles.join('')}${nothing}${older}</section>`;
}

/**
 * Newest first, at most `limit`. Ids ascend with age, but those of some posts begin with the id of the account: so the
 * newest are among the last of those below that prefix, and the last of those after it.
 */
function newestOf(network: Network, accountId: string, limit: number, items: Items): readonly LiveItem[] {
  const border = `${accountId}_~`;
  const ranges = [{ below: border }, { above: border }].map((range) =>
    items.ofAccount(network, accountId, { ...range, descending: true, limit }),
  );
  return ranges
    .flat()
    .sort((one, other) => other.publishedAt - one.publishedAt || (one.remoteId < other.remoteId ? 1 : -1))
    .slice(0, limit);
}

/** The accounts that published last come first; of more than are shown, those that signed in last are taken. */
function shownOf(network: Network, accounts: readonly Account[], items: Items): readonly AccountCard[] {
  const shown = accounts
    .slice(-ACCOUNTS_PER_NETWORK)
    .reverse()
    .map((account) => {
      const found = newestOf(network, account.accountId, ITEMS_PER_ACCOUNT + 1, items);
      return { account, newest: found.slice(0, ITEMS_PER_ACCOUNT), hasOlder: found.length > ITEMS_PER_ACCOUNT };
    });
  return shown.sort((one, other) => (other.newest[0]?.publishedAt ?? 0) - (one.newest[0]?.publishedAt ?? 0));
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** How many columns a Network takes, so that those with one account stand side by side on a wide screen. */
function spanOf(accounts: number): 'one' | 'two' | 'row' {
  return accounts === 1 ? 'one' : accounts === 2 ? 'two' : 'row';
}

/** The live items, one card per account: the newest posts of so many accounts of each Network. */
export function feedPage(accounts: Accounts, items: Items, baseUrl: string, hasInboxes = false): string {
  const present = NETWORKS.map((network) => ({ network, all: accounts.list(network) })).filter(
    ({ all }) => all.length > 0,
  );
  const sections = present.map(({ network, all }) => {
    const cards = shownOf(network, all, items).map((shown) => card(shown, baseUrl));
    const count =
      cards.length < all.length
        ? `${cards.length} of ${counted(all.length, 'account')}`
        : counted(all.length, 'account');
    return `<section class="network ${network} ${spanOf(cards.length)}"><h2 id="${network}">${factsOf(network).displayName} <small>${count}</small></h2><div class="grid">${cards.join('')}</div></section>`;
  });
  const links = present.map(
    ({ network }) =>
      `<a class="chip ${network}" href="${escapeHtml(baseUrl)}/#${network}">${factsOf(network).displayName}</a>`,
  );
  const nav = links.length < 2 ? '' : `<nav aria-label="Networks">${links.join('')}</nav>`;
  const mail = `<a href="${escapeHtml(baseUrl)}/mail">Mail</a> shows what would have been sent.`;
  const inboxes = `<p class="soft">${hasInboxes ? '<a href="/inbox">Inboxes</a> take webhooks. ' : ''}${mail}</p>`;
  const networks = sections.length === 0 ? '' : `<div class="networks">${sections.join('')}</div>`;
  const empty =
    '<p class="soft">No account has signed in yet. Connect a Channel to a sandbox Network, publish, and look here.</p>';
  return page(
    'Sandbox Networks',
    `<header><h1>Sandbox Networks <small>what the public would see</small></h1>${nav}${inboxes}</header><main>${networks || empty}</main>`,
  );
}

function facts({ remoteId, media }: LiveItem): string {
  const files = media.map(({ sha256, bytes, contentType }) => {
    return `<dt>${escapeHtml(contentType || 'file')}</dt><dd><a href="${escapeHtml(filePath(sha256))}">${bytes} bytes</a>, SHA-256 ${escapeHtml(sha256)}</dd>`;
  });
  return `<details><summary>What was received</summary><dl><dt>id</dt><dd>${escapeHtml(remoteId)}</dd>${files.join('')}</dl></details>`;
}

/** The page of a permalink: the whole post. */
export function itemPage(account: Account, item: LiveItem, baseUrl: string): string {
  const view = { permalink: baseUrl + item.path, brief: false, preload: 'metadata' } as const;
  const back = `<p><a href="${escapeHtml(baseUrl)}/">All sandbox Networks</a></p>`;
  const post = `<section class="card ${account.network}">${who(account, true)}${postShown(item, view)}${facts(item)}</section>`;
  return page(`${account.name} on ${factsOf(item.network).displayName}`, `<main class="narrow">${back}${post}</main>`);
}

export function missingPage(): string {
  return page(
    'Not found',
    '<main class="narrow"><div class="card"><h1>Nothing here</h1><p>This post does not exist, or was never published.</p></div></main>',
  );
}
