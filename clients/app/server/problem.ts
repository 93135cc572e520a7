import { TRPCClientError } from '@trpc/client';

/** Why a call was refused or failed: the error object of REST, for a person to read. */
export interface ServerProblem {
  /** A code of REST, or one of this side: `no_connection`, `unexpected`. */
  readonly code: string;
  /** What happened and what to do about it. */
  readonly message: string;
  readonly blockers?: readonly ProblemBlocker[];
  readonly upgrade?: unknown;
  readonly retryAfterSeconds?: number;
  /** For the operator's logs. */
  readonly requestId?: string;
}

/** What keeps a Post from being accepted, and where. */
export interface ProblemBlocker {
  readonly code: string;
  readonly message: string;
  readonly channelId?: string;
  readonly path?: string;
}

const NO_CONNECTION: ServerProblem = {
  code: 'no_connection',
  message: 'There is no connection to Crier. Nothing you wrote is lost; try again when you are online.',
};
const UNEXPECTED: ServerProblem = {
  code: 'unexpected',
  message: 'Crier did not answer as it should. Try again; if it happens again, tell the operator.',
};

/** What a rejected call means. Never throws. */
export function problemOf(error: unknown): ServerProblem {
  if (!(error instanceof TRPCClientError)) return UNEXPECTED;
  const data: unknown = error.data;
  // Without data no procedure has answered: the request failed, or it was refused before it came to one.
  if (!isObject(data)) return refusalBefore(error.meta?.['responseJSON']) ?? NO_CONNECTION;
  const requestId = typeof data['requestId'] === 'string' ? { requestId: data['requestId'] } : {};
  const problem = data['problem'];
  return isProblem(problem) ? { ...problem, ...requestId } : { ...UNEXPECTED, ...requestId };
}

/** Whether sending the same call again may help by itself: no answer, or a server that is busy. */
export function isPassing(error: unknown): boolean {
  return ['no_connection', 'unavailable', 'outcome_unknown'].includes(problemOf(error).code);
}

/** Whether a call that failed so may have been done: no answer came, or one that does not know. */
export function isUndecided(error: unknown): boolean {
  return ['no_connection', 'outcome_unknown', 'unexpected'].includes(problemOf(error).code);
}

/** Whether the outcome of a change that failed so is open: it may have been made, or be made when it is sent again. */
export function isOpenChange(error: unknown): boolean {
  return isPassing(error) || isUndecided(error);
}

/** Whether the session has ended or never began. */
export function isSignedOut(error: unknown): boolean {
  return problemOf(error).code === 'unauthorized' || httpStatusOf(error) === 401;
}

/** A refusal by the server as a whole, in the form of REST. */
function refusalBefore(answer: unknown): ServerProblem | null {
  const problem = isObject(answer) ? answer['error'] : undefined;
  return isProblem(problem) ? problem : null;
}

function httpStatusOf(error: unknown): number | null {
  if (!(error instanceof TRPCClientError)) return null;
  const data: unknown = error.data;
  return isObject(data) && typeof data['httpStatus'] === 'number' ? data['httpStatus'] : null;
}

function isProblem(value: unknown): value is ServerProblem {
  return isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
