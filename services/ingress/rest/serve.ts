import type { Request, Response } from 'express';
import { workingFor, workingOn } from '#concurrency/work-in-hand.ts';
import type { Clock } from '#ports/clock.ts';
import { READS_ONLY } from '#domain/workspace/decision-context.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import { NO_TRACER, type Tracer, type TraceSpan } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { statusOf } from '#schemas/http/errors.ts';
import type { Authenticate } from '../authenticate.ts';
import { callerFacts, credentialIdOf, nounOf, type ApiCall, type Caller } from '#use-cases/caller.ts';
import { within } from '#use-cases/deadline.ts';
import { countStranger, type StrangerLimits } from '#use-cases/stranger-limits.ts';
import type { NoteUse } from '../dependencies.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { OUTCOME_UNKNOWN, UNAVAILABLE, type UseCaseResult } from '#use-cases/outcome.ts';
import { challengeOf } from '../resources.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';
import { rateLimited, sendProblem, sendSuccess, type Frame, type Success } from '#http-server/answer.ts';
import { isWithin } from '#ports/address-ranges.ts';
import { requestNamesOf, type RequestNames } from '#http-server/request-id.ts';
import { postIdAbout } from '../post-id-about.ts';
import { endRequest, startRequest } from '../request-span.ts';
import { readJsonBody, RequestAborted, type BodyTurns } from '#use-cases/json-body.ts';
import { readQuery } from './query.ts';
import type { Route } from './routes.ts';

export interface ServeOptions extends BodyTurns {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly tracer?: Tracer;
  readonly authenticate: Authenticate;
  readonly noteUse: NoteUse;
  /** Null: requests are not limited. */
  readonly limiter: Pick<RateLimiter, 'admit'> | null;
  /** Counts requests without a valid credential, by the client's address. */
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly draining: () => boolean;
  readonly publicUrl: () => string;
}

/** A request to a route without a key. */
export interface OpenExchange {
  readonly request: Request;
  readonly response: Response;
  /** A UUIDv7, of the command that it may send too. */
  readonly requestId: string;
  /** In the answer and in lines: as the client calls it, where it may. */
  readonly names: RequestNames;
}

/** The handler wrote the answer itself. */
export interface SentResponse {
  readonly sent: true;
  readonly status: number;
}

