import { initTRPC, TRPCError, type TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { z } from 'zod';
import type { Refusal, RefusalCode } from '#domain/workspace/results.ts';
import { PortError } from '#ports/errors.ts';

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

const trpc = initTRPC.create({
  isDev: false,
  errorFormatter: ({ shape, error }) => {
    const refusal = error.cause instanceof ProcedureRefusal ? error.cause.refusal : null;
    return { ...shape, data: { ...shape.data, reason: refusal?.code ?? null, upgrade: refusal?.upgrade ?? null } };
  },
});

export const { router, createCallerFactory } = trpc;

/**
 * Turns errors of procedures into messages for the caller. Of an unexpected error the caller learns only that it
 * happened.
 */
export const procedure = trpc.procedure.use(async ({ next }) => {
  const result = await next();
  if (!result.ok) throw messageFor(result.error);
  return result;
});

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
