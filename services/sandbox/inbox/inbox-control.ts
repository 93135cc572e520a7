import { BadControl, readChoice, readFields, refused } from '../control-fields.ts';
import { html, json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { INBOX_ANSWERS, INBOX_NAME, type InboxAnswer, type Inboxes } from './inboxes.ts';
import { inboxListPage, inboxPage } from './inbox-page.ts';
import { addressOf, viewOf } from './letter-view.ts';

const MAX_SECRET_CHARACTERS = 200;

type Action = (request: Incoming) => SandboxAnswer;

/** Pages are below /inbox, the same for tests below /sandbox/inbox. */
export function isInboxAddress([first, second]: readonly string[]): boolean {
  return first === 'inbox' || (first === 'sandbox' && second === 'inbox');
}

/** Null: nothing exists at this address. */
export function inboxActions(segments: readonly string[], inboxes: Inboxes): Readonly<Record<string, Action>> | null {
  const isPage = segments[0] === 'inbox';
  const [name, ...more] = segments.slice(isPage ? 1 : 2);
  if (name === undefined)
    return { GET: () => (isPage ? html(200, inboxListPage(inboxes.list())) : listShown(inboxes)) };
  if (!INBOX_NAME.test(name) || more.length > 0) return null;
  return isPage ? pageActions(name, inboxes) : jsonActions(name, inboxes);
}

function listShown(inboxes: Inboxes): SandboxAnswer {
  return json(200, { inboxes: inboxes.list().map(({ name, received }) => ({ name, url: addressOf(name), received })) });
}

function pageActions(name: string, inboxes: Inboxes): Readonly<Record<string, Action>> {
  return {
    GET() {
      const inbox = inboxes.open(name);
      return html(
        200,
        inboxPage(
          inbox,
          inboxes.letters(name).map((letter) => viewOf(letter, inbox)),
        ),
      );
    },
    POST(request) {
      change(
        name,
        /^application\/json\b/i.test(request.header('content-type'))
          ? readFields(request, ['answer', 'secret'])
          : filledIn(request),
        inboxes,
      );
      return { status: 303, headers: { location: `/inbox/${name}`, 'cache-control': 'no-store' }, body: '' };
    },
  };
}

/** From the page's form: a secret that is left empty keeps its value. */
function filledIn(request: Incoming): Readonly<Record<string, unknown>> {
  const form = request.form();
  const secret = (form.get('secret') ?? '').trim();
  return { ...(form.has('answer') ? { answer: form.get('answer') } : {}), ...(secret === '' ? {} : { secret }) };
}

function jsonActions(name: string, inboxes: Inboxes): Readonly<Record<string, Action>> {
  const shown = (): SandboxAnswer => {
    const inbox = inboxes.open(name);
    const { answer, secret, received } = inbox;
    return json(200, {
      name,
      url: addressOf(name),
      answer,
      hasSecret: secret !== '',
      received,
      letters: inboxes.letters(name).map((letter) => viewOf(letter, inbox)),
    });
  };
  return {
    GET: shown,
    POST(request) {
      change(name, readFields(request, ['answer', 'secret']), inboxes);
      return shown();
    },
    DELETE() {
      inboxes.remove(name);
      return shown();
    },
  };
}

function change(name: string, { answer, secret }: Readonly<Record<string, unknown>>, inboxes: Inboxes): void {
  if (secret !== undefined && (typeof secret !== 'string' || secret.length > MAX_SECRET_CHARACTERS))
    throw new BadControl(`secret must be a text of at most ${MAX_SECRET_CHARACTERS} characters.`);
  const changes = {
    ...(answer === undefined ? {} : { answer: readChoice(answer, 'answer', INBOX_ANSWERS) as InboxAnswer }),
    ...(secret === undefined ? {} : { secret: secret as string }),
  };
  if (!inboxes.change(name, changes)) throw new BadControl('There are as many inboxes as there may be; remove one.');
}

export const noInbox = (): SandboxAnswer =>
  refused(404, 'not_found', 'This sandbox serves no inboxes: they need one process that runs everything.');
