import type { Request as Incoming, Response as Outgoing } from 'express';
import { workingFor, workingOn } from '#concurrency/work-in-hand.ts';
import type { Origin } from '#domain/workspace/request-envelope.ts';
import type { Permission } from '#domain/workspace/state.ts';
import { rateLimited } from '#http-server/answer.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import { PortError } from '#ports/errors.ts';
import { NO_TRACER } from '#ports/tracer.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { statusOf } from '#schemas/http/errors.ts';
import { TOOLS, type ToolName } from '#schemas/http/tools.ts';
import { callerFacts, credentialIdOf, type ApiCall, type Caller } from '#use-cases/caller.ts';
import { within } from '#use-cases/deadline.ts';
import { OUTCOME_UNKNOWN, UNAVAILABLE, type UseCaseResult } from '#use-cases/outcome.ts';
import { requestNamesOf, type RequestNames } from '#http-server/request-id.ts';
import { postIdIn } from '../post-id-about.ts';
import { endRequest, startRequest } from '../request-span.ts';
import { readJsonBody, RequestAborted } from '#use-cases/json-body.ts';
import { countStranger } from '#use-cases/stranger-limits.ts';
import type { ServeOptions } from '../rest/serve.ts';
import { askedBy, type MessageSummary } from './messages.ts';
import type { Origins } from './origins.ts';
import { plainAnswerOf, plainCallOf, type PlainCall } from './plain-call.ts';
import {
  bodyRefused,
  down,
  insufficientScope,
  METHOD_REFUSED,
  originRefused,
  tooMany,
  unauthorized,
  type GateRefusal,
} from './refusals.ts';
import type { ServeProtocol } from './server.ts';
import { toolResultOf } from './tool-result.ts';
import type { RunTool } from './tools.ts';
import { ClientWait } from './client-wait.ts';
import { exchangeAsWeb } from './web-exchange.ts';

/** `limiter`: of calls, together with those of the REST API. */
export interface McpEndpointOptions extends ServeOptions {
  /** Of finding out what there is. Null: it is not limited. */
  readonly discoveryLimiter: RateLimiter | null;
  readonly tools: Readonly<Record<ToolName, RunTool>>;
  readonly serveProtocol: ServeProtocol;
  readonly origins: Origins;
}

interface Exchange {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly requestId: string;
  /** As the client calls it, where it may. */
  readonly names: RequestNames;
  readonly begun: number;
  caller: Caller | null;
  /** Tools that were called. */
  calls: number;
  /** A tool was refused because the approval ended after its token was looked up. */
  ended: string | null;
}

