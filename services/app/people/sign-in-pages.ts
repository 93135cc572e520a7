import type { Request, Response } from 'express';
import { escaped } from '#http-server/page.ts';
import { browserNameOf } from './browser-name.ts';
import type { FormGuard } from '#http-server/form-guard.ts';
import type { LinkRequests } from './link-requests.ts';
import type { PageRequests } from './page-requests.ts';
import { returnPathOf } from './return-path.ts';
import type { BrowserSessions } from './sessions.ts';

export interface SignInPagesOptions {
  readonly pages: PageRequests;
  readonly guard: FormGuard;
  readonly sessions: Pick<BrowserSessions, 'current' | 'claimed'>;
  /** Null: this installation can not send mail. */
  readonly requests: LinkRequests | null;
  readonly publicUrl: string;
}

const WHAT = 'ask for a link';
const NO_MAIL =
  '<p>This Crier can not send mail, so nobody can sign in. Its operator has to set CRIER_SMTP_URL and CRIER_MAIL_FROM.</p>';

/** `/sign-in`: asks for the address that a link is mailed to. */
export class SignInPages {
  readonly #options: SignInPagesOptions;

  constructor(options: SignInPagesOptions) {
    this.#options = options;
  }

  async show(request: Request, response: Response): Promise<void> {
    const { pages, sessions, requests, publicUrl } = this.#options;
    const query = new URLSearchParams(/\?(.*)$/s.exec(request.url)?.[1] ?? '');
    const returnPath = returnPathOf(query.get('return_to'), publicUrl) ?? '/app';
    if ((await sessions.current(request)) !== null) return pages.redirect(response, returnPath);
    if (requests === null) return pages.page(response, { status: 503, title: 'Sign in', body: NO_MAIL });
    pages.page(response, { title: 'Sign in', body: this.#form(request, response, { returnPath, email: '' }) });
  }

  async ask(request: Request, response: Response): Promise<void> {
    const { pages, guard, requests, sessions, publicUrl } = this.#options;
    const form = await pages.form(request, response, WHAT);
    if (form === null) return;
    if (requests === null) return pages.page(response, { status: 503, title: 'Sign in', body: NO_MAIL });
    const email = form.get('email') ?? '';
    const returnPath = returnPathOf(form.get('return_to'), publicUrl) ?? '/app';
    const outcome = await requests.ask({
      email,
      client: request.ip,
      browserHash: guard.browserHash(request)!,
      browser: browserNameOf(request.headers['user-agent']),
      returnPath,
      claimedSessions: sessions.claimed(request),
    });
    switch (outcome.kind) {
      case 'no-address': {
        const alarm = 'This is no e-mail address. Write it as in ada@example.com.';
        const body = this.#form(request, response, { returnPath, email: email.slice(0, 254), alarm });
        return pages.page(response, { status: 400, title: 'Sign in', body });
      }
      case 'too-many': {
        const minutes = Math.ceil(outcome.retryAfterSeconds / 60);
        response.setHeader('Retry-After', String(outcome.retryAfterSeconds));
        const body = `<p>Too many links were asked for from your network. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.</p>`;
        return pages.page(response, { status: 429, title: 'Please wait', body });
      }
      case 'no-room': {
        const { by, retryAfterSeconds } = outcome;
        response.setHeader('Retry-After', String(retryAfterSeconds));
        const whose = by === 'all' ? 'too many mails' : 'too many mails that your network asked for';
        const body = `<p>No link was mailed: ${whose} are waiting to be sent. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.</p>`;
        return pages.page(response, { status: 503, title: 'Please wait', body });
      }
      case 'taken': {
        const again = `${pages.address('/sign-in')}?${new URLSearchParams({ return_to: returnPath }).toString()}`;
        const body = `<p>A link is on its way to <strong>${escaped(email.trim().slice(0, 254))}</strong>. Open it in this browser within 15 minutes.</p><p class="soft">Nothing there? Look among unwanted mail, check the address, or <a href="${escaped(again)}">ask for another link</a>: of one address, ten an hour are mailed.</p>`;
        return pages.page(response, { title: 'Look into your mail', body });
      }
    }
  }

  #form(request: Request, response: Response, { returnPath, email, alarm }: FormFields): string {
    const { pages, guard } = this.#options;
    const told = alarm === undefined ? '' : `<p class="alarm" id="alarm" role="alert">${escaped(alarm)}</p>`;
    const described = alarm === undefined ? '' : ' aria-invalid="true" aria-describedby="alarm"';
    return `<p>Crier mails you a link. You need no password.</p>${told}<form method="post" action="${pages.address('/sign-in')}">${guard.field(request, response, WHAT)}<input type="hidden" name="return_to" value="${escaped(returnPath)}"><label>E-mail address<input type="email" name="email" value="${escaped(email)}" autocomplete="email" required autofocus maxlength="254"${described}></label><button>Mail me a link</button></form>`;
  }
}

interface FormFields {
  readonly returnPath: string;
  readonly email: string;
  readonly alarm?: string;
}