interface Exchange extends OpenExchange {
  readonly begun: number;
  readonly span: TraceSpan;
  caller: Caller | null;
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
      this.#exchange({ operation: route.id, request, response }, async (exchange) => {
        const refused = await this.#admit(exchange);
        if (refused !== null) return { ok: false, problem: refused };
        const { caller } = exchange;
        if (caller!.limits?.readOnly === true && route.method !== 'get')
          return { ok: false, problem: { code: 'forbidden', message: READS_ONLY } };
        return this.#handle(route, exchange);
      });
  }

  /**
   * Serves a route that needs no key and counts against no limit, but where its address is not known. `run` bounds its
   * own time.
   */
  serveOpen(
    operation: string,
    run: (exchange: OpenExchange) => Promise<UseCaseResult<Success | SentResponse>>,
  ): (request: Request, response: Response) => Promise<void> {
    return (request, response) =>
      this.#exchange({ operation, request, response }, async (exchange) => {
        const outcome = await run(exchange);
        // An address that was made up, or altered, is no credential either.
        const isUnknown = !outcome.ok && (outcome.problem.code === 'forbidden' || outcome.problem.code === 'not_found');
        const refused = isUnknown ? this.#stranger(exchange) : null;
        return refused === null ? outcome : { ok: false, problem: refused };
      });
  }

  /** Answers every request with a problem; a request with a valid key counts. */
  refuse(
    operation: string,
    problem: ApiProblem,
    headers: Readonly<Record<string, string>> = {},
  ): (request: Request, response: Response) => Promise<void> {
    return (request, response) =>
      this.#exchange(
        { operation, request, response },
        async (exchange) => {
          const refused =
            request.headers.authorization === undefined ? this.#stranger(exchange) : await this.#admit(exchange);
          return { ok: false, problem: refused?.code === 'rate_limited' ? refused : problem };
        },
        headers,
      );
  }

  async #exchange(
    {
      operation,
      request,
      response,
    }: { readonly operation: string; readonly request: Request; readonly response: Response },
    run: (exchange: Exchange) => Promise<UseCaseResult<Success | SentResponse>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { clock, ids, tracer = NO_TRACER } = this.#options;
    const requestId = ids.uuid7(clock.now());
    const exchange: Exchange = {
      request,
      response,
      requestId,
      names: requestNamesOf(request.headers['x-request-id'], requestId),
      begun: clock.monotonic(),
      span: startRequest(tracer, request, operation),
      caller: null,
      allowance: null,
    };
    try {
      const outcome = await workingOn({ work: operation, workspaceId: null }, () => run(exchange));
      const frame = this.#frameOf(exchange);
      if (!outcome.ok)
        sendProblem(response, frame, outcome.problem, this.#withChallenge(request, outcome.problem, headers));
      else if (!isSent(outcome.value)) sendSuccess(response, frame, outcome.value);
      this.#report(operation, exchange, outcome);
    } catch (error) {
      this.#lastResort(operation, exchange, error);
    }
  }

  /** A client that is not let in learns where it gets a token. */
  #withChallenge(
    request: Request,
    { code, message }: ApiProblem,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    if (code !== 'unauthorized') return headers;
    const sent = request.headers.authorization !== undefined;
    const about = sent ? ({ error: 'invalid_token', description: message } as const) : {};
    const challenge = challengeOf({ publicUrl: this.#options.publicUrl(), resource: 'api', ...about });
    return { ...headers, 'WWW-Authenticate': challenge };
  }

  /** Null when the request is admitted, and counted. */
  #admit(exchange: Exchange): Promise<ApiProblem | null> {
    const { clock, authenticate, limiter, noteUse } = this.#options;
    const admit = async (): Promise<ApiProblem | null> => {
      const known = await authenticate(exchange.request.headers.authorization, 'api');
      if (!known.ok) return this.#stranger(exchange) ?? { code: 'unauthorized', message: known.message };
      const { caller } = known;
      exchange.caller = caller;
      const place = exchange.request.ip;
      const allowedIps = caller.limits?.allowedIps ?? [];
      if (allowedIps.length > 0 && !isWithin(allowedIps, place))
        return (
          this.#stranger(exchange) ?? {
            code: 'forbidden',
            message: `This API key is not good from the address ${place}.`,
          }
        );
      workingFor(caller.workspaceId);
      const credentialId = credentialIdOf(caller);
      if (credentialId !== null) noteUse(credentialId);
      if (limiter === null) return null;
      exchange.allowance = await limiter.admit(caller.budgetId, exchange.requestId);
      return exchange.allowance.admitted ? null : rateLimited(exchange.allowance, `This ${nounOf(caller)}`);
    };
    const guarded = admit().catch((error: unknown) => {
      if (error instanceof PortError) return { ...UNAVAILABLE, behind: error.message };
      throw error;
    });
    return within(clock, guarded, UNAVAILABLE);
  }

  /** Counts a request of who has no valid credential. Null: it may be answered. */
  #stranger({ request: { ip } }: Exchange): ApiProblem | null {
    return countStranger(this.#options, 'api', ip);
  }

  async #handle(
    route: Route,
    { request, response, requestId, caller, span: { trace } }: Exchange,
  ): Promise<UseCaseResult<Success>> {
    const { workspaceId, credential, permissions } = caller!;
    const query = readQuery(request.url);
    if (!query.ok) return query;
    const ending = new AbortController();
    let isDone = false;
    const end = (): void => void (isDone || ending.abort(new RequestAborted()));
    response.once('close', end);
    const sender = { workspaceId, signal: ending.signal };
    const body = route.method === 'get' ? undefined : await readJsonBody(request, sender, this.#options);
    if (body?.ok === false) return body;
    // The connection may have ended before anything listened.
    if (response.destroyed) end();
    const call: ApiCall = {
      workspaceId,
      credential,
      permissions,
      requestId,
      origin: { door: 'api', address: request.ip ?? null },
      signal: ending.signal,
      ...(trace !== undefined && { trace }),
    };
    const received = { call, params: request.params, query: query.value, headers: request.headers, body: body?.value };
    const work = route.handle(received).finally(() => (isDone = true));
    return within<UseCaseResult<Success>>(this.#options.clock, work, {
      ok: false,
      problem: route.method === 'get' ? UNAVAILABLE : OUTCOME_UNKNOWN,
    }).finally(end);
  }

  #report(
    operation: string,
    { request, requestId, names, begun, span, caller }: Exchange,
    outcome: UseCaseResult<Success | SentResponse>,
  ): void {
    const { clock, reporter } = this.#options;
    endRequest(span, outcome.ok ? outcome.value.status : statusOf(outcome.problem.code), caller);
    reporter.report('request-served', {
      operation,
      code: outcome.ok ? 'ok' : outcome.problem.code,
      statusClass: `${String(outcome.ok ? outcome.value.status : statusOf(outcome.problem.code)).charAt(0)}xx`,
      replayed: outcome.ok && 'headers' in outcome.value && outcome.value.headers?.['Idempotent-Replayed'] === 'true',
      durationMs: clock.monotonic() - begun,
      ...names,
      traceId: traceIdOf(span.trace),
      commandId: names.requestId === requestId ? null : requestId,
      ...callerFacts(caller),
      postId: postIdAbout(request, outcome),
      client: request.ip,
      detail: outcome.ok ? undefined : outcome.problem.behind,
    });
  }

  /** A defect: the caller learns that the service failed, and nothing of the error. */
  #lastResort(operation: string, exchange: Exchange, error: unknown): void {
    const { request, response, names, span } = exchange;
    span.end(error instanceof RequestAborted ? 'aborted' : 'defect');
    if (error instanceof RequestAborted) return;
    this.#options.reporter.failure('request-failed', error, { operation, requestId: names.requestId });
    // The defect may have struck after a command was appended.
    const problem = request.method === 'GET' || request.method === 'HEAD' ? UNAVAILABLE : OUTCOME_UNKNOWN;
    sendProblem(response, this.#frameOf(exchange), problem);
  }

  #frameOf({ names: { requestId }, allowance }: Exchange): Frame {
    const { draining, publicUrl } = this.#options;
    return { requestId, allowance, closing: draining(), publicUrl: publicUrl() };
  }
}

function isSent(value: Success | SentResponse): value is SentResponse {
  return 'sent' in value;
}
