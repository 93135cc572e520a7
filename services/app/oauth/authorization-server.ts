import type { Express, NextFunction, Request, Response } from 'express';
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { smallBodyOf } from '#http-server/body.ts';
import type { FrontDoor } from '#http-server/front-door.ts';
import { sendPage } from '#http-server/page.ts';
import { AppConsent } from './consent.ts';
import type { AuthorizationServerOptions } from './dependencies.ts';
import { endpointOf, type OAuthEndpoint } from './endpoints.ts';
import { errorPage, type ShownError } from './error-page.ts';
import { callerOf, FloodLimits } from './flood-limits.ts';
import { Library } from './library.ts';
import { authorizeParametersOf, tokenParametersOf } from './parameters.ts';
import { presented } from './presented-request.ts';
import { registrationOf, type OAuthProblem } from './registration.ts';
import { resourcesOf, type Resources } from './resources.ts';

const FORM = 'application/x-www-form-urlencoded';
const PREFLIGHT_SECONDS = '3600';

interface Exchange {
  readonly endpoint: OAuthEndpoint;
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
}

/** OAuth 2.1 for apps that act for Members: metadata, registration, consent, tokens, revocation. */
export function createAuthorizationServer(options: AuthorizationServerOptions): FrontDoor {
  const server = new AuthorizationServer(options);
  return { addTo: (app: Express) => void app.use((...exchange) => server.handle(...exchange)) };
}

