import type { Network } from '#domain/network.ts';
import type { Account } from './accounts.ts';
import { escapeHtml } from './exchange.ts';
import { page } from './page.ts';

const SHOWN_ACCOUNTS = 50;
/** Set by the page's own fields, so they are not copied from the address. */
const OWN_FIELDS = ['account', 'account_name', 'account_kind', 'auto_approve', 'decision'];

export function consentPage(
  network: Network,
  parameters: URLSearchParams,
  scopes: readonly string[],
  accounts: readonly Account[],
): string {
  const carried = [...parameters].filter(([name]) => !OWN_FIELDS.includes(name));
  const hidden = carried
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  const choices = accounts
    .slice(-SHOWN_ACCOUNTS)
    .map(
      ({ accountId, name, username }) =>
        `<option value="${escapeHtml(accountId)}">${escapeHtml(name)} (@${escapeHtml(username)})</option>`,
    )
    .join('');
  return page(
    `Sign in to ${network}`,
    `<main class="narrow"><form method="post" class="card">
<h1>${network} <small>sandbox</small></h1>
<p>An app asks to act for an account:</p>
<ul>${scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('')}</ul>
${hidden}
<label>Account <select name="account"><option value="">A new one</option>${choices}</select></label>
<label>Name of a new one <input name="account_name" maxlength="100" placeholder="Sandbox account"></label>
<p><button name="decision" value="approve" class="primary">Approve</button> <button name="decision" value="deny">Deny</button></p>
</form></main>`,
  );
}

export function refusalPage(network: Network, message: string): string {
  return page(
    `${network}: cannot sign in`,
    `<main class="narrow"><div class="card"><h1>Cannot sign in</h1><p>${escapeHtml(message)}</p></div></main>`,
  );
}
