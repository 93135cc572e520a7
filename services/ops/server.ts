import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AnyRouter } from '@trpc/server';
import type { RegistryAnswer, RegistryRequest } from '#codec/registry/http-answers.ts';
import type { ListenerTls } from '#http-server/listener.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Health } from '#runtime/health.ts';
import { Listening, type ListeningService } from '#runtime/listening.ts';
import { createHostGuard } from '#runtime/host-guard.ts';
import { countStranger, type StrangerLimits } from '#use-cases/stranger-limits.ts';
import type { OperatorToken } from '#config/operators.ts';
import { createTokenCheck, type OperatorIdentity, type TokenForm } from './admin-token.ts';
import { BodyTooLarge, readText, sendJson, sendText } from './exchange.ts';
import { serveRouter } from './serve-router.ts';

export interface OpsServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where other processes reach it; left out: where it listens. */
  readonly url?: string;
  /** Further names of hosts in lower case at which operators reach it, such as that of a Service. Default: none. */
  readonly names?: readonly string[];
  readonly operators: readonly OperatorToken[];
  /** Counts requests without a valid token, by address: what was sent from one may be guesses. */
  readonly strangers: Pick<StrangerLimits, 'take'>;
  /** By which other processes of the installation are known; the first is that of today. */
  readonly internalTokens: readonly string[];
  readonly health: () => Promise<Health>;
  /** Why a new process should take the place of this one, a line each; none: it lives. */
  readonly hanging: () => readonly string[];
  /** HTTPS, and how to learn of a certificate that takes the place of this one; null: HTTP. */
  readonly tls?: ListenerTls | null;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  /** Procedures by which other processes of the installation hint answers to this one. */
  readonly answers: AnyRouter;
  /** The procedures of admin; null where that role is off. */
  readonly router: AnyRouter | null;
  /** What its procedures learn of their caller. */
  readonly contextOf: (operator: OperatorIdentity) => object;
  /** The built-in schema registry; null where another is used. */
  readonly registry: ((request: RegistryRequest) => RegistryAnswer) | null;
  readonly reporter: Reporter;
}

const REGISTRY_TYPE = 'application/vnd.schemaregistry.v1+json';
const REALM = 'Bearer realm="crier admin"';

/**
 * What every process serves to operators and to other processes, on an address of its own. Health and metrics need no
 * token and answer under any host name. Everything else needs a token of an operator, or for hints that of processes,
 * an address of this process in Host, and no Origin of another site. It starts first and listens until all others have
 * stopped, so that probes see them start and end.
 */
export function createOpsServer(options: OpsServerOptions): ListeningService {
  const ops = new Ops(options);
  const serve: RequestListener = (request, response) => void ops.serve(request, response);
  const { tls = null } = options;
  if (tls === null) return new OpsListening('ops', createServer(serve), { ...options, scheme: 'http' });
  const server = createTlsServer(tls.texts(), serve);
  // Connections that live go on as they are.
  tls.onRenewed((texts) => server.setSecureContext(texts));
  return new OpsListening('ops', server, { ...options, scheme: 'https' });
}

class OpsListening extends Listening {
  override async drain(): Promise<void> {}
}

class Ops {
  readonly #options: OpsServerOptions;
  readonly #operatorOf: (header: string | undefined, form: TokenForm) => OperatorIdentity | null;
  readonly #processOf: (header: string | undefined, form: TokenForm) => OperatorIdentity | null;
  readonly #callers = new WeakMap<IncomingMessage, OperatorIdentity>();
  readonly #foreign: ReturnType<typeof createHostGuard>;
  readonly #answers: RequestListener;
  readonly #admin: RequestListener | null;

  constructor(options: OpsServerOptions) {
    this.#options = options;
    const { operators, internalTokens, host, url, names = [], reporter } = options;
    this.#operatorOf = createTokenCheck(operators);
    this.#processOf = createTokenCheck(
      internalTokens.map((token) => ({ name: 'another process', role: 'operate', token })),
    );
    this.#foreign = createHostGuard({ host, urls: () => (url === undefined ? [] : [url]), names });
    this.#answers = serveRouter(options.answers, { basePath: '/internal/', reporter, contextOf: () => ({}) });
    const contextOf = (request: IncomingMessage): object => options.contextOf(this.#callers.get(request)!);
    this.#admin =
      options.router === null ? null : serveRouter(options.router, { basePath: '/trpc/', reporter, contextOf });
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
    const check = listener === this.#answers ? this.#processOf : this.#operatorOf;
    const caller = check(request.headers.authorization, listener === null ? 'password' : 'bearer');
    if (caller === null) return this.#refuseStranger(request, response, listener !== null);
    this.#callers.set(request, caller);
    if (listener === null && caller.role === 'read' && !isReading(request))
      return refuse(response, 403, `The token of ${caller.name} may only look: it has the role read.`, false);
    // Pages of other sites can send forms and plain text without a preflight request, and the library would read them.
    if (listener !== null && !isJsonOrNothing(request))
      return refuse(response, 415, 'The body must be JSON: send the header Content-Type: application/json.', true);
    return listener === null ? this.#answerRegistry(registry!, path, request, response) : listener(request, response);
  }

  /** Tokens are looked at first, in memory: a good one is served from an address that others have used up. */
  #refuseStranger(request: IncomingMessage, response: ServerResponse, trpc: boolean): void {
    const refused = countStranger(this.#options, 'admin', request.socket.remoteAddress);
    if (refused === null) return refuse(response, 401, NO_TOKEN, trpc);
    response.setHeader('Retry-After', String(refused.retryAfterSeconds));
    refuse(response, 429, refused.message, trpc);
  }

  async #sendStatus(path: string, response: ServerResponse): Promise<void> {
    const { health, metrics } = this.#options;
    if (path === '/health/live') return this.#sendLife(response);
    if (path === '/metrics') return sendText(response, 200, await metrics.text(), metrics.contentType);
    const { ready, checks } = await health();
    sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', checks });
  }

  /** An engine that is away must not get the process killed: it lives while its event loop and its readers turn. */
  #sendLife(response: ServerResponse): void {
    const hanging = this.#options.hanging();
    if (hanging.length === 0) sendJson(response, 200, { status: 'live' });
    else sendJson(response, 503, { status: 'hanging', detail: hanging });
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
  429: [-32_029, 'TOO_MANY_REQUESTS'],
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
  return isReading({ method }) || /^application\/json\b/i.test(headers['content-type'] ?? '');
}

const isReading = ({ method }: Pick<IncomingMessage, 'method'>): boolean => method === 'GET' || method === 'HEAD';

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0]!;
}
