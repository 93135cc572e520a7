import { describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../http/call.ts';
import { failureOf, processingFailureOf } from './errors.ts';

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
const coded = (name: string, codes: readonly number[], expected: object, more: object = {}): Row[] =>
  codes.map((code) => [`${name}, ${code}`, answer(400, { code, ...more }), expected]);
/** Listed as subcodes; they come as the code itself, too. */
const either = (name: string, codes: readonly number[], expected: object): Row[] =>
  codes.flatMap((code): Row[] => [
    [`${name}, as subcode ${code}`, answer(400, { code: 100, error_subcode: code }), expected],
    [`${name}, as code ${code}`, answer(400, { code }), expected],
  ]);

describe('what the Graph API refuses', () => {
  test.each<Row>([
    ...coded('unknown trouble', [1], TROUBLE),
    ...coded('down for a moment', [2], TROUBLE, { is_transient: true }),
    ...coded('a limit', [4, 17, 32, 613, 80001, 80002], LIMITED),
    ['a limit that says it is passing', answer(400, { code: 4, is_transient: true }), LIMITED],
    ...coded('a daily limit', [341], { ...LIMITED, delayMs: 1_800_000 }),
    ...coded('a policy block', [368], REJECTED),
    ...coded('a missing capability or permission', [3, 10, 200, 250, 299], RECONNECT),
    ...coded('a parameter', [100], REJECTED),
    ['an object that is missing', answer(400, { code: 100, error_subcode: 33 }), REJECTED],
    ...coded('a session', [102], TOKEN),
    ...coded('a token', [190], TOKEN),
    ...[458, 459, 460, 463, 464, 467, 492].map((subcode): Row => [
      `a token, 190/${subcode}`,
      answer(400, { code: 190, error_subcode: subcode }),
      TOKEN,
    ]),
    ...coded('the previous post again', [506], { ...REJECTED, duplicate: true }),
    ['anything that is passing', answer(400, { code: 99999, is_transient: true }), TROUBLE],
    ['what is not listed', answer(400, { code: 99999 }), REJECTED],
    ["a proxy's page", answer(502, null), TROUBLE],
    ['429 without an envelope', answer(429, null), LIMITED],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given)).toEqual({ ...expected, detail: expect.any(String) });
  });
});

describe('what Facebook refuses', () => {
  test.each<Row>([
    [
      'no permission to publish',
      answer(403, { code: 200, message: '(#200) Insufficient permission to post' }),
      RECONNECT,
    ],
    [
      'no permission for a video',
      answer(400, { code: 100, message: '(#100) No permission to publish the video' }),
      RECONNECT,
    ],
    ...coded('a bad image', [324], MEDIA),
    ...coded('a video that could not be fetched', [389], MEDIA_ONCE),
    ...coded('a bad video', [351, 352, 382, 6000], MEDIA_ONCE),
    ...coded('an upload that failed', [6001], TROUBLE),
    ...coded('a link that could not be read', [1609005], REJECTED),
    ...coded('a link to facebook.com', [1609008], REJECTED),
    ...either('a large photo', [1366046], MEDIA_ONCE),
    ...either('photos posted already', [1366051], { ...REJECTED, duplicate: true }),
    ...either('posting too fast', [1390008], LIMITED),
    ...either('flagged', [1346003, 1404102], REJECTED),
    ...either('a check of the account', [1404006, 4854002], RECONNECT),
    ...either('Page Publishing Authorization', [1404078], RECONNECT),
    ...either('a limited account', [1404112], REJECTED),
    ...either('not available for a moment', [1349125, 1363047, 1609010], TROUBLE),
    ...either('an invalid address', [2061006], REJECTED),
    ...either('an invalid file', [2069019], MEDIA),
    ...either('a video upload that failed', [1363019, 1363020, 1363021], TROUBLE),
    ...either('a video too small or too large', [1363022, 1363023], MEDIA),
    ...either('a video format', [1363024, 1363031, 1363032], MEDIA_ONCE),
    ...either('a video too short or too long', [1363025, 1363026], MEDIA),
    ...either('an upload session that is over', [1363030, 1363033, 1363041], TROUBLE),
    ...either('no permission for the upload', [1363042], RECONNECT),
    ...either('another size than declared', [1363045], { reason: 'media_problem', retry: 'later', delayMs: 5_000 }),
    [
      'the reels of a day',
      answer(400, { code: 100, message: 'You have reached the limit of reels for this Page' }),
      { ...LIMITED, delayMs: 3_600_000 },
    ],
  ])('%s', (_name, given, expected) => {
    expect(failureOf(given)).toEqual({ ...expected, detail: expect.any(String) });
  });

  test('the usage header says when calls are let through again, in minutes', () => {
    const usage = JSON.stringify({ 77: [{ type: 'pages', call_count: 100, estimated_time_to_regain_access: 12 }] });
    expect(failureOf(answer(400, { code: 32 }, { 'x-business-use-case-usage': usage })).delayMs).toBe(720_000);
  });

  test('a person reads what was written for one', () => {
    expect(failureOf(answer(400, { code: 100, error_user_msg: 'for you' })).detail).toBe('for you');
  });
});

describe('what a video that could not be processed comes to', () => {
  test.each([
    [
      { code: 1363026, message: 'too long' },
      { reason: 'media_problem', retry: 'never', detail: 'too long' },
    ],
    [
      { code: 1363024, message: 'format' },
      { reason: 'media_problem', retry: 'once', detail: 'format' },
    ],
    [
      { code: 6001, message: 'again' },
      { reason: 'platform_problem', retry: 'later', delayMs: 5_000, detail: 'again' },
    ],
    [{ message: 'words only' }, { reason: 'media_problem', retry: 'never', detail: 'words only' }],
    [undefined, { reason: 'media_problem', retry: 'never', detail: 'Facebook could not process the video.' }],
  ])('%j', (error, expected) => {
    expect(processingFailureOf(error)).toEqual(expected);
  });
});
