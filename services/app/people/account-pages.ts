import type { Request, Response } from 'express';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import { escaped } from '#http-server/page.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { StoredSession } from '#tables/repositories/sessions.ts';
import type { FormGuard } from '#http-server/form-guard.ts';
import type { PageRequests } from './page-requests.ts';
import { returnPathOf } from './return-path.ts';
import type { BrowserSessions } from './sessions.ts';
import { makeWorkspace } from './sign-up.ts';
import type { SignUpLimits } from './sign-up-limits.ts';
import { signInAddress, type SignedIn } from './signed-in.ts';

export interface AccountPagesOptions {
  readonly pages: PageRequests;
  readonly guard: FormGuard;
  readonly sessions: BrowserSessions;
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sendCommand: SendOperatorCommand;
  readonly ids: Pick<Ids, 'token'>;
  readonly limits: Pick<SignUpLimits, 'take'>;
  /** Whether everybody may make a Workspace. */
  readonly signUpOpen: boolean;
  readonly publicUrl: string;
}

export const ACCOUNT_PATH = '/account';

const MAKE = 'make a Workspace';
const END = 'end a session';
const SIGN_OUT = 'sign out';
const MAX_NAME_CHARACTERS = 200;
const NONCE = /^[\w-]{22}$/;

/**
 * Without script, for browsers that run none: who is signed in, the Workspaces of the account, and the browsers that it
 * is signed in with. The app shows the same on its page of settings.
 */
export class AccountPages {
  readonly #options: AccountPagesOptions;

  constructor(options: AccountPagesOptions) {
    this.#options = options;
  }

  async show(request: Request, response: Response): Promise<void> {
    const current = await this.#signedIn(request, response);
    if (current !== null) await this.#page(request, response, current);
  }

  async makeWorkspace(request: Request, response: Response): Promise<void> {
    const { pages, memberships, sendCommand, signUpOpen, limits } = this.#options;
    const form = await pages.form(request, response, MAKE);
    const current = form === null ? null : await this.#signedIn(request, response);
    if (form === null || current === null) return;
    // Sent twice, it makes one Workspace.
    if (presentIn(await memberships(current.accountId)).length > 0) return pages.redirect(response, ACCOUNT_PATH);
    const name = nameOf(form, 'workspace');
    const nonce = form.get('nonce') ?? '';
    if (!signUpOpen || name === null || !NONCE.test(nonce))
      return this.#page(request, response, current, 'Write a name of 1 to 200 characters.');
    const tooMany = await limits.take(current.accountId);
    if (tooMany !== null) return this.#page(request, response, current, tooMany.message);
    const ownName = nameOf(form, 'name') ?? undefined;
    const { result: made } = await makeWorkspace(current, { name, ownName, nonce, address: request.ip }, sendCommand);
    if (made.ok) return pages.redirect(response, ACCOUNT_PATH);
    if (made.code === 'outcome_unknown') throw new PortError('unknown', made.message);
    await this.#page(request, response, current, made.message);
  }

  async endSession(request: Request, response: Response): Promise<void> {
    const { pages, sessions } = this.#options;
    const form = await pages.form(request, response, END);
    const current = form === null ? null : await this.#signedIn(request, response);
    if (form === null || current === null) return;
    const sessionHash = form.get('session') ?? '';
    // The account is of the cookie, so only its own sessions can be named.
    await sessions.end(current.accountId, sessionHash, 'list');
    pages.redirect(response, ACCOUNT_PATH);
  }

  async signOut(request: Request, response: Response): Promise<void> {
    const { pages, sessions, publicUrl } = this.#options;
    const form = await pages.form(request, response, SIGN_OUT);
    if (form === null) return;
    const current = await sessions.current(request);
    if (current !== null) await sessions.end(current.accountId, current.sessionHash, 'sign-out');
    sessions.takeCookie(response);
    pages.redirect(response, returnPathOf(form.get('return_to'), publicUrl) ?? '/sign-in');
  }

