import type { Express, Request, Response } from 'express';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { createSessionRows } from '#tables/repositories/sessions.ts';
import { ACCOUNT_PATH, AccountPages } from './account-pages.ts';
import { FormGuard } from '#http-server/form-guard.ts';
import { LinkPages } from './link-pages.ts';
import { LinkRequests, type LinkRequestsOptions, LINKS_BY_ACCOUNT, LINKS_BY_CLIENT } from './link-requests.ts';
import type { MailQueue } from './mail-queue.ts';
import { PageRequests } from './page-requests.ts';
import { BrowserSessions } from './sessions.ts';
import { LinkSignIn } from './link-sign-in.ts';
import { SignUpLimits } from './sign-up-limits.ts';
import { SignInPages } from './sign-in-pages.ts';
import { LINK_PATH, SignInLinks } from './sign-in-links.ts';

export interface PeopleOptions {
  readonly store: TableStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
  /** Null: this installation can not send mail. */
  readonly mail: MailQueue | null;
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sendCommand: SendOperatorCommand;
  /** Whether everybody may make a Workspace. */
  readonly signUpOpen: boolean;
}

/** Accounts of people, as other parts of the role use them. */
export interface People {
  readonly sessions: BrowserSessions;
  readonly guard: FormGuard;
  readonly pages: PageRequests;
  /** The address of a link that signs in as this account once, within a day. Rejects with `PortError`. */
  demoLink(email: string): Promise<string>;
  /** Adds the pages for signing in and for the account. */
  addTo(app: Express): void;
}

const DEMO_LINK_MS = 86_400_000;

/** Accounts, sessions and links over one store, with the pages for them. */
export function createPeople(options: PeopleOptions): People {
  const { store, clock, ids, reporter, publicUrl } = options;
  const guard = new FormGuard({ ids, publicUrl });
  const pages = new PageRequests({ guard, reporter, publicUrl, requestId: () => ids.uuid7(clock.now()) });
  const sessions = new BrowserSessions({ ...options, rows: createSessionRows(store, () => ids.token()) });
  const links = new SignInLinks(options);
  const signIn = new LinkSignIn({ ...options, links, sessions });
  const parts = { ...options, pages, guard, sessions, links, signIn };
  const signInPages = new SignInPages({ ...parts, requests: linkRequestsOf(options, { links, sessions }) });
  const linkPages = new LinkPages(parts);
  const limits = new SignUpLimits({ ...options, requests: createRequestRows(store) });
  const accountPages = new AccountPages({ ...parts, limits });
  return {
    sessions,
    guard,
    pages,
    demoLink: (email) =>
      links.make({
        email,
        purpose: 'demo',
        browserHash: null,
        returnPath: '/app',
        expiresAt: clock.now() + DEMO_LINK_MS,
        invitation: null,
      }),
    addTo(app) {
      const route = (path: string, handlers: PageHandlers) => addRoute(app, pages, path, handlers);
      route('/', { get: async (_request, response) => pages.redirect(response, '/app') });
      route('/sign-in', {
        get: (request, response) => signInPages.show(request, response),
        post: (request, response) => signInPages.ask(request, response),
      });
      route(`${LINK_PATH}/:token`, {
        get: (request, response) => linkPages.show(request, response),
        post: (request, response) => linkPages.follow(request, response),
      });
      route(ACCOUNT_PATH, { get: (request, response) => accountPages.show(request, response) });
      route(`${ACCOUNT_PATH}/workspaces`, {
        post: (request, response) => accountPages.makeWorkspace(request, response),
      });
      route(`${ACCOUNT_PATH}/sessions/end`, {
        post: (request, response) => accountPages.endSession(request, response),
      });
      route('/sign-out', { post: (request, response) => accountPages.signOut(request, response) });
    },
  };
}

type PageHandler = (request: Request, response: Response) => Promise<void>;
interface PageHandlers {
  readonly get?: PageHandler;
  readonly post?: PageHandler;
}

function addRoute(app: Express, pages: PageRequests, path: string, { get, post }: PageHandlers): void {
  if (get !== undefined) app.get(path, pages.serve(get));
  if (post !== undefined) app.post(path, pages.serve(post));
  const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ');
  app.all(path, (_request, response) => {
    response.setHeader('Allow', allow);
    pages.page(response, { status: 405, title: 'Not like this', body: `<p>This address takes ${allow} only.</p>` });
  });
}

function linkRequestsOf(
  options: PeopleOptions,
  parts: Pick<LinkRequestsOptions, 'links' | 'sessions'>,
): LinkRequests | null {
  const { store, clock, mail } = options;
  if (mail === null) return null;
  const shared = { ...options, clock: atWallTime(clock), rows: createRequestRows(store) };
  return new LinkRequests({
    ...options,
    ...parts,
    mail,
    byAccount: new RateLimiter({ ...shared, ...LINKS_BY_ACCOUNT }),
    byClient: new RateLimiter({ ...shared, ...LINKS_BY_CLIENT }),
  });
}
