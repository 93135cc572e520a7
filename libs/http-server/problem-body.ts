import { errorPagePathOf, type ErrorCode } from '#schemas/http/errors.ts';
import type { ApiProblem } from './api-problem.ts';

/** The error object of an answer. */
export type ProblemBody = Omit<ApiProblem, 'behind' | 'retryAfterSeconds'> & { readonly docUrl: string };

/** A problem as it stands in an answer: without what only operators read, and with the page about its code. */
export function problemBodyOf(problem: ApiProblem, publicUrl: string): ProblemBody {
  const { behind: _behind, retryAfterSeconds: _seconds, ...error } = problem;
  return { ...error, docUrl: docUrlOf(problem.code, publicUrl) };
}

/** The address of the page about a code. `publicUrl`: with or without a slash at its end. */
export function docUrlOf(code: ErrorCode, publicUrl: string): string {
  return publicUrl.replace(/\/$/, '') + errorPagePathOf(code);
}