/** Serves /mcp: the gate, then the protocol. Never rejects. */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /** Every method of /mcp. */
  async serve(incoming: Incoming, outgoing: Outgoing): Promise<void> {
    const { clock, ids, reporter } = this.#options;
    const requestId = ids.uuid7(clock.now());
    const exchange: Exchange = {
      incoming,
      outgoing,
      requestId,
      names: requestNamesOf(incoming.headers['x-request-id'], requestId),
      begun: clock.monotonic(),
      caller: null,
      calls: 0,
      ended: null,
    };
    try {
      this.#writeCommonHeaders(exchange);
      const refusal = await workingOn({ work: 'mcp', workspaceId: null }, () => this.#exchange(exchange));
      if (refusal !== null) this.#refuse(exchange, refusal);
      this.#report(exchange, refusal);
    } catch (error) {
      if (error instanceof RequestAborted) return;
      reporter.failure('request-failed', error, { operation: 'mcp', requestId: exchange.names.requestId });
      this.#refuse(exchange, down(this.#options.publicUrl()));
    }
  }

  /** Null when it was answered. */
  async #exchange(exchange: Exchange): Promise<GateRefusal | null> {
    const { origins, publicUrl } = this.#options;
    const { incoming, outgoing } = exchange;
    const foreign = origins.refusalOf(incoming);
    if (foreign !== null) return originRefused(foreign, publicUrl());
    if (incoming.method === 'OPTIONS') {
      outgoing.writeHead(204, { ...origins.preflightHeadersFor(incoming), Allow: 'POST, OPTIONS' }).end();
      return null;
    }
    if (incoming.method !== 'POST') return METHOD_REFUSED;
    const unknown = await this.#guarded(() => this.#authenticate(exchange));
    if (unknown !== null) return unknown;
    const body = await this.#readBody(exchange);
    if (!body.ok) return bodyRefused(body.problem);
    if (body.value === undefined) return bodyRefused({ code: 'invalid_request', message: 'A JSON body is needed.' });
    const asked = askedBy(body.value);
    const over = await this.#guarded(() => this.#count(exchange, asked));
    if (over !== null) return over;
    const lacking = this.#lackingScope(exchange.caller!, asked);
    if (lacking !== null) return lacking;
    return this.#serveProtocol(exchange, body.value);
  }

  async #authenticate(exchange: Exchange): Promise<GateRefusal | null> {
    const { authenticate, publicUrl, noteUse } = this.#options;
    const { headers, ip } = exchange.incoming;
    const known = await authenticate(headers.authorization, 'mcp');
    const refused = known.ok ? null : countStranger(this.#options, 'mcp', ip);
    if (refused !== null) return tooMany(refused, { id: null, publicUrl: publicUrl() });
    if (!known.ok) return unauthorized(known.reason, { message: known.message, publicUrl: publicUrl() });
    exchange.caller = known.caller;
    workingFor(known.caller.workspaceId);
    const credentialId = credentialIdOf(known.caller);
    if (credentialId !== null) noteUse(credentialId);
    return null;
  }

  async #readBody({ incoming, outgoing, caller }: Exchange): Promise<UseCaseResult<unknown>> {
    const ending = new AbortController();
    const end = (): void => ending.abort(new RequestAborted());
    outgoing.once('close', end);
    const { workspaceId } = caller!;
    return readJsonBody(incoming, { workspaceId, signal: ending.signal }, this.#options).finally(() =>
      outgoing.off('close', end),
    );
  }

  /** Calls count with those of the REST API; what clients send to find out what there is has a budget of its own. */
  async #count(
    { caller, outgoing, requestId }: Exchange,
    { calls, discoveries, id }: MessageSummary,
  ): Promise<GateRefusal | null> {
    const { limiter, discoveryLimiter, publicUrl } = this.#options;
    const { budgetId } = caller!;
    const admitted = async (
      which: Pick<RateLimiter, 'admit'> | null,
      holder: string,
      uses: number,
    ): Promise<GateRefusal | null> => {
      if (which === null || uses === 0) return null;
      const admission = await which.admit(holder, requestId, uses);
      writeAllowance(outgoing, admission);
      return admission.admitted ? null : tooMany(rateLimited(admission, 'This app'), { id, publicUrl: publicUrl() });
    };
    return (
      (await admitted(discoveryLimiter, `${budgetId}/discovery`, discoveries)) ??
      (await admitted(limiter, budgetId, calls))
    );
  }

  /** Of the first tool whose permissions the token lacks: a client asks for all of them at once, then calls again. */
  #lackingScope({ permissions }: Caller, { tools }: MessageSummary): GateRefusal | null {
    const lacks = (scope: Permission): boolean => !permissions.includes(scope);
    const tool = TOOLS.find(({ name, scopes }) => tools.includes(name) && scopes.some(lacks));
    return tool === undefined ? null : insufficientScope(tool, this.#options.publicUrl());
  }

  async #serveProtocol(exchange: Exchange, body: unknown): Promise<GateRefusal | null> {
    const { serveProtocol, publicUrl } = this.#options;
    const { incoming, outgoing } = exchange;
    const plain = plainCallOf(incoming.headers, body);
    if (plain !== null) return this.#servePlainCall(exchange, plain);
    let refusal: GateRefusal | null = null;
    const answer = async (request: Request): Promise<Response> => {
      const ending = new AbortController();
      request.signal.addEventListener('abort', () => ending.abort(new RequestAborted()), { once: true });
      const response = await serveProtocol(request, body, async (name, sent) =>
        toolResultOf(name, await this.#callTool(exchange, { name, sent, signal: ending.signal }), publicUrl()),
      );
      if (exchange.ended === null) return response;
      refusal = unauthorized('ended', { message: exchange.ended, publicUrl: publicUrl() });
      return new Response(JSON.stringify(refusal.body), { status: refusal.status, headers: refusal.headers });
    };
    await exchangeAsWeb(incoming, outgoing, answer);
    return refusal;
  }

  /** As the library would serve it. */
  async #servePlainCall(exchange: Exchange, call: PlainCall): Promise<GateRefusal | null> {
    const { outgoing } = exchange;
    const waiting = new ClientWait(outgoing);
    const outcome = await this.#callTool(exchange, { ...call, signal: waiting.signal });
    if (!waiting.end()) return null;
    if (exchange.ended !== null)
      return unauthorized('ended', { message: exchange.ended, publicUrl: this.#options.publicUrl() });
    const answer = Buffer.from(plainAnswerOf(call, toolResultOf(call.name, outcome, this.#options.publicUrl())));
    outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer);
    return null;
  }

  async #callTool(
    exchange: Exchange,
    { name, sent, signal }: { readonly name: ToolName; readonly sent: unknown; readonly signal: AbortSignal },
  ): Promise<UseCaseResult<object>> {
    const { clock, tools, reporter, ids, tracer = NO_TRACER } = this.#options;
    const { workspaceId, credential, permissions } = exchange.caller!;
    const begun = clock.monotonic();
    // A batch may call several tools, each by a command of its own.
    const requestId = exchange.calls++ === 0 ? exchange.requestId : ids.uuid7(clock.now());
    const origin: Origin = { door: 'mcp', address: exchange.incoming.ip ?? null };
    const span = startRequest(tracer, exchange.incoming, `tools/call ${name}`);
    const { trace } = span;
    const traced = trace === undefined ? {} : { trace };
    const call: ApiCall = { workspaceId, credential, permissions, requestId, origin, signal, ...traced };
    const late = { ok: false, problem: readsOnly(name) ? UNAVAILABLE : OUTCOME_UNKNOWN } as const;
    const work = this.#options.turns.run('tool-calls', call, () => tools[name](call, sent));
    const outcome = await within<UseCaseResult<object>>(clock, work, late).catch((error: unknown) => {
      if (!(error instanceof RequestAborted)) reporter.failure('request-failed', error, { operation: name, requestId });
      return late;
    });
    if (!outcome.ok && outcome.problem.code === 'unauthorized') exchange.ended = outcome.problem.message;
    endRequest(span, outcome.ok ? 200 : statusOf(outcome.problem.code), exchange.caller);
    reporter.report('tool-called', {
      tool: name,
      outcome: outcome.ok ? 'ok' : outcome.problem.code,
      durationMs: clock.monotonic() - begun,
      requestId,
      traceId: traceIdOf(trace),
      ...callerFacts(exchange.caller),
      postId: postIdIn(outcome),
      detail: outcome.ok ? undefined : outcome.problem.behind,
    });
    return outcome;
  }

  /** An engine that is away, or slow, is reported as such. */
  #guarded(work: () => Promise<GateRefusal | null>): Promise<GateRefusal | null> {
    const away = down(this.#options.publicUrl());
    const guarded = work().catch((error: unknown) => {
      if (error instanceof PortError) return { ...away, behind: error.message };
      throw error;
    });
    return within(this.#options.clock, guarded, away);
  }

  #writeCommonHeaders({ incoming, outgoing, names: { requestId } }: Exchange): void {
    const headers = {
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...this.#options.origins.headersFor(incoming),
      ...(this.#options.draining() && { Connection: 'close' }),
    };
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  }

  #refuse({ outgoing }: Exchange, { status, headers, body }: GateRefusal): void {
    if (outgoing.headersSent || outgoing.destroyed) return;
    outgoing.writeHead(status, headers).end(JSON.stringify(body));
  }

  #report({ incoming, outgoing, requestId, names, begun, caller }: Exchange, refusal: GateRefusal | null): void {
    const { clock, reporter } = this.#options;
    if (refusal !== null)
      reporter.report('mcp-refused', { reason: refusal.reason, requestId: names.requestId, ...callerFacts(caller) });
    reporter.report('request-served', {
      operation: 'mcp',
      code: refusal?.reason ?? 'ok',
      statusClass: `${String(outgoing.statusCode).charAt(0)}xx`,
      replayed: false,
      durationMs: clock.monotonic() - begun,
      ...names,
      commandId: names.requestId === requestId ? null : requestId,
      ...callerFacts(caller),
      client: incoming.ip,
      detail: refusal?.behind,
    });
  }
}

function readsOnly(name: ToolName): boolean {
  return TOOLS.find((tool) => tool.name === name)!.annotations.readOnlyHint;
}

function writeAllowance(outgoing: Outgoing, { limit, remaining, resetSeconds }: Admission): void {
  outgoing.setHeader('RateLimit-Limit', limit);
  outgoing.setHeader('RateLimit-Remaining', remaining);
  outgoing.setHeader('RateLimit-Reset', resetSeconds);
}
