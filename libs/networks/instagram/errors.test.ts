import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { containerFailureOf, failureOf, type InstagramStep } from './errors.ts';

function answer(status: number, error: object | null, headers: Record<string, string> = {}): HttpAnswer {
  const json = error === null ? null : { error: { type: 'OAuthException', message: 'm', fbtrace_id: 'A1', ...error } };
  return { kind: 'answered', status, headers, json, body: JSON.stringify(json) };
}

const REJECTED = { reason: 'rejected_by_platform', retry: 'never' };
const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' };
const TOKEN = { reason: 'needs_reconnect', retry: 'refresh' };
const TROUBLE = { reason: 'platform_problem', retry: 'later', delayMs: 5_000 };
const LIMITED = { reason: 'rate_limited', retry: 'later', delayMs: 600_000 };
const MEDIA = { reason: 'media_problem', retry: 'never' };
const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' };

type Row = [string, HttpAnswer, object];
const coded = (name: string, codes: readonly number[], expected: object): Row[] =>
  codes.map((code) => [`${name}, ${code}`, answer(400, { code }), expected]);
const row = (name: string, code: number, subcode: number, expected: object): Row => [
  `${name}, ${code}/${subcode}`,
  answer(400, { code, error_subcode: subcode }),
  expected,
];

describe('what the Graph API refuses', () => {
  test.each<Row>([
    ...coded('trouble', [1, 2], TROUBLE),
    ...coded('a limit', [4, 17, 32, 613, 80001, 80002], LIMITED),
    ...coded('a daily limit', [341], { ...LIMITED, delayMs: 1_800_000 }),
    ...coded('a policy block', [368], REJECTED),
    ...coded('a missing capability or permission', [3, 10, 200, 299], RECONNECT),
    ...coded('a parameter', [100], REJECTED),
    ...coded('a session', [102], TOKEN),
    ...coded('a token', [190], TOKEN),
    ...[458, 459, 460, 463, 464, 467, 492].map((subcode) => row('a token', 190, subcode, TOKEN)),
    ...coded('the previous post again', [506], { ...REJECTED, duplicate: true }),
    ['anything that is passing', answer(400, { code: 99999, is_transient: true }), TROUBLE],
    ["a proxy's page", answer(502, null), TROUBLE],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given, 'create')).toEqual({ ...expected, detail: expect.any(String) });
  });
});

describe('what Instagram refuses', () => {
  test.each<Row>([
    row('a slow download', -2, 2207003, MEDIA_ONCE),
    row('an expired container', -2, 2207020, TROUBLE),
    row('a server error', -1, 2207001, TROUBLE),
    row('media that could not be made', -1, 2207032, TROUBLE),
    row('an unknown upload error', -1, 2207053, TROUBLE),
    row('a cover outside the video', 1, 2207057, MEDIA),
    row('spam', 4, 2207051, REJECTED),
    row('the posts of a day', 9, 2207042, { ...LIMITED, delayMs: 3_600_000 }),
    row('media not found', 24, 2207006, TROUBLE),
    row('a builder that is gone', 24, 2207008, { ...TROUBLE, delayMs: 30_000 }),
    row('an inactive account', 25, 2207050, RECONNECT),
    row('an unknown media type', 100, 2207023, REJECTED),
    row('a carousel of the wrong size', 100, 2207028, REJECTED),
    row('a product tag', 100, 2207035, REJECTED),
    row('a product tag', 100, 2207036, REJECTED),
    row('a product tag', 100, 2207037, REJECTED),
    row('too many tags', 100, 2207040, REJECTED),
    row('a video format', 352, 2207026, MEDIA_ONCE),
    row('media that could not be fetched', 9004, 2207052, MEDIA_ONCE),
    row('media that is not ready', 9007, 2207027, { ...TROUBLE, delayMs: 10_000 }),
    row('a large image', 36000, 2207004, MEDIA_ONCE),
    row('an image format', 36001, 2207005, MEDIA_ONCE),
    row('an aspect ratio', 36003, 2207009, MEDIA_ONCE),
    row('a long caption', 36004, 2207010, REJECTED),
    row('an upload that failed', 100, 2207077, MEDIA_ONCE),
    row('a download that failed', 100, 2207082, MEDIA_ONCE),
    row('a trial reel', 100, 2207081, REJECTED),
    ...coded('the code alone', [-2, 352, 9004, 36000, 36001, 36003], MEDIA_ONCE),
    ...coded('the code alone', [-1, 24], TROUBLE),
    ...coded('the code alone', [9], { ...LIMITED, delayMs: 3_600_000 }),
    ...coded('the code alone', [25], RECONNECT),
    ...coded('the code alone', [36004], REJECTED),
    ...coded('the code alone', [9007], { ...TROUBLE, delayMs: 10_000 }),
    [
      'a session, in words',
      answer(400, { code: 99, message: 'The session has been invalidated because the user changed the password' }),
      TOKEN,
    ],
    [
      'an authorization, in words',
      answer(400, { code: 99, message: 'You need Page Publishing Authorization' }),
      RECONNECT,
    ],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given, 'create')).toEqual({ ...expected, detail: expect.any(String) });
  });

  test.each<[InstagramStep, object]>([
    ['container', TROUBLE],
    ['create', REJECTED],
    ['publish', REJECTED],
  ])('an object that can not be seen, by %s', (step, expected) => {
    expect(failureOf(answer(400, { code: 100, error_subcode: 33 }), step)).toMatchObject(expected);
  });

  test('the usage header says when calls are let through again, in minutes', () => {
    const usage = JSON.stringify({ 178: [{ type: 'instagram', call_count: 100, estimated_time_to_regain_access: 9 }] });
    expect(failureOf(answer(400, { code: 80002 }, { 'x-business-use-case-usage': usage }), 'create').delayMs).toBe(
      540_000,
    );
  });

  test('a person reads what was written for one', () => {
    expect(
      failureOf(
        answer(400, { code: 9004, error_subcode: 2207052, error_user_msg: 'The media could not be fetched' }),
        'create',
      ).detail,
    ).toBe('The media could not be fetched');
  });
});

test.each<[string | null, object]>([
  ['Error: Media upload has failed with error code 2207026', MEDIA_ONCE],
  ['Error: Media upload has failed with error code 2207057', MEDIA],
  ['Error: Media upload has failed with error code 2207053', TROUBLE],
  ['Error: Media upload has failed with error code 2207010', REJECTED],
  ['Error: something else', MEDIA_ONCE],
  [null, MEDIA_ONCE],
])('a container in error that says %j', (status, expected) => {
  expect(containerFailureOf(status)).toEqual({ ...expected, detail: expect.any(String) });
});
