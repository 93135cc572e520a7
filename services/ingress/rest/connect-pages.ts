import type { Express, Request, Response } from 'express';
import { factsOf, NETWORKS, type Network } from '#domain/network.ts';
import type { AccountChoice, SignInCompletion, SignInProblem, SignIns } from '#connections/sign-in.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { addCookie, cookieOf, type CookieOptions } from '#http-server/cookies.ts';
import { FormGuard } from '#http-server/form-guard.ts';
import { escaped, formOf, guardsOf, sendPage } from '#http-server/page.ts';
import { queryOf } from '#http-server/query-of.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import type { CountStrangerOptions } from '#use-cases/stranger-limits.ts';
import { countVisitor } from './count-visitor.ts';

export interface ConnectPagesOptions {
  readonly signIns: Pick<SignIns, 'look' | 'start' | 'finish' | 'choose' | 'begunIn'>;
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  readonly ids: Pick<Ids, 'token'>;
  /** Called when a page is served: in tests the port is chosen when the service listens. */
  readonly publicUrl: () => string;
  readonly requestId: () => string;
  readonly reporter: Reporter;
  /** Counts requests that show nothing which opens a sign-in, by address. */
  readonly strangers: CountStrangerOptions['strangers'];
}

const COOKIE = 'crier_connect';
const COOKIE_SECONDS = 900;

/**
 * The pages that a person sees while connecting a Channel. `/connect/{network}/start?ticket=` says which Workspace is to
 * publish where, and changes nothing, whatever opens it; its button leads to the Network. `/callback` is where that
 * sends the person back, `/choose` takes the form with several accounts. A cookie binds all of it to one browser. Who
 * began in the app ends there: at its Channels, or at a page that says what went wrong and leads back to them. Returns
 * the paths with the methods each takes.
 */
export function addConnectPages(
  app: Express,
  options: ConnectPagesOptions,
): readonly (readonly [path: string, ...methods: readonly ('get' | 'post')[]])[] {
  const pages = new ConnectPages(options);
  app.get('/connect/:network/start', (request, response) =>
    pages.serve(request, response, (network, visit) => pages.show(network, visit)),
  );
  app.post('/connect/:network/start', (request, response) =>
    pages.serve(request, response, (network, visit) => pages.start(network, visit)),
  );
  app.get('/connect/:network/callback', (request, response) =>
    pages.serve(request, response, (network, visit) => pages.callback(network, visit)),
  );
  app.post('/connect/:network/choose', (request, response) =>
    pages.serve(request, response, (network, visit) => pages.choose(network, visit)),
  );
  return [
    ['/connect/:network/start', 'get', 'post'],
    ['/connect/:network/callback', 'get'],
    ['/connect/:network/choose', 'post'],
  ];
}

interface Visit {
  readonly request: Request;
  readonly response: Response;
  /** The client's address, read at the start: a connection that ends amid a form has none any more. */
  readonly client: string | undefined;
}

class ConnectPages {
  readonly #options: ConnectPagesOptions;

  constructor(options: ConnectPagesOptions) {
    this.#options = options;
  }

  async serve(
    request: Request,
    response: Response,
    work: (network: Network, visit: Visit) => Promise<void>,
  ): Promise<void> {
    const visit = { request, response, client: request.ip };
    const network = request.params['network'] as Network;
    try {
      if (!NETWORKS.includes(network)) return this.#refuse(visit, 404, 'There is no such Network.', '');
      await work(network, visit);
    } catch (error) {
      // A client that went away while it was sending is no defect.
      if (!request.complete && request.destroyed) return;
      if (!(error instanceof PortError)) this.#options.reporter.failure('connect-page-failed', error, { network });
      if (response.headersSent) response.destroy();
      else
        this.#page(response, 503, 'That did not work', '<p>Nothing was connected. Ask for a new link in a minute.</p>');
    }
  }

