import { initTRPC, TRPCError, type TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { z } from 'zod';
import type { Refusal, RefusalCode } from '#domain/workspace/results.ts';
import { PortError } from '#ports/errors.ts';
import type { OperatorCall } from '#tables/repositories/operator-calls.ts';

/** A refusal of a Workspace as the cause of a TRPCError. */
export class ProcedureRefusal extends Error {
  override readonly name = 'Refused';
  readonly refusal: Pick<Refusal, 'code' | 'message' | 'upgrade'>;

  constructor(refusal: Pick<Refusal, 'code' | 'message' | 'upgrade'>) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const CODES: Readonly<Partial<Record<RefusalCode, TRPC_ERROR_CODE_KEY>>> = {
  invalid_request: 'BAD_REQUEST',
  not_found: 'NOT_FOUND',
  key_taken: 'CONFLICT',
  outcome_unknown: 'SERVICE_UNAVAILABLE',
};

/** The refusal of a Workspace for the caller: `data.reason` carries its code. */
export function refused(refusal: Pick<Refusal, 'code' | 'message' | 'upgrade'>): TRPCError {
  return new TRPCError({
    code: CODES[refusal.code] ?? 'UNPROCESSABLE_CONTENT',
    message: refusal.message,
    cause: new ProcedureRefusal(refusal),
  });
}

/** Who calls a procedure, who is told of it, and how a call is kept. */
export interface AdminContext {
  /** Null: this process itself, whose calls are no operator's. */
  readonly operator: { readonly name: string; readonly role: 'read' | 'operate' } | null;
  readonly keep: (call: Omit<OperatorCall, 'id' | 'at'>) => Promise<void>;
  /** Told of each call of an operator and how it ended. Left out: nobody is. */
  readonly heard?: (call: EndedCall) => void;
}

export interface EndedCall {
  readonly actor: string;
  readonly procedure: string;
  /** `ok`, or the code of its error. */
  readonly outcome: string;
  readonly changesSomething: boolean;
  /** null: about none that is known. */
  readonly workspaceId: string | null;
}

const trpc = initTRPC.context<AdminContext>().create({
  isDev: false,
  errorFormatter: ({ shape, error }) => {
    const refusal = error.cause instanceof ProcedureRefusal ? error.cause.refusal : null;
    return { ...shape, data: { ...shape.data, reason: refusal?.code ?? null, upgrade: refusal?.upgrade ?? null } };
  },
});

export const { router, createCallerFactory } = trpc;

/**
 * Turns errors of procedures into messages for the caller. Of an unexpected error the caller learns only that it
 * happened. Calls of operators that change something are kept, also those that failed or were refused; calls that only
 * look never are.
 */
export const procedure = trpc.procedure.use(async ({ next, ctx, type, path, getRawInput }) => {
  const { operator, keep, heard } = ctx;
  const changesSomething = operator !== null && type === 'mutation';
  const result = changesSomething && operator.role !== 'operate' ? null : await next();
  const error = result === null ? mayOnlyLook(operator!.name) : result.ok ? null : messageFor(result.error);
  if (operator !== null) {
    const workspaceId =
      workspaceIn(await getRawInput().catch(() => null)) ?? workspaceIn(result?.ok === true ? result.data : null);
    const call = { actor: operator.name, procedure: path, workspaceId };
    heard?.({ ...call, changesSomething, outcome: error === null ? 'ok' : error.code });
    if (changesSomething) await keep({ ...call, outcome: outcomeOf(error) });
  }
  if (error !== null) throw error;
  return result!;
});

const mayOnlyLook = (name: string): TRPCError =>
  new TRPCError({ code: 'FORBIDDEN', message: `The token of ${name} may only look: it has the role read.` });

const ID = /^[\w-]{1,64}$/;

function workspaceIn(value: unknown): string | null {
  const { workspaceId } = (value ?? {}) as { readonly workspaceId?: unknown };
  return typeof workspaceId === 'string' && ID.test(workspaceId) ? workspaceId : null;
}

function outcomeOf(error: TRPCError | null): string {
  if (error === null) return 'done';
  return error.cause instanceof ProcedureRefusal ? error.cause.refusal.code : error.code.toLowerCase();
}

function messageFor(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause instanceof z.ZodError)
    return new TRPCError({ code: 'BAD_REQUEST', message: cause.issues.map(issueText).join(' '), cause });
  if (cause instanceof PortError) return portErrorFor(cause);
  if (error.code !== 'INTERNAL_SERVER_ERROR') return error;
  return new TRPCError({
    code: 'INTERNAL_SERVER_ERROR',
    message: 'It failed unexpectedly; the log of the process that runs admin says why.',
    cause,
  });
}

function portErrorFor(trouble: PortError): TRPCError {
  const certain = trouble.kind !== 'unknown';
  const message = certain ? `Nothing was done: ${trouble.message}` : `It may have been done or not: ${trouble.message}`;
  return new TRPCError({
    code: trouble.kind === 'refused' ? 'BAD_REQUEST' : 'SERVICE_UNAVAILABLE',
    message,
    cause: trouble,
  });
}

function issueText(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return `${[...path, issue.keys[0]].join('.')} is not a known field.`;
  return `${path.join('.') || 'The input'}: ${issue.message.replace(/\.$/, '')}.`;
}
