import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { failedFailureOf, failureOf, rejectedFailureOf, sessionFailureOf } from './errors.ts';

/** Noon UTC: 4 in the morning in California, 20 hours before its midnight. */
const NOW = Date.UTC(2026, 10, 20, 12);

function answer(
  status: number,
  reason: string | null,
  message = 'm',
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const json =
    reason === null ? null : { error: { code: status, message, errors: [{ message, domain: 'youtube', reason }] } };
  return { kind: 'answered', status, headers, json, body: JSON.stringify(json) };
}

const HOUR_MS = 3_600_000;
const REJECTED = { reason: 'rejected_by_platform', retry: 'never' };
const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' };
const TOKEN = { reason: 'needs_reconnect', retry: 'refresh' };
const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: 5_000 };
const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: 60_000 };
const SPENT = { reason: 'rate_limited', retry: 'later', delayMs: 20 * HOUR_MS };
const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' };
const ONCE = { reason: 'platform_problem', retry: 'once' };

describe('what YouTube refuses', () => {
  test.each<[string, HttpAnswer, object]>([
    ['a title', answer(400, 'invalidTitle'), REJECTED],
    ['a description', answer(400, 'invalidDescription'), REJECTED],
    ['tags', answer(400, 'invalidTags'), REJECTED],
    ['a category', answer(400, 'invalidCategoryId'), REJECTED],
    ['metadata', answer(400, 'invalidVideoMetadata'), REJECTED],
    ['a time', answer(400, 'invalidPublishAt'), REJECTED],
    ['a file name', answer(400, 'invalidFilename'), REJECTED],
    ['recording details', answer(400, 'invalidRecordingDetails'), REJECTED],
    ['a rating', answer(400, 'invalidVideoGameRating'), REJECTED],
    ['a missing language', answer(400, 'defaultLanguageNotSet'), REJECTED],
    ['a missing video', answer(400, 'mediaBodyRequired'), MEDIA_ONCE],
    [
      'the uploads of a day',
      answer(400, 'uploadLimitExceeded'),
      { reason: 'rate_limited', retry: 'later', delayMs: 24 * HOUR_MS },
    ],
    ['a bad token', answer(401, 'authError'), TOKEN],
    ['a bad token, in its other name', answer(401, 'Unauthorized'), TOKEN],
    ['a Google account without a channel', answer(401, 'youtubeSignupRequired'), RECONNECT],
    ['a scope that is missing', answer(403, 'insufficientPermissions'), RECONNECT],
    ['a scope that is missing, in its other name', answer(403, 'forbidden'), RECONNECT],
    ['an API that is not enabled', answer(403, 'accessNotConfigured'), REJECTED],
    ['a licence', answer(403, 'forbiddenLicenseSetting'), REJECTED],
    ['an audience', answer(403, 'forbiddenPrivacySetting'), REJECTED],
    ['a spent quota', answer(403, 'quotaExceeded'), SPENT],
    ['a spent day', answer(403, 'dailyLimitExceeded'), SPENT],
    ['too many calls', answer(403, 'rateLimitExceeded'), LIMITED],
    ['too many calls of a user', answer(403, 'userRateLimitExceeded'), LIMITED],
    ['too many calls, as 429', answer(429, 'rateLimitExceeded'), LIMITED],
    [
      'too many calls, with a time',
      answer(429, 'rateLimitExceeded', 'm', { 'retry-after': '120' }),
      { ...LIMITED, delayMs: 120_000 },
    ],
    ["a proxy's limit", answer(429, null), LIMITED],
    ['a suspended account', answer(403, 'authenticatedUserAccountSuspended'), RECONNECT],
    ['a closed account', answer(403, 'authenticatedUserAccountClosed'), RECONNECT],
    ['its own trouble', answer(500, 'backendError'), TROUBLE],
    ['its own trouble, in its other name', answer(503, 'internalError'), TROUBLE],
    ["a proxy's page", answer(502, null), TROUBLE],
    ["a proxy's time-out", answer(408, null), TROUBLE],
    ['401 in no words', answer(401, null), TOKEN],
    ['what is not listed', answer(400, 'never_heard_of'), REJECTED],
    ['what only looks listed', answer(400, 'constructor'), REJECTED],
    ['a success without what was asked for', { ...answer(200, null), json: {} }, TROUBLE],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given, NOW)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test("a person reads YouTube's words without its links, and an operator its reason", () => {
    const message =
      'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.';
    expect(failureOf(answer(403, 'quotaExceeded', message), NOW).detail).toBe(
      'The request cannot be completed because you have exceeded your quota. (quotaExceeded)',
    );
    expect(failureOf(answer(503, null), NOW).detail).toBe('HTTP 503');
  });
});

describe('what an upload session refuses', () => {
  test.each<[string, HttpAnswer, object]>([
    ['in words of its own', answer(400, null), ONCE],
    ['for a reason that is not listed', answer(416, 'badContent'), ONCE],
    [
      'for a reason that is listed',
      answer(400, 'uploadLimitExceeded'),
      { reason: 'rate_limited', retry: 'later', delayMs: 24 * HOUR_MS },
    ],
    ['a token', answer(401, null), TOKEN],
    ['too many calls', answer(429, null), LIMITED],
    ['in trouble', answer(503, null), TROUBLE],
  ])('%s', (_name, given, expected) => {
    expect(sessionFailureOf(given, NOW)).toEqual({ ...expected, detail: expect.any(String) });
  });
});

describe('what a video failed for', () => {
  test.each<[string | null, object]>([
    ['codec', MEDIA_ONCE],
    ['conversion', MEDIA_ONCE],
    ['emptyFile', MEDIA_ONCE],
    ['invalidFile', MEDIA_ONCE],
    ['tooSmall', MEDIA_ONCE],
    ['uploadAborted', ONCE],
    ['never_heard_of', MEDIA_ONCE],
    [null, MEDIA_ONCE],
  ])('%s', (reason, expected) => {
    expect(failedFailureOf(reason)).toEqual({
      ...expected,
      detail: expect.stringContaining(reason ?? 'did not say why'),
    });
  });
});

describe('what a video was rejected for', () => {
  test.each<[string | null, object]>([
    ['claim', REJECTED],
    ['copyright', REJECTED],
    ['duplicate', REJECTED],
    ['inappropriate', REJECTED],
    ['legal', REJECTED],
    ['length', { reason: 'media_problem', retry: 'never' }],
    ['termsOfUse', REJECTED],
    ['trademark', REJECTED],
    ['uploaderAccountClosed', RECONNECT],
    ['uploaderAccountSuspended', RECONNECT],
    ['never_heard_of', REJECTED],
    [null, REJECTED],
  ])('%s', (reason, expected) => {
    expect(rejectedFailureOf(reason)).toEqual({
      ...expected,
      detail: expect.stringContaining(reason ?? 'did not say why'),
    });
  });
});