  async show(network: Network, visit: Visit): Promise<void> {
    const { request, response } = visit;
    const ticket = queryOf(request).get('ticket') ?? '';
    const asked = await this.#options.signIns.look(ticket);
    if (asked.kind === 'problem') return this.#problem(visit, asked);
    if (asked.network !== network) return this.#refuse(visit, 404, 'There is no such link', '');
    const { workspaceId, isReconnect, leadsTo } = asked;
    const workspace = (await this.#options.workspaces.state(workspaceId))?.name ?? workspaceId;
    const { displayName } = factsOf(network);
    const what = isReconnect
      ? `connect your ${displayName} account again to`
      : `connect an account of ${displayName} to`;
    const body = `<p>You ${what} the Workspace <strong><bdi>${escaped(workspace)}</bdi></strong>. Its Members can then publish to that account until it is disconnected.</p><p class="soft">Go on only if you, or somebody you trust, asked for this link.</p>`;
    const action = escaped(`${this.#base()}/connect/${network}/start`);
    const fields = `${this.#guard().field(request, response, whatOf(ticket))}<input type="hidden" name="ticket" value="${escaped(ticket)}">`;
    sendPage(response, {
      ...{ status: 200, title: `Connect ${displayName}`, requestId: this.#options.requestId() },
      body: `${body}<form method="post" action="${action}">${fields}<button autofocus>Go on to ${displayName}</button></form>`,
      // The Network may lead on to other pages of its own before it asks.
      formLeadsTo: leadsTo.startsWith('https:') ? 'https:' : `https: ${leadsTo}`,
    });
  }

  async start(network: Network, visit: Visit): Promise<void> {
    const { request, response } = visit;
    const form = await formOf(request);
    if (form === null) return this.#refuse(visit, 413, 'That is too much', '');
    const ticket = form.get('ticket') ?? '';
    if (!this.#guard().accepts(request, form, whatOf(ticket))) {
      this.#options.reporter.report('form-refused');
      const link = `${this.#base()}/connect/${network}/start?${new URLSearchParams({ ticket })}`;
      const body = `<p>This page was opened in another browser, or cookies are off. Allow cookies, and open the link again.</p><p><a href="${escaped(link)}">Open it again</a></p>`;
      return this.#refuse(visit, 403, 'Please open the link again', body);
    }
    const started = await this.#options.signIns.start(ticket);
    if (started.kind === 'problem') return this.#problem(visit, started);
    addCookie(response, { ...this.#cookie(), value: started.browserKey, maxAgeSeconds: COOKIE_SECONDS });
    response.writeHead(303, { ...guardsOf(this.#options.requestId()), Location: started.authorizeUrl }).end();
  }

  async callback(network: Network, visit: Visit): Promise<void> {
    const { request, client } = visit;
    const query = queryOf(request);
    const error = (query.get('error_description') ?? query.get('error') ?? '').slice(0, 200);
    const state = query.get('state') ?? '';
    const finished = await this.#options.signIns.finish({
      network,
      state,
      browserKey: this.#browserKeyOf(request),
      code: query.get('code') || null,
      error,
      address: client,
    });
    await this.#ended(visit, network, state, finished);
  }

  async choose(network: Network, visit: Visit): Promise<void> {
    const { request, client } = visit;
    const form = await formOf(request);
    if (form === null) return this.#refuse(visit, 413, 'That is too much', '');
    const state = form.get('state') ?? '';
    const chosen = await this.#options.signIns.choose({
      state,
      browserKey: this.#browserKeyOf(request),
      accountIds: form.getAll('account'),
      address: client,
    });
    await this.#ended(visit, network, state, chosen);
  }

  async #ended(
    visit: Visit,
    network: Network,
    state: string,
    answer: SignInCompletion | AccountChoice | SignInProblem,
  ): Promise<void> {
    const { response } = visit;
    switch (answer.kind) {
      case 'problem':
        return this.#problem(visit, answer, () => this.#channelsPage(state));
      case 'connected': {
        const page = await this.#channelsPage(state);
        if (page !== null) {
          for (const { channelId } of answer.channels) page.searchParams.append('connected', channelId);
          response.writeHead(303, { ...guardsOf(this.#options.requestId()), Location: page.href }).end();
          return;
        }
        return this.#page(
          response,
          200,
          'Connected',
          `<p>${escaped(answer.channels.map(({ name }) => name).join(', '))} can be published to now. You may close this page.</p>`,
        );
      }
      case 'choose': {
        const choices = answer.accounts.map(
          ({ accountId, name, username }) =>
            `<label><input type="checkbox" name="account" value="${escaped(accountId)}"> ${escaped(name)}${username === '' ? '' : ` (${escaped(username)})`}</label>`,
        );
        const action = `${this.#base()}/connect/${network}/choose`;
        const form = `<form method="post" action="${escaped(action)}"><input type="hidden" name="state" value="${escaped(state)}">${choices.join('')}<button>Connect</button></form>`;
        return this.#page(response, 200, 'Which accounts?', form);
      }
    }
  }

  async #problem(
    visit: Visit,
    { message, passing, isUnknown = false }: SignInProblem,
    back: () => Promise<URL | null> = async () => null,
  ): Promise<void> {
    if (isUnknown && this.#isTooMany(visit)) return;
    const page = await back();
    const link = page === null ? '' : `<p><a href="${escaped(page.href)}">Back to your Channels</a></p>`;
    this.#page(visit.response, passing ? 503 : 400, 'Not connected', `<p>${escaped(message)}</p>${link}`);
  }

  #refuse(visit: Visit, status: number, title: string, body: string): void {
    if (!this.#isTooMany(visit)) this.#page(visit.response, status, title, body);
  }

  /**
   * Counts by address who has shown nothing that opens a sign-in, and tells one who has done so too often. Links are
   * looked up before, so that a good one opens from an address that others have used up.
   */
  #isTooMany({ response, client }: Visit): boolean {
    const refused = countVisitor(this.#options, client, response);
    if (refused !== null) this.#page(response, 429, 'Please wait', `<p>${escaped(refused.message)}</p>`);
    return refused !== null;
  }

  /** Of the app; null: the sign-in was not begun there. */
  async #channelsPage(state: string): Promise<URL | null> {
    const begun = await this.#options.signIns.begunIn(state).catch((error: unknown) => {
      // What was connected is connected: the person is told so without the way back.
      if (error instanceof PortError) return null;
      throw error;
    });
    if (begun === null) return null;
    const page = new URL(`${this.#base()}/app/channels`, this.#options.publicUrl());
    page.searchParams.set('workspace', begun.workspaceId);
    return page;
  }

  #page(response: Response, status: number, title: string, body: string): void {
    sendPage(response, { status, title, body, requestId: this.#options.requestId() });
  }

  /** A cookie that a neighbouring host planted would connect the account of a victim to a Workspace of its own. */
  #cookie(): CookieOptions {
    return { name: COOKIE, secure: this.#options.publicUrl().startsWith('https:') };
  }

  #browserKeyOf(request: Request): string {
    return cookieOf(request, this.#cookie()) ?? '';
  }

  #guard(): FormGuard {
    return new FormGuard({ ids: this.#options.ids, publicUrl: this.#options.publicUrl() });
  }

  #base(): string {
    return new URL(this.#options.publicUrl()).pathname.replace(/\/$/, '');
  }
}

/** A form is for one link: that of another one is not taken. */
const whatOf = (ticket: string): string => `connect ${ticket}`;
