import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { failureOf, limitDelayMs, processingFailureOf, refusalOf } from './errors.ts';

const NOW = Date.UTC(2026, 10, 20);

function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers, body: text, json: typeof body === 'string' ? null : body };
}
const problem = (status: number, detail: string, more: object = {}) =>
  answer(status, { title: 'Forbidden', detail, type: 'about:blank', status, ...more });
const legacy = (status: number, code: number) => answer(status, { errors: [{ code, message: 'because' }] });

const REJECTED = { reason: 'rejected_by_platform', retry: 'never' };
const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' };
const REFRESH = { reason: 'needs_reconnect', retry: 'refresh' };
const MEDIA = { reason: 'media_problem', retry: 'never' };
const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' };
const LATER = { reason: 'rate_limited', retry: 'later', delayMs: 900_000 };

describe('what X refuses', () => {
  test.each([
    [
      'an invalid request',
      answer(400, {
        title: 'Invalid Request',
        detail: 'One or more parameters to your request was invalid.',
        type: 'https://api.twitter.com/2/problems/invalid-request',
        status: 400,
        errors: [{ message: 'The Tweet contains an invalid URL.', parameters: {} }],
      }),
      REJECTED,
    ],
    [
      'media ids that are invalid',
      answer(400, {
        errors: [{ parameters: { 'media.media_ids': ['1'] }, message: 'Your media IDs are invalid.' }],
        title: 'Invalid Request',
        detail: 'One or more parameters to your request was invalid.',
        type: 'https://api.x.com/2/problems/invalid-request',
        status: 400,
      }),
      MEDIA_ONCE,
    ],
    ['media ids, legacy 324', legacy(400, 324), MEDIA_ONCE],
    ['media ids, legacy 325', legacy(400, 325), MEDIA_ONCE],
    ['401', answer(401, { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' }), REFRESH],
    ['legacy 32', legacy(401, 32), REFRESH],
    ['legacy 89', legacy(403, 89), REFRESH],
    [
      'no credits',
      answer(402, {
        title: 'CreditsDepleted',
        detail: 'Your enrolled account [123] does not have any credits to fulfill this request.',
        type: 'https://api.twitter.com/2/problems/credits',
        status: 402,
      }),
      REJECTED,
    ],
    [
      'a duplicate',
      problem(403, 'You are not allowed to create a Tweet with duplicate content.'),
      { ...REJECTED, duplicate: true },
    ],
    ['a duplicate, legacy 187', legacy(403, 187), { ...REJECTED, duplicate: true }],
    ['what is not permitted', problem(403, 'You are not permitted to perform this action.'), REJECTED],
    ['a long video', problem(403, 'This user is not allowed to post a video longer than 2 minutes'), MEDIA],
    ['two cashtags', problem(403, 'Tweets are limited to a maximum of one cashtag'), REJECTED],
    [
      'the wrong way to sign in',
      problem(403, 'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.', {
        type: 'https://api.x.com/2/problems/unsupported-authentication',
      }),
      RECONNECT,
    ],
    ['a missing scope', problem(403, 'Your token lacks the scope tweet.write'), RECONNECT],
    [
      'a client not enrolled',
      problem(403, 'When authenticating requests', {
        type: 'https://api.twitter.com/2/problems/client-forbidden',
        reason: 'client-not-enrolled',
      }),
      REJECTED,
    ],
    [
      'a feature of another access level',
      problem(403, 'Your account is not permitted to access this feature'),
      REJECTED,
    ],
    ['a suspended user', problem(403, 'The user is suspended'), RECONNECT],
    ['a suspended user, legacy 64', legacy(403, 64), RECONNECT],
    [
      'a suspension that speaks of features',
      answer(403, {
        errors: [{ code: 64, message: 'Your account is suspended and is not permitted to access this feature.' }],
      }),
      RECONNECT,
    ],
    ['a locked account, legacy 326', legacy(403, 326), RECONNECT],
    ['what looks automated, legacy 226', legacy(403, 226), REJECTED],
    ['too long, legacy 186', legacy(403, 186), REJECTED],
    ['the daily limit, legacy 185', legacy(403, 185), LATER],
    [
      '429',
      answer(429, { title: 'Too Many Requests', detail: 'Too Many Requests', type: 'about:blank', status: 429 }),
      LATER,
    ],
    ['429, legacy 88', legacy(429, 88), LATER],
    [
      'the monthly cap',
      answer(429, {
        title: 'UsageCapExceeded',
        detail: 'Usage cap exceeded',
        type: 'https://api.twitter.com/2/problems/usage-capped',
        status: 429,
      }),
      { reason: 'rate_limited', retry: 'never' },
    ],
    ["a proxy's page", answer(403, '<html>blocked</html>'), REJECTED],
    ['another 4xx', answer(422, {}), REJECTED],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given, 'publish', NOW)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test.each([500, 502, 503, 504, 408, 200, 302])('HTTP %i to the publishing call may have published', (status) => {
    expect(failureOf(answer(status, {}), 'publish', NOW)).toBe('reconcile');
  });

  test.each([500, 502, 503, 504])('HTTP %i to any other call is trouble of the Network', (status) => {
    expect(failureOf(answer(status, {}), 'other', NOW)).toMatchObject({ reason: 'platform_problem', retry: 'later' });
  });

  test.each([
    ...[400, 404, 409, 410, 413, 415, 422].map((status): [string, HttpAnswer, object] => [
      `HTTP ${status}`,
      answer(status, {}),
      MEDIA,
    ]),
    ['401', answer(401, { title: 'Unauthorized' }), REFRESH],
    ['a dead token, legacy 89', legacy(403, 89), REFRESH],
    ['no credits', answer(402, { title: 'CreditsDepleted' }), REJECTED],
    ['a missing scope', problem(403, 'Your token lacks the scope media.write'), RECONNECT],
    ['a suspended user', problem(403, 'The user is suspended'), RECONNECT],
    [
      'a video of more minutes than it may have',
      problem(403, 'This user is not allowed to post a video longer than 2 minutes'),
      MEDIA,
    ],
    ['a limit', answer(429, {}), LATER],
    ...[500, 502, 503, 504].map((status): [string, HttpAnswer, object] => [
      `HTTP ${status}`,
      answer(status, {}),
      { reason: 'platform_problem', retry: 'later', delayMs: 5_000 },
    ]),
  ])('of a file, by %s', (_name, given, expected) => {
    expect(refusalOf(given, 'upload', NOW)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test('what X could not process is worth one more upload', () => {
    expect(processingFailureOf({ code: 1, name: 'InvalidMedia', message: 'Unsupported video format' })).toEqual({
      ...MEDIA_ONCE,
      detail: 'InvalidMedia: Unsupported video format',
    });
    expect(processingFailureOf(undefined)).toEqual({ ...MEDIA_ONCE, detail: 'X could not process the file.' });
  });

  test('the messages of a validation problem say more than its title', () => {
    const given = answer(400, {
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      errors: [{ message: 'The Tweet contains an invalid URL.' }],
    });
    expect(failureOf(given, 'publish', NOW)).toMatchObject({ detail: 'The Tweet contains an invalid URL.' });
  });
});

describe('how long a limit lasts', () => {
  const reset = (afterSeconds: number) => String(NOW / 1000 + afterSeconds);

  test('until the largest reset among the exhausted windows', () => {
    const headers = {
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': reset(60),
      'x-user-limit-24hour-remaining': '0',
      'x-user-limit-24hour-reset': reset(3_600),
      'x-app-limit-24hour-remaining': '5',
      'x-app-limit-24hour-reset': reset(80_000),
    };
    expect(limitDelayMs(headers, NOW)).toBe(3_600_000);
    expect(failureOf(answer(429, {}, headers), 'publish', NOW)).toMatchObject({ delayMs: 3_600_000 });
  });

  test('a reset that is past still costs a second', () => {
    expect(limitDelayMs({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset(-5) }, NOW)).toBe(1_000);
  });

  test('headers that say nothing, or nonsense, leave it to the default', () => {
    expect(limitDelayMs({ 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': reset(60) }, NOW)).toBeNull();
    expect(limitDelayMs({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': 'soon' }, NOW)).toBeNull();
  });
});
