import { NETWORKS } from '#domain/network.ts';
import type { Account, Accounts } from './accounts.ts';
import { avatarPath } from './avatar.ts';
import { escapeHtml } from './exchange.ts';
import type { Item, Items } from './items.ts';
import { page } from './page.ts';

const ACCOUNTS_PER_NETWORK = 60;
const ITEMS_PER_ACCOUNT = 10;

function shownTime(instant: number): string {
  return new Date(instant).toISOString().replace('T', ' ').slice(0, 19);
}

function article(item: Item, permalink: string): string {
  const time = `<a href="${escapeHtml(permalink)}"><time datetime="${new Date(item.publishedAt).toISOString()}">${shownTime(item.publishedAt)} UTC</time></a>`;
  return `<article><p>${escapeHtml(item.text)}</p><small>${time}</small></article>`;
}

function who(account: Account): string {
  const name = `<strong>${escapeHtml(account.name)}</strong><small>@${escapeHtml(account.username)} · ${escapeHtml(account.accountId)}</small>`;
  return `<div class="who"><img src="${avatarPath(account)}" alt=""><div>${name}</div></div>`;
}

/** Everything that is live, newest first, an account a card. */
export function feedPage(accounts: Accounts, items: Items, baseUrl: string): string {
  const sections = NETWORKS.map((network) => {
    const cards = accounts.list(network).slice(-ACCOUNTS_PER_NETWORK).reverse().map((account) => {
      const newest = items.ofAccount(network, account.accountId, { descending: true, limit: ITEMS_PER_ACCOUNT });
      const articles = newest.map((item) => article(item, baseUrl + item.path)).join('') || '<article><small>Nothing published yet.</small></article>';
      return `<section class="card">${who(account)}${articles}</section>`;
    });
    return cards.length === 0 ? '' : `<h2>${network} <small>${cards.length} account${cards.length === 1 ? '' : 's'}</small></h2><div class="grid">${cards.join('')}</div>`;
  }).join('');
  const empty = '<p class="soft">No account has signed in yet. Connect a Channel to a sandbox Network, publish, and look here.</p>';
  return page('Sandbox Networks', `<header><h1>Sandbox Networks <small>what the public would see</small></h1></header><main>${sections || empty}</main>`);
}

/** The page behind a permalink. */
export function itemPage(account: Account, item: Item, baseUrl: string): string {
  return page(`${account.name} on ${item.network}`, `<main class="narrow"><section class="card">${who(account)}${article(item, baseUrl + item.path)}</section></main>`);
}

export function missingPage(): string {
  return page('Not found', '<main class="narrow"><div class="card"><h1>Nothing here</h1><p>This post does not exist, or was never published.</p></div></main>');
}