class AuthorizationServer {
  readonly #options: AuthorizationServerOptions;
  readonly #resources: Resources;
  readonly #library: Library;
  readonly #consent: AppConsent;
  readonly #floods: FloodLimits;
  /** Of requests that the library is at work on: who sent them. */
  readonly #callers = new WeakMap<object, string>();

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
    this.#resources = resourcesOf(options.publicUrl);
    this.#consent = new AppConsent(options);
    this.#floods = new FloodLimits(options);
    this.#library = new Library(options, {
      callerOf: (request) => this.#callers.get(request) ?? null,
      mayFetchDocument: (ctx, address) => {
        const caller = ctx === undefined ? null : (this.#callers.get(ctx.req) ?? null);
        return this.#floods.mayFetchDocument(caller, address);
      },
      renderError: (ctx, out) => renderError(ctx, out),
      renderToldError: renderError,
    });
  }

  handle(request: Request, response: Response, next: NextFunction): void {
    const endpoint = endpointOf(request.path);
    if (endpoint === null) return next();
    const requestId = this.#options.ids.uuid7(this.#options.clock.now());
    response.setHeader('X-Request-Id', requestId);
    this.#serve({ endpoint, request, response, requestId }).catch((error: unknown) => {
      this.#fail(error, { endpoint, request, response, requestId });
    });
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { endpoint, request, response } = exchange;
    if (endpoint.open) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After');
      if (request.method === 'OPTIONS') return sendPreflight(exchange);
    }
    if (!endpoint.methods.includes(request.method)) {
      response.setHeader('Allow', endpoint.methods.join(', '));
      const description = `Please send ${endpoint.methods.join(' or ')} here.`;
      return sendProblem(response, { status: 405, error: 'invalid_request', description });
    }
    const provider = await this.#library.current();
    switch (endpoint.kind) {
      case 'consent':
        return this.#serveConsent(exchange, provider);
      case 'authorize': {
        const parameters = authorizeParametersOf(new URL(request.url, 'http://any').search, this.#resources);
        return this.#pass(exchange, provider, { target: `${endpoint.path}?${parameters.toString()}` });
      }
      case 'register':
        return this.#register(exchange, provider);
      case 'token':
      case 'revoke':
        return this.#passForm(exchange, provider);
      default:
        return this.#pass(exchange, provider, {});
    }
  }

  #serveConsent({ request, response, requestId }: Exchange, provider: Provider): Promise<void> {
    const interactionId = request.path.slice(request.path.lastIndexOf('/') + 1);
    const exchange = { request, response, requestId, provider, interactionId };
    return request.method === 'POST' ? this.#consent.decide(exchange) : this.#consent.ask(exchange);
  }

  async #register(exchange: Exchange, provider: Provider): Promise<void> {
    const { request, response } = exchange;
    const { admitted, resetSeconds } = await this.#floods.registration(request);
    if (!admitted) {
      this.#options.reporter.report('app-registration-flood', { client: callerOf(request) });
      response.setHeader('Retry-After', String(resetSeconds));
      const description = `Too many apps were registered from your address. Please try again in ${resetSeconds} seconds.`;
      return sendProblem(response, { status: 429, error: 'temporarily_unavailable', description });
    }
    const { metadata, problem } = registrationOf(await smallBodyOf(request));
    if (problem !== null) {
      this.#options.reporter.report('app-registered', { outcome: 'refused' });
      this.#options.reporter.report('oauth-refused', { endpoint: 'register', error: problem.error });
      return sendProblem(response, problem);
    }
    const body = Buffer.from(JSON.stringify(metadata));
    request.headers['content-type'] = 'application/json';
    await this.#pass(exchange, provider, { body });
  }

  async #passForm(exchange: Exchange, provider: Provider): Promise<void> {
    const { request, response } = exchange;
    const body = await smallBodyOf(request);
    if (body === null)
      return sendProblem(response, { status: 413, error: 'invalid_request', description: 'The body is too large.' });
    const isForm = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === FORM;
    const text = isForm ? tokenParametersOf(body.toString('utf8'), this.#resources).toString() : null;
    await this.#pass(exchange, provider, { body: text === null ? body : Buffer.from(text) });
  }

  /** Hands a request to the library, which answers it. */
  async #pass(
    { endpoint, request, response }: Exchange,
    provider: Provider,
    { target = endpoint.path, body = Buffer.alloc(0) }: { readonly target?: string; readonly body?: Buffer },
  ): Promise<void> {
    // People see pages; what programs call answers JSON, whatever they say they accept.
    const accept = endpoint.kind === 'authorize' || endpoint.kind === 'resume' ? 'text/html' : 'application/json';
    const seen = presented({ request, target, body, accept, publicUrl: this.#options.publicUrl });
    this.#callers.set(seen, callerOf(request));
    await provider.callback()(seen, response);
  }

  #fail(error: unknown, { endpoint, request, response, requestId }: Exchange): void {
    // A client that went away while it was sending is no defect.
    if (!request.complete && request.destroyed) return;
    const isForPeople = ['authorize', 'resume', 'consent'].includes(endpoint.kind);
    const known = error instanceof errors.OIDCProviderError;
    if (!known) this.#options.reporter.failure('oauth-failed', error, { endpoint: endpoint.kind, requestId });
    if (response.headersSent) return void response.destroy();
    if (isForPeople) return sendPage(response, errorPage(known ? error : { error: 'server_error' }, requestId));
    const description = 'Something went wrong here. Please try again.';
    sendProblem(response, { status: 503, error: 'temporarily_unavailable', description });
  }
}

/** The page is sent past Koa, with the headers of our other pages. */
function renderError(ctx: KoaContextWithOIDC, out: ShownError, appUrl: string | null = null): void {
  ctx.respond = false;
  sendPage(ctx.res as Response, errorPage(out, String(ctx.res.getHeader('x-request-id')), appUrl));
}

function sendPreflight({ endpoint, request, response }: Exchange): void {
  const wanted = request.headers['access-control-request-headers'];
  response.writeHead(204, {
    'Access-Control-Allow-Methods': endpoint.methods.join(', '),
    ...(wanted !== undefined && { 'Access-Control-Allow-Headers': wanted }),
    'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    Vary: 'Access-Control-Request-Headers',
  });
  response.end();
}

function sendProblem(response: Response, { status, error, description }: OAuthProblem): void {
  const body = JSON.stringify({ error, error_description: description });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}
