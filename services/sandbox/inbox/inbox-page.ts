import { escapeHtml } from '../exchange.ts';
import { page } from '../page.ts';
import { INBOX_ANSWERS, type Inbox, type InboxAnswer } from './inboxes.ts';
import { addressOf, type LetterView } from './letter-view.ts';
import type { SignatureVerdict } from './signature.ts';

const SHOWN_LETTERS = 20;

const ANSWERS: Readonly<Record<InboxAnswer, string>> = {
  '200': '200, taken',
  '500': '500, failed',
  hang: 'nothing, it hangs',
  redirect: '302, another address',
};
const VERDICTS: Readonly<Record<SignatureVerdict, string>> = {
  right: 'signature right',
  wrong: 'signature wrong: another secret, or other bytes',
  old: 'signature right but more than 5 minutes old',
  missing: 'no signature',
  unknown: 'signature not checked: paste the secret',
  cut: 'signature not checked: the body is too large',
};

/** JSON with line breaks where it is JSON, else unchanged. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function letterShown(letter: LetterView): string {
  const headers = Object.entries(letter.headers)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('');
  const cut = letter.isCut ? `<small>The first part of ${letter.bytes} bytes.</small>` : '';
  const answered = `answered: ${ANSWERS[letter.answered]}`;
  return `<article><h3>#${letter.number} ${escapeHtml(letter.method)} <span class="chip">${VERDICTS[letter.signature]}</span></h3>
<footer><time>${escapeHtml(letter.receivedAt)}</time> <span>${escapeHtml(letter.eventId ?? '')}</span> <span>${escapeHtml(answered)}</span></footer>
<details${letter.body === '' ? '' : ' open'}><summary>Body, ${letter.bytes} bytes</summary><pre>${escapeHtml(readable(letter.body))}</pre>${cut}</details>
<details><summary>Headers</summary><dl>${headers}</dl></details></article>`;
}

/** The requests to one inbox, newest first, with the control of its answer. `letters`: newest last. */
export function inboxPage(inbox: Inbox, letters: readonly LetterView[]): string {
  const options = INBOX_ANSWERS.map(
    (answer) => `<option value="${answer}"${answer === inbox.answer ? ' selected' : ''}>${ANSWERS[answer]}</option>`,
  ).join('');
  const shown = letters.slice(-SHOWN_LETTERS).reverse().map(letterShown).join('');
  const list =
    shown === '' ? '<article><small>Nothing came yet. Load this page again to look.</small></article>' : shown;
  const known = inbox.secret === '' ? 'whsec_...' : 'kept; paste another to replace it';
  return page(
    `Inbox ${inbox.name}`,
    `<main class="narrow"><div class="card"><h1>${escapeHtml(inbox.name)} <small>inbox</small></h1>
<p>Register <code>${escapeHtml(addressOf(inbox.name))}</code> as a webhook endpoint: what is delivered there shows here. ${inbox.received} came so far.</p>
<form method="post"><label>It answers <select name="answer">${options}</select></label>
<label>Secret of the endpoint <input name="secret" maxlength="200" autocomplete="off" placeholder="${known}"></label>
<p><button class="primary">Save</button></p></form>${list}</div></main>`,
  );
}

export function inboxListPage(inboxes: readonly Inbox[]): string {
  const rows = inboxes
    .map(({ name, received }) => `<li><a href="/inbox/${name}">${name}</a> <small>${received}</small></li>`)
    .join('');
  return page(
    'Inboxes',
    `<main class="narrow"><div class="card"><h1>Inboxes <small>for webhooks</small></h1>
<p>Every name is an inbox: open <code>/inbox/&lt;name&gt;</code> here,
and register <code>${escapeHtml(addressOf('<name>'))}</code> as an endpoint.</p><ul>${rows}</ul></div></main>`,
  );
}
