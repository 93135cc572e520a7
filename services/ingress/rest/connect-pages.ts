import type { Express, Request, Response } from 'express';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { AccountChoice, SignInCompletion, SignInProblem, SignIns } from '#connections/sign-in.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';

export interface ConnectPagesOptions {
  readonly signIns: Pick<SignIns, 'start' | 'finish' | 'choose'>;
  /** Called when a page is served: in tests the port is chosen when the service listens. */
  readonly publicUrl: () => string;
  readonly requestId: () => string;
  readonly reporter: Reporter;
}

const COOKIE = 'crier_connect';
const COOKIE_SECONDS = 900;
const MAX_FORM_BYTES = 64 * 1024;
// The page runs no script, loads nothing and can not be framed; its form can only be sent here.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:#1c2430}label{display:block;padding:.4rem 0}button{font:inherit;padding:.4rem 1.2rem;margin-top:.8rem}';

/**
 * The pages that a person sees while connecting a Channel: `/connect/{network}/start?ticket=` leads to the Network,
 * `/callback` is where it sends the person back, `/choose` takes the form with several accounts. A cookie binds all of
 * it to one browser. Returns the paths with the method each takes.
 */
export function addConnectPages(
  app: Express,
  options: ConnectPagesOptions,
): readonly (readonly [path: string, method: 'get' | 'post'])[] {
  const pages = new ConnectPages(options);
  app.get('/connect/:network/start', (request, response) =>
    pages.serve(request, response, (network) => pages.start(network, request, response)),
  );
  app.get('/connect/:network/callback', (request, response) =>
    pages.serve(request, response, (network) => pages.callback(network, request, response)),
  );
  app.post('/connect/:network/choose', (request, response) =>
    pages.serve(request, response, (network) => pages.choose(network, request, response)),
  );
  return [
    ['/connect/:network/start', 'get'],
    ['/connect/:network/callback', 'get'],
    ['/connect/:network/choose', 'post'],
  ];
}

class ConnectPages {
  readonly #options: ConnectPagesOptions;

  constructor(options: ConnectPagesOptions) {
    this.#options = options;
  }

  async serve(request: Request, response: Response, work: (network: Network) => Promise<void>): Promise<void> {
    const network = request.params['network'] as Network;
    try {
      if (!NETWORKS.includes(network)) return this.#page(response, 404, 'There is no such Network.', '');
      await work(network);
    } catch (error) {
      if (!(error instanceof PortError)) this.#options.reporter.failure('connect-page-failed', error, { network });
      if (response.headersSent) response.destroy();
      else
        this.#page(response, 503, 'That did not work', '<p>Nothing was connected. Ask for a new link in a minute.</p>');
    }
  }

  async start(_network: Network, request: Request, response: Response): Promise<void> {
    const started = await this.#options.signIns.start(queryOf(request).get('ticket') ?? '');
    if (started.kind === 'problem') return this.#problem(response, started);
    const secure = this.#options.publicUrl().startsWith('https:') ? '; Secure' : '';
    const cookie = `${COOKIE}=${started.browserKey}; Path=${this.#base()}/connect; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_SECONDS}${secure}`;
    response.writeHead(302, { ...this.#head(), Location: started.authorizeUrl, 'Set-Cookie': cookie });
    response.end();
  }

  async callback(network: Network, request: Request, response: Response): Promise<void> {
    const query = queryOf(request);
    const error = (query.get('error_description') ?? query.get('error') ?? '').slice(0, 200);
    const state = query.get('state') ?? '';
    const finished = await this.#options.signIns.finish({
      network,
      state,
      browserKey: browserKeyOf(request),
      code: query.get('code') || null,
      error,
    });
    this.#ended(response, network, state, finished);
  }

  async choose(network: Network, request: Request, response: Response): Promise<void> {
    const form = await formOf(request);
    if (form === null) return this.#page(response, 413, 'That is too much', '');
    const state = form.get('state') ?? '';
    const chosen = await this.#options.signIns.choose({
      state,
      browserKey: browserKeyOf(request),
      accountIds: form.getAll('account'),
    });
    this.#ended(response, network, state, chosen);
  }

  #ended(
    response: Response,
    network: Network,
    state: string,
    answer: SignInCompletion | AccountChoice | SignInProblem,
  ): void {
    switch (answer.kind) {
      case 'problem':
        return this.#problem(response, answer);
      case 'connected':
        return this.#page(
          response,
          200,
          'Connected',
          `<p>${escaped(answer.channels.map(({ name }) => name).join(', '))} can be published to now. You may close this page.</p>`,
        );
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

  #problem(response: Response, { message, passing }: SignInProblem): void {
    this.#page(response, passing ? 503 : 400, 'Not connected', `<p>${escaped(message)}</p>`);
  }

  #page(response: Response, status: number, title: string, body: string): void {
    response.writeHead(status, {
      ...this.#head(),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
    });
    response.end(
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>${body}</body></html>\n`,
    );
  }

  /** The address holds a code, so it is neither cached nor sent on as a referrer. */
  #head(): Readonly<Record<string, string>> {
    return {
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': this.#options.requestId(),
    };
  }

  #base(): string {
    return new URL(this.#options.publicUrl()).pathname.replace(/\/$/, '');
  }
}

function queryOf(request: Request): URLSearchParams {
  const mark = request.url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1));
}

function browserKeyOf(request: Request): string {
  const cookies = (request.headers.cookie ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}

/** Null: the body is larger than any form of these pages. */
async function formOf(request: Request): Promise<URLSearchParams | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) return null;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
