import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { isPassing, isSignedOut, problemOf } from './problem.ts';

function refusal(data: object): TRPCClientError<never> {
  return TRPCClientError.from({ error: { code: -32_600, message: 'refused', data } } as never);
}

test('a refusal by a procedure is told in its words, with the id for the operator', () => {
  const problem = { code: 'limit_reached', message: 'No more Posts this month.', retryAfterSeconds: 60 };
  expect(problemOf(refusal({ problem, requestId: 'r1' }))).toEqual({ ...problem, requestId: 'r1' });
});

test('no answer is told as no connection, and may pass', () => {
  const error = TRPCClientError.from(new TypeError('Failed to fetch'));
  expect(problemOf(error)).toMatchObject({ code: 'no_connection' });
  expect([isPassing(error), isSignedOut(error)]).toEqual([true, false]);
});

test('a refusal before any procedure, in the form of REST, is told in its words', () => {
  const error = TRPCClientError.from(new Error('Unable to transform response from server'), {
    meta: { responseJSON: { error: { code: 'unavailable', message: 'Try again in a few seconds.' } } },
  });
  expect(problemOf(error)).toMatchObject({ code: 'unavailable', message: 'Try again in a few seconds.' });
});

test('a session that ended is told from other refusals', () => {
  expect(isSignedOut(refusal({ problem: { code: 'unauthorized', message: 'Sign in.' }, httpStatus: 401 }))).toBe(true);
  expect(isSignedOut(refusal({ problem: { code: 'forbidden', message: 'No.' }, httpStatus: 403 }))).toBe(false);
});

test('a defect of a page is told without what is inside', () => {
  expect(problemOf(new Error('x is not a function')).message).not.toContain('function');
});
