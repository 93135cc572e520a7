import { escapeHtml } from '../exchange.ts';
import { page } from '../page.ts';
import type { KeptMail } from './mailbox.ts';

const MAX_SHOWN = 50;
const ADDRESS = /https?:\/\/[^\s<>"]+/g;

/** The newest mails first, each as its text, with its addresses as links. */
export function mailPage(mails: readonly KeptMail[]): string {
  const shown = mails.slice(-MAX_SHOWN).reverse().map(card);
  const older =
    mails.length > MAX_SHOWN
      ? '<p class="soft">Older mail is not shown here, but <a href="/sandbox/mail">listed</a>.</p>'
      : '';
  const empty = '<p class="soft">Nothing was mailed yet. Sign in to Crier, and the link arrives here.</p>';
  return page(
    'Mail',
    `<header><h1>Mail <small>what would have been sent</small></h1><nav aria-label="Sandbox"><a class="chip" href="/">Networks</a></nav></header><main>${shown.join('') || empty}${older}</main>`,
  );
}

function card({ to, subject, text, at }: KeptMail): string {
  const time = new Date(at).toISOString();
  const head = `<h3>${escapeHtml(subject)}</h3><small>to ${escapeHtml(to)} · <time datetime="${time}">${time}</time></small>`;
  return `<section class="card">${head}<article><p>${linked(text)}</p></article></section>`;
}

/** Text as HTML, in which http addresses can be followed. */
function linked(text: string): string {
  let html = '';
  let from = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    const shown = escapeHtml(address);
    html += `${escapeHtml(text.slice(from, index))}<a href="${shown}" rel="noreferrer">${shown}</a>`;
    from = index + address.length;
  }
  return html + escapeHtml(text.slice(from));
}
