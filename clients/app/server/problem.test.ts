import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { isPassing, isSignedOut, isUndecided, problemOf } from './problem.ts';

function refusal(data: object): TRPCClientError<never> {
  return TRPCClientError.from({ error: { code: -32_600, message: 'refused', data } } as never);
}

test('a refusal by a procedure is shown in its own words, with the id for the operator', () => {
  const problem = { code: 'limit_reached', message: 'No more Posts this month.', retryAfterSeconds: 60 };
  expect(problemOf(refusal({ problem, requestId: 'r1' }))).toEqual({ ...problem, requestId: 'r1' });
});

test('no answer is shown as no connection, and may pass', () => {
  const error = TRPCClientError.from(new TypeError('Failed to fetch'));
  expect(problemOf(error)).toMatchObject({ code: 'no_connection' });
  expect([isPassing(error), isSignedOut(error)]).toEqual([true, false]);
});

test('a refusal before any procedure, in the form of REST, is shown in its own words', () => {
  const error = TRPCClientError.from(new Error('Unable to transform response from server'), {
    meta: { responseJSON: { error: { code: 'unavailable', message: 'Try again in a few seconds.' } } },
  });
  expect(problemOf(error)).toMatchObject({ code: 'unavailable', message: 'Try again in a few seconds.' });
});

test('a session that ended is told from other refusals', () => {
  expect(isSignedOut(refusal({ problem: { code: 'unauthorized', message: 'Sign in.' }, httpStatus: 401 }))).toBe(true);
  expect(isSignedOut(refusal({ problem: { code: 'forbidden', message: 'No.' }, httpStatus: 403 }))).toBe(false);
});

test('a defect of a page is shown without what is inside', () => {
  expect(problemOf(new Error('x is not a function')).message).not.toContain('function');
});

test('a change without an answer is undecided, one that was refused is not', () => {
  const told = (code: string) => refusal({ problem: { code, message: 'so' } });
  expect(isUndecided(TRPCClientError.from(new TypeError('Failed to fetch')))).toBe(true);
  // A server that failed amid the work answers without a problem.
  expect(isUndecided(refusal({ httpStatus: 500 }))).toBe(true);
  expect(isUndecided(told('outcome_unknown'))).toBe(true);
  for (const code of ['unavailable', 'not_cancellable', 'forbidden', 'rate_limited'])
    expect(isUndecided(told(code))).toBe(false);
});
