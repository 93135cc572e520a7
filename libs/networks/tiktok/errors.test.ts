import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { failedFailureOf, failureOf } from './errors.ts';

function answer(status: number, code: string | null, message = 'm'): HttpAnswer {
  const json = code === null ? null : { data: {}, error: { code, message, log_id: '2022' } };
  return { kind: 'answered', status, headers: {}, json, body: JSON.stringify(json) };
}

const DAY_MS = 86_400_000;
const REJECTED = { reason: 'rejected_by_platform', retry: 'never' };
const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' };
const TOKEN = { reason: 'needs_reconnect', retry: 'refresh' };
const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: 5_000 };
const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: 60_000 };
const TOMORROW = { reason: 'rate_limited', retry: 'later', delayMs: DAY_MS };
const MEDIA = { reason: 'media_problem', retry: 'never' };
const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' };

describe('what TikTok refuses', () => {
  test.each<[string, HttpAnswer, object]>([
    ['a bad token', answer(401, 'access_token_invalid'), TOKEN],
    ['a scope that is missing', answer(401, 'scope_not_authorized'), RECONNECT],
    ['a scope that is missing, in its other name', answer(401, 'scope_permission_missed'), RECONNECT],
    ['a parameter', answer(400, 'invalid_param'), REJECTED],
    ['parameters', answer(400, 'invalid_params', 'The request post info is empty or incorrect'), REJECTED],
    ['a parameter of the file', answer(400, 'invalid_params', 'The video file is too large'), MEDIA],
    ['a size', answer(400, 'invalid_param', 'video_size must be positive'), MEDIA],
    ['a duration', answer(400, 'invalid_params', 'Duration over the limit'), MEDIA],
    ['a profile, which is no file', answer(400, 'invalid_params', 'Bad profile'), REJECTED],
    ['an old version', answer(400, 'app_version_check_failed'), REJECTED],
    ['an unknown publication', answer(400, 'invalid_publish_id'), RECONNECT],
    ['an unknown publication, as 403', answer(403, 'invalid_publish_id'), RECONNECT],
    ["another token's publication", answer(403, 'token_not_authorized_for_specified_publish_id'), RECONNECT],
    ['the posts of a day', answer(403, 'spam_risk_too_many_posts'), TOMORROW],
    ['the pending shares of a day', answer(403, 'spam_risk_too_many_pending_share'), TOMORROW],
    ['the users of a day', answer(403, 'reached_active_user_cap'), TOMORROW],
    ['a banned user', answer(403, 'spam_risk_user_banned_from_posting'), REJECTED],
    ['an app without audit', answer(403, 'unaudited_client_can_only_post_to_private_accounts'), REJECTED],
    ['a domain that is not verified', answer(403, 'url_ownership_unverified'), MEDIA],
    ['a file that is not as TikTok wants it', answer(400, 'invalid_file_upload'), MEDIA],
    [
      'a privacy level that is not offered',
      answer(403, 'privacy_level_option_mismatch'),
      { reason: 'rejected_by_platform', retry: 'once' },
    ],
    [
      'too many calls',
      answer(429, 'rate_limit_exceeded', 'The API rate limit was exceeded. Please try again later.'),
      LIMITED,
    ],
    ['its own trouble', answer(500, 'internal_error'), TROUBLE],
    ["a proxy's page", answer(502, null), TROUBLE],
    ["a proxy's limit", answer(429, null), LIMITED],
    ['401 in no words', answer(401, null), TOKEN],
    ['what is not listed', answer(400, 'never_heard_of'), REJECTED],
    ['what only looks listed', answer(400, 'constructor'), REJECTED],
    ['a success without what was asked for', answer(200, 'ok', ''), TROUBLE],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test("a person reads TikTok's words, and an operator its code", () => {
    expect(failureOf(answer(401, 'access_token_invalid', 'The access token is invalid.')).detail).toBe(
      'The access token is invalid. (access_token_invalid)',
    );
    expect(failureOf(answer(403, 'spam_risk_too_many_posts', '')).detail).toBe('spam_risk_too_many_posts');
  });
});

describe('what a publication failed for', () => {
  test.each<[string | null, object]>([
    ['file_format_check_failed', MEDIA_ONCE],
    ['duration_check_failed', MEDIA_ONCE],
    ['frame_rate_check_failed', MEDIA_ONCE],
    ['picture_size_check_failed', MEDIA_ONCE],
    ['video_pull_failed', MEDIA_ONCE],
    ['photo_pull_failed', MEDIA_ONCE],
    ['internal', TROUBLE],
    ['publish_cancelled', REJECTED],
    ['auth_removed', RECONNECT],
    ['spam_risk_too_many_posts', TOMORROW],
    ['spam_risk_user_banned_from_posting', REJECTED],
    ['spam_risk_text', REJECTED],
    ['spam_risk', REJECTED],
    ['never_heard_of', { reason: 'platform_problem', retry: 'once' }],
    [null, { reason: 'platform_problem', retry: 'once' }],
  ])('%s', (reason, expected) => {
    expect(failedFailureOf(reason)).toEqual({
      ...expected,
      detail: expect.stringContaining(reason ?? 'did not say why'),
    });
  });
});
