import type { Request, Response } from 'express';
import { escaped } from '#http-server/page.ts';
import type { StoredSignInLink } from '#tables/repositories/sign-in-links.ts';
import { browserNameOf } from './browser-name.ts';
import type { FormGuard } from '#http-server/form-guard.ts';
import { roleInWords } from './letters.ts';
import type { PageRequests } from './page-requests.ts';
import type { BrowserSessions } from './sessions.ts';
import type { LinkSignIn } from './link-sign-in.ts';
import { LINK_PATH, type SignInLinks } from './sign-in-links.ts';
import type { SignedIn } from './signed-in.ts';

export interface LinkPagesOptions {
  readonly pages: PageRequests;
  readonly guard: FormGuard;
  readonly links: SignInLinks;
  readonly sessions: BrowserSessions;
  readonly signIn: LinkSignIn;
}

/**
 * `/sign-in/links/{token}`, where a mailed link leads. Opening it does nothing, because programs that check mail open
 * links too: the page names the address and has one button.
 */
export class LinkPages {
  readonly #options: LinkPagesOptions;

  constructor(options: LinkPagesOptions) {
    this.#options = options;
  }

  async show(request: Request, response: Response): Promise<void> {
    const { pages, links, sessions } = this.#options;
    const token = tokenOf(request);
    const found = await links.find(token);
    const current = await sessions.current(request);
    if (found.kind === 'expired' || found.kind === 'unknown') return this.#over(response, found.kind, current);
    const { link } = found;
    // A use that led to no session counts for nothing: its process died, and the person tries again.
    if (link.usedFor !== null && (await sessions.hasBegun(link.email, link.usedFor.sessionHash)))
      return this.#over(response, 'used', current);
    pages.page(response, {
      title: link.invitation === null ? 'Sign in' : 'Join a Workspace',
      body: this.#form(request, response, { token, link, current }),
    });
  }

  async follow(request: Request, response: Response): Promise<void> {
    const { pages, guard, sessions, signIn } = this.#options;
    const token = tokenOf(request);
    if ((await pages.form(request, response, whatOf(token))) === null) return;
    const current = await sessions.current(request);
    const browser = browserNameOf(request.headers['user-agent']);
    const address = request.ip ?? null;
    const outcome = await signIn.byLink(token, { browserHash: guard.browserHash(request)!, browser, address });
    switch (outcome.kind) {
      case 'used':
      case 'expired':
      case 'unknown':
        return this.#over(response, outcome.kind, current);
      case 'refused': {
        const body = `<p>${escaped(outcome.message)}</p><p>Ask who invited you for another invitation.</p>`;
        return pages.page(response, { status: 409, title: 'You could not join', body });
      }
      case 'signed-in':
        // What this browser was signed in with before is of no use to it any more.
        if (current !== null) await sessions.end(current.accountId, current.sessionHash, 'replaced');
        sessions.giveCookie(response, outcome.email, outcome.secret);
        return pages.redirect(response, outcome.returnPath);
    }
  }

  #form(request: Request, response: Response, { token, link, current }: ShownLink): string {
    const { pages, guard } = this.#options;
    const { email, invitation, browserHash } = link;
    const address = `<strong>${escaped(email)}</strong>`;
    const lines = [
      invitation === null
        ? `You sign in to Crier as ${address}.`
        : `You join the Workspace <strong><bdi>${escaped(invitation.workspaceName)}</bdi></strong> as ${roleInWords(invitation.role)}, and sign in as ${address}.`,
      ...(current !== null && current.email !== email
        ? [`In this browser, that ends the session of ${escaped(current.email)}.`]
        : []),
      ...(browserHash !== null && browserHash !== guard.browserHash(request)
        ? ['The link was asked for in another browser. Here it signs in this browser, and only this one.']
        : []),
    ];
    const button = invitation === null ? 'Sign in' : 'Join and sign in';
    const action = escaped(pages.address(`${LINK_PATH}/${token}`));
    return `${lines.map((line) => `<p>${line}</p>`).join('')}<form method="post" action="${action}">${guard.field(request, response, whatOf(token))}<button autofocus>${button}</button></form>`;
  }

  #over(response: Response, kind: 'used' | 'expired' | 'unknown', current: SignedIn | null): void {
    const { pages } = this.#options;
    const next =
      current === null
        ? `<p><a href="${pages.address('/sign-in')}">Ask for a new link</a></p>`
        : `<p>You are signed in as <strong>${escaped(current.email)}</strong>. <a href="${pages.address('/app')}">Go on</a></p>`;
    pages.page(response, { ...OVER[kind], body: `<p>${OVER[kind].words}</p>${next}` });
  }
}

interface ShownLink {
  readonly token: string;
  readonly link: StoredSignInLink;
  readonly current: SignedIn | null;
}

const OVER = {
  used: {
    status: 410,
    title: 'This link was used',
    words: 'Each link works once. A new one takes a minute. Who was invited and joined signs in with a link, too.',
  },
  expired: {
    status: 410,
    title: 'This link is too old',
    words: 'Links to sign in work for 15 minutes, and invitations for 7 days. Ask for a new one.',
  },
  unknown: {
    status: 404,
    title: 'There is no such link',
    words: 'Perhaps only a part of it was copied. Open it from the mail, or ask for a new one.',
  },
} as const;

function tokenOf(request: Request): string {
  return String(request.params['token']);
}

/** A form is for one link: that of another one is not taken. */
function whatOf(token: string): string {
  return `follow ${token}`;
}
