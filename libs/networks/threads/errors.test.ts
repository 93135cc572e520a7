import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { containerFailureOf, failureOf, type ThreadsStep } from './errors.ts';

function answer(status: number, error: object | null, headers: Record<string, string> = {}): HttpAnswer {
  const json = error === null ? null : { error: { type: 'THApiException', fbtrace_id: 'A1', ...error } };
  return { kind: 'answered', status, headers, json, body: JSON.stringify(json) };
}

const REJECTED = { reason: 'rejected_by_platform', retry: 'never' };
const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' };
const REFRESH = { reason: 'needs_reconnect', retry: 'refresh' };
const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: 5_000 };
const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: 600_000 };
const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' };

describe('what Threads refuses', () => {
  test.each<[string, ThreadsStep, HttpAnswer, object]>([
    ['a bad token, as 400', 'create', answer(400, { code: 190, message: 'Invalid OAuth 2.0 Access Token' }), REFRESH],
    ['a bad token, as 500', 'create', answer(500, { code: 190, message: 'Error validating access token' }), REFRESH],
    ...[458, 459, 460, 463, 464, 467, 492].map((subcode): [string, ThreadsStep, HttpAnswer, object] => [
      `190/${subcode}`,
      'create',
      answer(400, { code: 190, error_subcode: subcode, message: 'm' }),
      REFRESH,
    ]),
    ['an invalid session, 102', 'create', answer(400, { code: 102, message: 'm' }), REFRESH],
    [
      'no permission, 10',
      'create',
      answer(500, { code: 10, message: 'Application does not have permission for this action' }),
      RECONNECT,
    ],
    ['no capability, 3', 'create', answer(400, { code: 3, message: 'm' }), RECONNECT],
    ['a missing permission, 200', 'create', answer(403, { code: 200, message: 'm' }), RECONNECT],
    ['a missing permission, 299', 'create', answer(403, { code: 299, message: 'm' }), RECONNECT],
    [
      'a long text',
      'create',
      answer(500, { code: 100, message: 'Param text must be at most 500 characters long.' }),
      REJECTED,
    ],
    ['another parameter', 'create', answer(400, { code: 100, message: '(#100) bad' }), REJECTED],
    ['a sixth link', 'create', answer(400, { code: 100, message: 'THREADS_API__LINK_LIMIT_EXCEEDED' }), REJECTED],
    [
      'media that could not be fetched',
      'create',
      answer(400, { code: 9004, error_subcode: 2207052, message: 'm' }),
      MEDIA_ONCE,
    ],
    [
      'media that could not be fetched, in words',
      'create',
      answer(400, { code: 9004, message: 'The media could not be fetched from this URI' }),
      MEDIA_ONCE,
    ],
    ['spam', 'create', answer(400, { code: 4, error_subcode: 2207051, message: 'm' }), REJECTED],
    ['a restricted user', 'create', answer(400, { code: 24, error_subcode: 4279013, message: 'm' }), REJECTED],
    [
      'a part of a carousel not there yet',
      'create',
      answer(400, { code: 24, error_subcode: 4279009, message: 'Media Not Found' }),
      TROUBLE,
    ],
    [
      'a container not there yet',
      'publish',
      answer(400, { code: 24, error_subcode: 4279009, message: 'Media Not Found' }),
      TROUBLE,
    ],
    ...[4, 17, 32, 613, 80001, 80002].map((code): [string, ThreadsStep, HttpAnswer, object] => [
      `a limit, ${code}`,
      'create',
      answer(400, { code, is_transient: true, message: 'm' }),
      LIMITED,
    ]),
    ['a daily limit, 341', 'create', answer(400, { code: 341, message: 'm' }), { ...LIMITED, delayMs: 1_800_000 }],
    [
      'the quota, in words',
      'create',
      answer(400, { code: 9, message: 'You have reached your publishing quota' }),
      LIMITED,
    ],
    ['429 without an envelope', 'create', answer(429, null), LIMITED],
    ['a policy block', 'create', answer(400, { code: 368, message: 'm' }), REJECTED],
    ['an identical post', 'create', answer(400, { code: 506, message: 'm' }), { ...REJECTED, duplicate: true }],
    ['unknown trouble, 1', 'create', answer(500, { code: 1, message: 'm' }), TROUBLE],
    ['passing trouble, 2', 'create', answer(500, { code: 2, is_transient: true, message: 'm' }), TROUBLE],
    ['anything transient', 'create', answer(400, { code: 12345, is_transient: true, message: 'm' }), TROUBLE],
    [
      'a container that is not visible, 100/33',
      'container',
      answer(400, { code: 100, error_subcode: 33, message: 'm' }),
      TROUBLE,
    ],
    ['the same for anything else', 'create', answer(400, { code: 100, error_subcode: 33, message: 'm' }), REJECTED],
    ["a proxy's 502", 'create', answer(502, null), TROUBLE],
    ['an unlisted refusal', 'create', answer(400, { code: 77777, message: 'm' }), REJECTED],
  ])('%s', (_name, step, given, expected) => {
    expect(failureOf(given, step)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test('the usage header says when calls are let through again, in minutes', () => {
    const usage = JSON.stringify({
      178: [
        { type: 'threads', call_count: 100, estimated_time_to_regain_access: 7 },
        { estimated_time_to_regain_access: 3 },
      ],
    });
    expect(
      failureOf(answer(400, { code: 4, message: 'm' }, { 'x-business-use-case-usage': usage }), 'create').delayMs,
    ).toBe(420_000);
    expect(
      failureOf(answer(400, { code: 4, message: 'm' }, { 'x-business-use-case-usage': '{broken' }), 'create').delayMs,
    ).toBe(600_000);
  });

  test('a person reads what was written for one', () => {
    expect(failureOf(answer(400, { code: 100, message: 'tech', error_user_msg: 'for you' }), 'create').detail).toBe(
      'for you',
    );
  });
});

describe('what a container in error means', () => {
  test.each([
    'FAILED_PROCESSING_AUDIO',
    'FAILED_PROCESSING_VIDEO',
    'INVALID_ASPEC_RATIO',
    'INVALID_BIT_RATE',
    'INVALID_DURATION',
    'INVALID_FRAME_RATE',
    'INVALID_AUDIO_CHANNELS',
    'INVALID_AUDIO_CHANNEL_LAYOUT',
  ])('%s is the file', (message) => {
    expect(containerFailureOf(message, 'VIDEO')).toEqual({ reason: 'media_problem', retry: 'never', detail: message });
  });

  test.each(['UNKNOWN', 'FAILED_DOWNLOADING_VIDEO', 'SOMETHING_NEW', null])(
    '%s is worth one more container, of a file',
    (message) => {
      expect(containerFailureOf(message, 'CAROUSEL')).toEqual({
        ...MEDIA_ONCE,
        detail: message ?? 'Threads could not process it',
      });
    },
  );

  test("a text has no file: there UNKNOWN is Threads' own trouble", () => {
    expect(containerFailureOf('UNKNOWN', 'TEXT')).toMatchObject({ reason: 'platform_problem', retry: 'later' });
  });
});
