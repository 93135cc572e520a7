import { initTRPC, TRPCError, type TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { z } from 'zod';
import { workingOn } from '#concurrency/work-in-hand.ts';
import { PortError } from '#ports/errors.ts';
import type { TraceSpan } from '#ports/tracer.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import { rateLimited } from '#http-server/answer.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';
import { statusOf } from '#schemas/http/errors.ts';
import { RequestAborted } from '#use-cases/json-body.ts';
import type { UseCaseResult } from '#use-cases/outcome.ts';
import { problemOf } from '#use-cases/outcome.ts';
import type { SignedIn } from '../people/signed-in.ts';

/** One HTTP request of the app; a batch has several calls in it. */
export interface TrpcContext {
  readonly signedIn: SignedIn | null;
  /** What the body has for the calls; the library knows each input by its place here. Null: it reads inputs itself. */
  readonly inputs: readonly unknown[] | null;
  /** Counts a call of the account that is about no Workspace. Null: these are not limited. */
  readonly admit: ((accountId: string) => Promise<Admission>) | null;
  /** The caller's IP address; null: not known. */
  readonly address: string | null;
  /** Aborted when the browser no longer waits. */
  readonly signal: AbortSignal;
  /** A UUIDv7, for each call another. */
  readonly newRequestId: () => string;
  /** Milliseconds that only go up. */
  readonly monotonic: () => number;
  /** Has the browser forget its session. */
  readonly takeCookie: () => void;
  /** Of a call of that procedure. */
  readonly startSpan: (procedure: string) => TraceSpan;
  /** Hears of every call that was answered. */
  readonly heard: (call: AnsweredCall) => void;
}

/** Whom and what a call is about, as far as it came to be known. */
export interface CallFacts {
  readonly requestId?: string;
  readonly workspaceId?: string;
  readonly memberId?: string;
  readonly postId?: string | null;
  readonly traceId?: string | undefined;
}

/** A call as operators see it. */
export interface AnsweredCall extends CallFacts {
  readonly procedure: string;
  /** `ok`, or the code of the refusal. */
  readonly code: string;
  readonly durationMs: number;
  readonly detail?: string | undefined;
  /** A defect; absent: none. */
  readonly defect?: unknown;
}

/** What the app shows of a refusal: REST's error object. */
export type ShownProblem = Omit<ApiProblem, 'behind'>;

/** A refusal as the cause of a TRPCError. */
class ProcedureRefusal extends Error {
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const CODES: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

export function refused(problem: ApiProblem): TRPCError {
  const code = CODES[statusOf(problem.code)] ?? 'BAD_REQUEST';
  return new TRPCError({ code, message: problem.message, cause: new ProcedureRefusal(problem) });
}

/** What a use case came to; its refusal is thrown. */
export function valueOf<T>(outcome: UseCaseResult<T>): T {
  if (outcome.ok) return outcome.value;
  throw refused(outcome.problem);
}

/** The refusal that an error of a procedure is for its caller. Of a defect the caller learns only that it happened. */
export function refusalOf(error: TRPCError): ApiProblem {
  const { cause } = error;
  if (cause instanceof ProcedureRefusal) return cause.problem;
  if (cause instanceof z.ZodError) return { code: 'invalid_request', message: cause.issues.map(wordsOf).join(' ') };
  if (cause instanceof PortError) return { ...problemOf(cause, 'change'), behind: cause.message };
  if (error.code === 'INTERNAL_SERVER_ERROR')
    return { code: 'outcome_unknown', message: 'It failed unexpectedly. Look whether it was done, then try again.' };
  if (error.code === 'NOT_FOUND') return { code: 'not_found', message: 'There is no such procedure.' };
  return { code: 'invalid_request', message: error.message };
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return `${[...path, issue.keys[0]].join('.')} is not a known field.`;
  return `${path.join('.') || 'The input'} ${issue.message.replace(/\.$/, '')}.`;
}

const trpc = initTRPC.context<TrpcContext>().create({
  isDev: false,
  // Longer connections than these are cut by proxies that know no silence.
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter: ({ shape, error }) => {
    const { behind: _, ...problem } = refusalOf(error);
    const { code, httpStatus } = shape.data;
    return { ...shape, message: problem.message, data: { code, httpStatus, problem: problem as ShownProblem } };
  },
});

export const { router } = trpc;

const withInput = trpc.procedure.use(({ ctx: { inputs }, getRawInput, next }) =>
  inputs === null ? next() : next({ getRawInput: async () => inputs[(await getRawInput()) as number] }),
);

/** For everybody; each call is reported once, when it is answered. */
const procedure = withInput.use(async ({ ctx, path, type, next }) => {
  const begun = ctx.monotonic();
  const known: { facts: CallFacts } = { facts: {} };
  const span = ctx.startSpan(path);
  const { trace } = span;
  const result = await workingOn({ work: path, workspaceId: null }, () => next({ ctx: { ...ctx, known, trace } }));
  span.end(result.ok ? undefined : refusalOf(result.error).code);
  if (type === 'subscription') return result;
  const durationMs = ctx.monotonic() - begun;
  const facts = { ...known.facts, traceId: traceIdOf(trace) };
  if (result.ok) ctx.heard({ procedure: path, code: 'ok', durationMs, ...facts });
  else {
    const { code, behind } = refusalOf(result.error);
    const defect = isDefect(result.error) ? { defect: result.error.cause ?? result.error } : {};
    ctx.heard({ procedure: path, code, durationMs, detail: behind, ...defect, ...facts });
  }
  return result;
});

function isDefect({ code, cause }: TRPCError): boolean {
  const isExpected = [ProcedureRefusal, PortError, RequestAborted].some((kind) => cause instanceof kind);
  return code === 'INTERNAL_SERVER_ERROR' && !isExpected;
}

const SIGNED_OUT: ApiProblem = { code: 'unauthorized', message: 'You are signed out. Sign in, then go on.' };

/** For everybody; the calls of who is signed in are limited by account. */
export const openProcedure = procedure.use(async ({ ctx, next }) => {
  const { signedIn, admit } = ctx;
  const admission = signedIn === null || admit === null ? null : await admit(signedIn.accountId);
  if (admission !== null && !admission.admitted) throw refused(rateLimited(admission, 'You'));
  return next();
});

/** For everybody who is signed in, of one Workspace: their calls are limited there. */
export const signedInProcedure = procedure.use(({ ctx, next }) => next({ ctx: { signedIn: mustBeSignedIn(ctx) } }));

/** For everybody who is signed in, about their account. */
export const accountProcedure = openProcedure.use(({ ctx, next }) => next({ ctx: { signedIn: mustBeSignedIn(ctx) } }));

function mustBeSignedIn({ signedIn }: TrpcContext): SignedIn {
  if (signedIn === null) throw refused(SIGNED_OUT);
  return signedIn;
}