  async #signedIn(request: Request, response: Response): Promise<SignedIn | null> {
    const { pages, sessions } = this.#options;
    const current = await sessions.current(request);
    if (current === null) pages.redirect(response, signInAddress('', ACCOUNT_PATH));
    return current;
  }

  async #page(request: Request, response: Response, current: SignedIn, alarm?: string): Promise<void> {
    const { pages, sessions, memberships } = this.#options;
    const [workspaces, all] = await Promise.all([memberships(current.accountId), sessions.list(current.accountId)]);
    const present = presentIn(workspaces);
    const told = alarm === undefined ? '' : `<p class="alarm" role="alert">${escaped(alarm)}</p>`;
    const list =
      present.length === 0
        ? this.#noWorkspace(request, response)
        : `${workspaceList(present)}<p><a href="${pages.address('/app')}">Open the app</a></p>`;
    pages.page(response, {
      status: alarm === undefined ? 200 : 422,
      title: 'Your account',
      body: [
        `<p>You are signed in as <strong>${escaped(current.email)}</strong>.</p>`,
        signOutForm(request, response, this.#options, { label: 'Sign out', returnPath: null }),
        `<h2>Workspaces</h2>${told}${list}`,
        `<h2>Browsers that are signed in</h2><ul>${all.map((session) => this.#session(request, response, session, current)).join('')}</ul>`,
      ].join(''),
    });
  }

  #noWorkspace(request: Request, response: Response): string {
    const { pages, guard, ids, signUpOpen } = this.#options;
    if (!signUpOpen)
      return '<p>You are in no Workspace yet. Ask an owner of one to invite this address; the invitation comes by mail.</p>';
    const fields = [
      guard.field(request, response, MAKE),
      `<input type="hidden" name="nonce" value="${ids.token(16)}">`,
      `<label>Name of the Workspace<input type="text" name="workspace" required maxlength="${MAX_NAME_CHARACTERS}"></label>`,
      `<label>Your name<input type="text" name="name" autocomplete="name" maxlength="${MAX_NAME_CHARACTERS}"></label>`,
    ];
    return `<p>You are in no Workspace yet. Make one, or ask an owner of one to invite this address.</p><form method="post" action="${pages.address(`${ACCOUNT_PATH}/workspaces`)}">${fields.join('')}<button>Make the Workspace</button></form>`;
  }

  #session(request: Request, response: Response, session: StoredSession, current: SignedIn): string {
    const { pages, guard } = this.#options;
    const { browser, createdAt, lastSeenAt, sessionHash } = session;
    const words = `${escaped(browser)}, signed in ${time(createdAt)}, last seen ${time(lastSeenAt)}`;
    if (sessionHash === current.sessionHash) return `<li>${words} (this browser)</li>`;
    return `<li>${words}<form method="post" action="${pages.address(`${ACCOUNT_PATH}/sessions/end`)}">${guard.field(request, response, END)}<input type="hidden" name="session" value="${escaped(sessionHash)}"><button class="quiet" aria-label="End the session of ${escaped(browser)}, signed in ${isoMinute(createdAt)}">End</button></form></li>`;
  }
}

export interface SignOutFormOptions {
  readonly pages: Pick<PageRequests, 'address'>;
  readonly guard: Pick<FormGuard, 'field'>;
}

/** A form of one button. `returnPath`: where the browser goes then; null: to the page for signing in. */
export function signOutForm(
  request: Request,
  response: Response,
  { pages, guard }: SignOutFormOptions,
  { label, returnPath }: { readonly label: string; readonly returnPath: string | null },
): string {
  const back = returnPath === null ? '' : `<input type="hidden" name="return_to" value="${escaped(returnPath)}">`;
  return `<form method="post" action="${pages.address('/sign-out')}">${guard.field(request, response, SIGN_OUT)}${back}<button class="quiet">${escaped(label)}</button></form>`;
}

function presentIn(memberships: readonly Membership[]): readonly Membership[] {
  return memberships.filter(({ removed }) => !removed);
}

function workspaceList(memberships: readonly Membership[]): string {
  const items = memberships.map(({ workspaceName, role }) => `<li><bdi>${escaped(workspaceName)}</bdi>, ${role}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

function nameOf(form: URLSearchParams, field: string): string | null {
  const name = (form.get(field) ?? '').trim();
  return name === '' || name.length > MAX_NAME_CHARACTERS || !name.isWellFormed() || name.includes('\0') ? null : name;
}

function time(at: number): string {
  return `<time datetime="${new Date(at).toISOString()}">${isoMinute(at)}</time>`;
}

function isoMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
