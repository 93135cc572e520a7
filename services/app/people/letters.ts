import type { MemberRole } from '#domain/workspace/state.ts';
import { escaped } from '#http-server/page.ts';
import type { Mail } from '#ports/mailer.ts';

export interface SignInLetter {
  readonly to: string;
  readonly url: string;
  /** Who asked, in words. */
  readonly browser: string;
  readonly askedAt: number;
  readonly minutes: number;
}

/** The mail with a link that somebody asked for. */
export function signInLetter({ to, url, browser, askedAt, minutes }: SignInLetter): Mail {
  return letterOf(to, 'Sign in to Crier', {
    before: [`Somebody asked to sign in to Crier as ${to}, with ${browser}, on ${utc(askedAt)}.`],
    act: 'Sign in',
    url,
    after: [
      `The link works once, for ${minutes} minutes.`,
      'If it was not you, ignore this mail: without the link nobody gets in, and nothing has changed.',
    ],
  });
}

export interface InvitationLetter {
  readonly to: string;
  readonly url: string;
  readonly workspaceName: string;
  readonly role: MemberRole;
  /** The name of the Member who invites; null: the operator. */
  readonly invitedBy: string | null;
  readonly expiresAt: number;
}

const ROLE_WORDS: Readonly<Record<MemberRole, string>> = { owner: 'an owner', editor: 'an editor', viewer: 'a viewer' };

/** The mail with a link by which an invitation is accepted. Names that others chose are made harmless. */
export function invitationLetter(about: InvitationLetter): Mail {
  const { to, url, workspaceName, role, invitedBy, expiresAt } = about;
  const workspace = oneLine(workspaceName);
  const who = invitedBy === null ? 'The operator of this Crier' : oneLine(invitedBy);
  return letterOf(to, `Join “${workspace}” on Crier`, {
    before: [`${who} invites ${to} to the Workspace “${workspace}”, as ${ROLE_WORDS[role]}.`],
    act: 'See the invitation',
    url,
    after: [
      `The link works once, until ${utc(expiresAt)}.`,
      'If you do not know the Workspace, ignore this mail: without the link you become no Member of it.',
    ],
  });
}

export interface DisabledEndpointLetter {
  readonly to: string;
  /** Of the page that shows the endpoint. */
  readonly url: string;
  readonly workspaceName: string;
  readonly endpointUrl: string;
  readonly failingSince: number;
  /** What the last attempt came to. */
  readonly error: string;
}

/** The mail that an endpoint is sent nothing any more. Its address is no link: a tenant chose it. */
export function disabledEndpointLetter(about: DisabledEndpointLetter): Mail {
  const { to, url, workspaceName, endpointUrl, failingSince, error } = about;
  const workspace = oneLine(workspaceName);
  return letterOf(to, `A webhook endpoint of “${workspace}” was disabled`, {
    before: [
      `Crier sends nothing any more to the webhook endpoint ${oneLine(endpointUrl)} of the Workspace “${workspace}”: every attempt has failed since ${utc(failingSince)}.`,
      `The last attempt: ${oneLine(error)}`,
    ],
    act: 'See the endpoint',
    url,
    after: [
      'Once it is mended, send it a test event there: that enables it again. What it missed in the last 30 days can be sent again.',
    ],
  });
}

/** Such as "an editor". */
export function roleInWords(role: MemberRole): string {
  return ROLE_WORDS[role];
}

interface Letter {
  readonly before: readonly string[];
  readonly act: string;
  readonly url: string;
  readonly after: readonly string[];
}

function letterOf(to: string, subject: string, { before, act, url, after }: Letter): Mail {
  const paragraph = (text: string) => `<p>${escaped(text)}</p>`;
  const link = `<p><a href="${escaped(url)}">${escaped(act)}</a></p><p>${escaped(url)}</p>`;
  const body = [...before.map(paragraph), link, ...after.map(paragraph)].join('');
  return {
    to,
    subject,
    text: [...before, `${act}:\n${url}`, ...after].join('\n\n') + '\n',
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body style="font:16px/1.5 sans-serif">${body}</body></html>\n`,
  };
}

const MAX_NAME_CHARACTERS = 80;

/** A name that others chose: no line breaks, nothing that turns the text around, and no address to follow. */
function oneLine(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/\bwww\./gi, 'www ')
    .trim();
  const characters = [...plain];
  return characters.length <= MAX_NAME_CHARACTERS ? plain : `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…`;
}

function utc(at: number): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', format).format(at)} UTC`;
}
