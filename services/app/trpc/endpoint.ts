import { createExpressMiddleware } from '@trpc/server/adapters/express';
import compression from 'compression';
import type { Express, Request, RequestHandler, Response } from 'express';
import { sendProblem } from '#http-server/answer.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { queryOf } from '#http-server/query-of.ts';
import { traceparentOf } from '#domain/traceparent.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import { NO_TRACER, type Tracer } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { readJsonBody, RequestAborted } from '#use-cases/json-body.ts';
import { UNAVAILABLE } from '#use-cases/outcome.ts';
import { countStranger, type StrangerLimits } from '#use-cases/stranger-limits.ts';
import type { BrowserSessions } from '../people/sessions.ts';
import type { SignedIn } from '../people/signed-in.ts';
import { createAppRouter, type AppRouterOptions } from './router.ts';

export type TrpcEndpointOptions = AppRouterOptions & {
  readonly sessions: Pick<BrowserSessions, 'current' | 'takeCookie' | 'list' | 'end'>;
  /** Counts requests without a session, by the client's address. */
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly tracer?: Tracer;
};

const PATH = '/app/trpc';
const MAX_BATCH = 20;
const COMPRESSED_FROM_BYTES = 8_192;
/** Pages of other sites can not add it without asking first, and are never let. */
const PAGE_HEADER = 'x-crier-app';

const FOREIGN: ApiProblem = {
  code: 'forbidden',
  message: 'This request did not come from a page of Crier. Reload the page and try again.',
};

/** Serves the procedures of Members to the pages of this installation, by the browser's session. */
export function addTrpcEndpoint(app: Express, options: TrpcEndpointOptions): void {
  const { sessions, clock, ids, reporter, tracer = NO_TRACER } = options;
  const newRequestId = (): string => ids.uuid7(clock.now());
  const signedIn = new WeakMap<object, SignedIn | null>();
  const inputs = new WeakMap<object, readonly unknown[]>();
  const { memberLimiter } = options;
  const serve = createExpressMiddleware({
    router: createAppRouter(options),
    maxBatchSize: MAX_BATCH,
    createContext: ({ req, res }) => ({
      signedIn: signedIn.get(req) ?? null,
      inputs: inputs.get(req) ?? null,
      admit: memberLimiter && ((accountId) => memberLimiter.admit(`account/${accountId}`, newRequestId())),
      monotonic: () => clock.monotonic(),
      heard: ({ defect, ...call }) => {
        reporter.report('app-call-served', { ...call, client: req.ip });
        const { procedure, requestId } = call;
        if (defect !== undefined) reporter.failure('app-call-failed', defect, { procedure, requestId });
      },
      address: req.ip ?? null,
      signal: abortedWith(res),
      newRequestId,
      startSpan: (procedure) => {
        const parent = tracer.isOn ? traceparentOf(req.headers['traceparent']) : undefined;
        return tracer.start(procedure, { kind: 'server', parent });
      },
      takeCookie: () => sessions.takeCookie(res),
    }),
    responseMeta: () => ({ headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } }),
  }) as RequestHandler;
  // A week of an agency's Posts is a megabyte, a tenth of it compressed. Events are sent as they come.
  app.use(PATH, compression({ threshold: COMPRESSED_FROM_BYTES, filter: isJson }));
  app.use(PATH, async (request: Request, response: Response, next) => {
    const publicUrl = options.publicUrl();
    const refuse = (problem: ApiProblem): void =>
      sendProblem(response, { requestId: newRequestId(), allowance: null, closing: false, publicUrl }, problem);
    if (request.method === 'POST' && !isOfOwnPage(request, publicUrl)) {
      reporter.report('app-call-foreign', { client: request.ip });
      return refuse(FOREIGN);
    }
    try {
      const current = await sessions.current(request);
      const refused = current === null ? countStranger(options, 'app', request.ip) : null;
      if (refused !== null) return refuse(refused);
      signedIn.set(request, current);
      if (request.method === 'POST' && current !== null) {
        // Which Workspace it is about stands in the body, so the account waits for its turn.
        const sender = { workspaceId: current.accountId, signal: abortedWith(response) };
        const body = await readJsonBody(request, sender, options);
        if (!body.ok) return refuse(body.problem);
        inputs.set(request, giveInputs(request, body.value));
      }
    } catch (error) {
      if (error instanceof RequestAborted) return;
      if (error instanceof PortError) return refuse({ ...UNAVAILABLE, behind: error.message });
      return next(error);
    }
    serve(request, response, next);
  });
}

/**
 * Leaves the library a body that names the inputs by their places in the list that is returned: by itself it would
 * parse the whole body in one go.
 */
function giveInputs(request: Request, body: unknown): readonly unknown[] {
  if (body === undefined) request.body = '';
  else if (queryOf(request).get('batch') !== '1') request.body = '0';
  else if (typeof body !== 'object' || body === null || Array.isArray(body)) request.body = 'null';
  else {
    request.body = JSON.stringify(Object.fromEntries(Object.keys(body).map((name, place) => [name, place])));
    return Object.values(body);
  }
  return [body];
}

function isJson(_request: unknown, response: Response): boolean {
  return String(response.getHeader('content-type')).startsWith('application/json');
}

/** A page of another site has another origin, and can not send the header. */
function isOfOwnPage({ headers }: Request, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  const own = headers.origin === undefined || headers.origin === new URL(publicUrl).origin;
  return own && (site === undefined || site === 'same-origin') && headers[PAGE_HEADER] === '1';
}

function abortedWith(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort(new RequestAborted());
  });
  return gone.signal;
}
