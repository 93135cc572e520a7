import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import type { RegistryAnswer, RegistryRequest } from '#codec/registry/http-answers.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Health } from '#runtime/health.ts';
import { Listening, type ListeningService } from '#runtime/listening.ts';
import { createHostGuard } from '#runtime/host-guard.ts';
import { createTokenCheck, type TokenForm } from './admin-token.ts';
import { BodyTooLarge, readText, sendJson, sendText } from './exchange.ts';
import { serveRouter } from './serve-router.ts';

export interface OpsServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where other processes reach it; left out: where it listens. */
  readonly url?: string;
  readonly adminToken: string;
  readonly health: () => Promise<Health>;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  /** Procedures by which other processes of the installation hint answers to this one. */
  readonly answers: AnyRouter;
  /** The procedures of admin; null where that role is off. */
  readonly router: AnyRouter | null;
  /** The built-in schema registry; null where another is used. */
  readonly registry: ((request: RegistryRequest) => RegistryAnswer) | null;
  readonly reporter: Reporter;
}

const REGISTRY_TYPE = 'application/vnd.schemaregistry.v1+json';
const REALM = 'Bearer realm="crier admin"';

/**
 * What every process serves to operators and to other processes, on an address of its own. Health and metrics need no
 * token and answer under any host name. Everything else needs the admin token, an address of this process in Host, and
 * no Origin of another site. It starts first and drains last, so that probes see the other services start and end.
 */
export function createOpsServer(options: OpsServerOptions): ListeningService {
  const ops = new Ops(options);
  const server = createServer((request, response) => void ops.serve(request, response));
  return new Listening('ops', server, { ...options, scheme: 'http' });
}

class Ops {
  readonly #options: OpsServerOptions;
  readonly #allowed: (header: string | undefined, form: TokenForm) => boolean;
  readonly #foreign: ReturnType<typeof createHostGuard>;
  readonly #answers: RequestListener;
  readonly #admin: RequestListener | null;

  constructor(options: OpsServerOptions) {
    this.#options = options;
    const { adminToken, host, url } = options;
    this.#allowed = createTokenCheck(adminToken);
    this.#foreign = createHostGuard({ host, urls: () => (url === undefined ? [] : [url]) });
    this.#answers = serveRouter(options.answers, '/internal/', options.reporter);
    this.#admin = options.router === null ? null : serveRouter(options.router, '/trpc/', options.reporter);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      if (error instanceof BodyTooLarge) return sendJson(response, 413, { error: error.message });
      if (!request.complete) return void request.socket.destroy();
      this.#options.reporter.failure('admin-request-failed', error, { path: pathOf(request) });
      sendJson(response, 500, { error: 'The request failed; the log of this process says why.' });
    }
  }

  #route(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const path = pathOf(request);
    if (path === '/health/live' || path === '/health/ready' || path === '/metrics') {
      if (request.method === 'GET' || request.method === 'HEAD') return this.#sendStatus(path, response);
      return sendJson(response, 405, { error: 'This address takes GET only.' }, { Allow: 'GET, HEAD' });
    }
    const listener = path.startsWith('/trpc/') ? this.#admin : path === '/internal/answers' ? this.#answers : null;
    const registry = path === '/registry' || path.startsWith('/registry/') ? this.#options.registry : null;
    if (listener === null && registry === null)
      return sendJson(response, 404, { error: 'There is nothing at this address.' });
    const foreign = this.#foreign({ headers: request.headers, localAddress: request.socket.localAddress });
    if (foreign !== null) return refuse(response, 403, foreign, listener !== null);
    if (!this.#allowed(request.headers.authorization, listener === null ? 'password' : 'bearer'))
      return refuse(response, 401, NO_TOKEN, listener !== null);
    // Pages of other sites can send forms and plain text without a preflight request, and the library would read them.
    if (listener !== null && !isJsonOrNothing(request))
      return refuse(response, 415, 'The body must be JSON: send the header Content-Type: application/json.', true);
    return listener === null ? this.#answerRegistry(registry!, path, request, response) : listener(request, response);
  }

  async #sendStatus(path: string, response: ServerResponse): Promise<void> {
    const { health, metrics } = this.#options;
    // The event loop turned for this answer, which is all that liveness means: an engine that is away must not get the
    // process killed.
    if (path === '/health/live') return sendJson(response, 200, { status: 'live' });
    if (path === '/metrics') return sendText(response, 200, await metrics.text(), metrics.contentType);
    const { ready, checks } = await health();
    sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', checks });
  }

  async #answerRegistry(
    registry: NonNullable<OpsServerOptions['registry']>,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { status, body } = registry({
      method: request.method ?? 'GET',
      path: path.slice('/registry'.length),
      body: await readText(request),
    });
    sendText(response, status, JSON.stringify(body), REGISTRY_TYPE);
  }
}

const NO_TOKEN = 'This needs the admin token: send the header Authorization: Bearer <admin token>.';
const TRPC_CODES = {
  401: [-32_001, 'UNAUTHORIZED'],
  403: [-32_003, 'FORBIDDEN'],
  415: [-32_015, 'UNSUPPORTED_MEDIA_TYPE'],
} as const;

/**
 * Refuses before the body is read, and closes the connection, which ends the body. Clients of procedures get the
 * refusal in the shape of tRPC.
 */
function refuse(response: ServerResponse, status: keyof typeof TRPC_CODES, message: string, trpc: boolean): void {
  const [code, name] = TRPC_CODES[status];
  const error = trpc ? { message, code, data: { code: name, httpStatus: status } } : message;
  sendJson(response, status, { error }, { ...(status === 401 && { 'WWW-Authenticate': REALM }), Connection: 'close' });
}

function isJsonOrNothing({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD' || /^application\/json\b/i.test(headers['content-type'] ?? '');
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0]!;
}
