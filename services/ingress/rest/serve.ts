import type { Request, Response } from 'express';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { statusOf } from '#schemas/http/errors.ts';
import type { StoredCredential } from '#tables/repositories/credentials.ts';
import { authenticate } from '../authenticate.ts';
import type { FindCredential } from '../dependencies.ts';
import { OUTCOME_UNKNOWN, UNAVAILABLE, type UseCaseResult, type ApiProblem } from '../outcome.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { Admission } from '../rate-limit/rate-limit-options.ts';
import { rateLimited, sendProblem, sendSuccess, type Success } from './answer.ts';
import { readJsonBody, RequestAborted } from './json-body.ts';
import { readQuery } from './query.ts';
import type { Route } from './routes.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly findCredential: FindCredential;
  /** Null: requests are not limited. */
  readonly limiter: RateLimiter | null;
  readonly draining: () => boolean;
}

/** Deadline of each of the two waits of a request: for its credential, and for the result of its use case. */
const DEADLINE_MS = 12_000;

/** A request to a route without a key. */
export interface OpenExchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
}

/** The handler wrote the answer itself. */
export interface SentResponse {
  readonly sent: true;
  readonly status: number;
}

interface Exchange extends OpenExchange {
  readonly begun: number;
  credential: StoredCredential | null;
  allowance: Admission | null;
}

/** Serves requests: authentication, rate limit, body, use case, answer. Never rejects. */
export class Server {
  readonly #options: ServeOptions;

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  /** Serves a route of the API. */
  serve(route: Route): (request: Request, response: Response) => Promise<void> {
    return (request, response) =>
      this.#exchange(route.id, request, response, async (exchange) => {
        const refused = await this.#admit(exchange);
        return refused === null ? this.#handle(route, exchange) : { ok: false, problem: refused };
      });
  }

  /** Serves a route that needs no key and counts against no limit. `run` bounds its own time. */
  serveOpen(
    operation: string,
    run: (exchange: OpenExchange) => Promise<UseCaseResult<Success | SentResponse>>,
  ): (request: Request, response: Response) => Promise<void> {
    return (request, response) => this.#exchange(operation, request, response, run);
  }

  /** Answers every request with a problem; a request with a valid key counts. */
  refuse(
    operation: string,
    problem: ApiProblem,
    headers: Readonly<Record<string, string>> = {},
  ): (request: Request, response: Response) => Promise<void> {
    return (request, response) =>
      this.#exchange(
        operation,
        request,
        response,
        async (exchange) => {
          const refused = request.headers.authorization === undefined ? null : await this.#admit(exchange);
          return { ok: false, problem: refused?.code === 'rate_limited' ? refused : problem };
        },
        headers,
      );
  }

  async #exchange(
    operation: string,
    request: Request,
    response: Response,
    run: (exchange: Exchange) => Promise<UseCaseResult<Success | SentResponse>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { clock, ids } = this.#options;
    const exchange: Exchange = {
      request,
      response,
      requestId: ids.uuid7(clock.now()),
      begun: clock.monotonic(),
      credential: null,
      allowance: null,
    };
    try {
      const outcome = await run(exchange);
      const frame = { requestId: exchange.requestId, allowance: exchange.allowance, closing: this.#options.draining() };
      if (!outcome.ok) sendProblem(response, frame, outcome.problem, headers);
      else if (!isSent(outcome.value)) sendSuccess(response, frame, outcome.value);
      this.#report(operation, exchange, outcome);
    } catch (error) {
      this.#lastResort(operation, exchange, error);
    }
  }

  /** Null when the request is admitted, and counted. */
  #admit(exchange: Exchange): Promise<ApiProblem | null> {
    const { clock, findCredential, limiter } = this.#options;
    const admit = async (): Promise<ApiProblem | null> => {
      const known = await authenticate(exchange.request.headers.authorization, findCredential);
      if (!known.ok) return known.problem;
      exchange.credential = known.value;
      if (limiter === null) return null;
      exchange.allowance = await limiter.admit(known.value.keyId, exchange.requestId);
      return exchange.allowance.admitted ? null : rateLimited(exchange.allowance);
    };
    const guarded = admit().catch((error: unknown) => {
      if (error instanceof PortError) return { ...UNAVAILABLE, behind: error.message };
      throw error;
    });
    return within(clock, guarded, UNAVAILABLE);
  }

  async #handle(route: Route, { request, response, requestId, credential }: Exchange): Promise<UseCaseResult<Success>> {
    const { workspaceId, keyId, permissions } = credential!;
    const query = readQuery(request.url);
    if (!query.ok) return query;
    const body = route.method === 'get' ? undefined : await readJsonBody(request);
    if (body?.ok === false) return body;
    const ending = new AbortController();
    let isDone = false;
    const end = (): void => void (isDone || ending.abort(new RequestAborted()));
    // The connection may have ended while the request was read.
    if (response.destroyed) end();
    else response.once('close', end);
    const call = { workspaceId, keyId, permissions, requestId, signal: ending.signal };
    const received = { call, params: request.params, query: query.value, headers: request.headers, body: body?.value };
    const work = route.handle(received).finally(() => (isDone = true));
    return within<UseCaseResult<Success>>(this.#options.clock, work, {
      ok: false,
      problem: route.method === 'get' ? UNAVAILABLE : OUTCOME_UNKNOWN,
    }).finally(end);
  }

  #report(
    operation: string,
    { request, requestId, begun, credential }: Exchange,
    outcome: UseCaseResult<Success | SentResponse>,
  ): void {
    const { clock, reporter } = this.#options;
    reporter.report('request-served', {
      operation,
      code: outcome.ok ? 'ok' : outcome.problem.code,
      statusClass: `${String(outcome.ok ? outcome.value.status : statusOf(outcome.problem.code)).charAt(0)}xx`,
      replayed: outcome.ok && 'headers' in outcome.value && outcome.value.headers?.['Idempotent-Replayed'] === 'true',
      durationMs: clock.monotonic() - begun,
      requestId,
      workspaceId: credential?.workspaceId,
      keyId: credential?.keyId,
      client: request.ip,
      detail: outcome.ok ? undefined : outcome.problem.behind,
    });
  }

  /** A defect: the caller learns that the service failed, and nothing of the error. */
  #lastResort(operation: string, { request, response, requestId, allowance }: Exchange, error: unknown): void {
    if (error instanceof RequestAborted) return;
    this.#options.reporter.failure('request-failed', error, { operation, requestId });
    // The defect may have struck after a command was appended.
    const problem = request.method === 'GET' || request.method === 'HEAD' ? UNAVAILABLE : OUTCOME_UNKNOWN;
    sendProblem(response, { requestId, allowance, closing: this.#options.draining() }, problem);
  }
}

function isSent(value: Success | SentResponse): value is SentResponse {
  return 'sent' in value;
}

/** The result of `work`, or `late` when it takes too long; a result after that is dropped. */
function within<T>(clock: Clock, work: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(DEADLINE_MS, () => resolve(late));
    work.then(resolve, reject).finally(cancel);
  });
}
