import type { ApiProblem } from '#http-server/api-problem.ts';
import { PortError } from '#ports/errors.ts';
import type { ErrorCode } from '#schemas/http/errors.ts';

export type UseCaseResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: ApiProblem };

export function done<T>(value: T): UseCaseResult<T> {
  return { ok: true, value };
}

export function failed(code: ErrorCode, message: string): { readonly ok: false; readonly problem: ApiProblem } {
  return { ok: false, problem: { code, message } };
}

const RETRY_AFTER_SECONDS = 5;

export const UNAVAILABLE: ApiProblem = {
  code: 'unavailable',
  message: 'The service cannot do this right now and nothing was changed. Please try again in a few seconds.',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

export const OUTCOME_UNKNOWN: ApiProblem = {
  code: 'outcome_unknown',
  message:
    'It is not known yet whether this was done. Please look again, or send the same request again, in a few seconds: the same Post is not created twice.',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

const TOO_LARGE: ApiProblem = {
  code: 'too_large',
  message: 'The request is too large. Please send less text or fewer items.',
};

/** The problem that a failure of a port is for a call that changes something, or only reads. */
export function problemOf(error: PortError, asked: 'change' | 'read'): ApiProblem {
  if (asked === 'read') return UNAVAILABLE;
  return { refused: TOO_LARGE, unknown: OUTCOME_UNKNOWN, unavailable: UNAVAILABLE }[error.kind];
}

/** The outcome of `work`, with failures of ports as problems. Any other error is a defect and is thrown on. */
export async function settled<T>(
  asked: 'change' | 'read',
  work: () => Promise<UseCaseResult<T>>,
): Promise<UseCaseResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortError)
      return { ok: false, problem: { ...problemOf(error, asked), behind: error.message } };
    throw error;
  }
}
