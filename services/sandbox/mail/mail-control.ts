import type { Clock } from '#ports/clock.ts';
import { BadControl, readFields } from '../control-fields.ts';
import { html, json, type Incoming, type SandboxAnswer } from '../exchange.ts';
import { mailPage } from './mail-page.ts';
import type { Mailbox } from './mailbox.ts';

const MAX_CHARACTERS = { to: 320, subject: 1_000, text: 200_000, html: 400_000 } as const;

function readText(fields: Readonly<Record<string, unknown>>, name: keyof typeof MAX_CHARACTERS): string {
  const value = fields[name];
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS[name])
    throw new BadControl(`${name} must be a text of at most ${MAX_CHARACTERS[name]} characters.`);
  return value;
}

/** POST /sandbox/mail: takes a mail instead of a mail server. */
export function receiveMail(request: Incoming, mailbox: Mailbox, clock: Pick<Clock, 'now'>): SandboxAnswer {
  const fields = readFields(request, ['to', 'subject', 'text', 'html']);
  const to = readText(fields, 'to');
  const rest = { subject: readText(fields, 'subject'), text: readText(fields, 'text'), html: readText(fields, 'html') };
  mailbox.add({ to, ...rest, at: clock.now() });
  return json(201, { to });
}

/** GET /sandbox/mail?to= */
export function listMail(request: Incoming, mailbox: Mailbox): SandboxAnswer {
  const found = mailbox.list(request.query.get('to') || undefined);
  return json(200, { messages: found.map((mail) => ({ ...mail, at: new Date(mail.at).toISOString() })) });
}

/** GET /mail */
export function showMail(request: Incoming, mailbox: Mailbox): SandboxAnswer {
  return html(200, mailPage(mailbox.list(request.query.get('to') || undefined)));
}
