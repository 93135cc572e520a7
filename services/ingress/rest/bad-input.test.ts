import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { variantIdOf } from '#domain/post/ids.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
let open: OpenWorld;
let postId: string;

const later = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const SOME_ID = '01890000-0000-7000-8000-000000000000';

beforeAll(async () => {
  open = await openIngressWorld();
  const { harness, key, channels } = open;
  postId = (
    await harness.call('POST', '/api/posts', {
      key,
      body: { text: 'There', channelIds: channels, scheduledAt: later(60) },
    })
  ).body.data.id;
});
afterAll(() => open[Symbol.asyncDispose]());

/** What nothing may change. */
const truth = () => JSON.stringify([[...open.scenario.posts], open.scenario.workspace]);

const good = () => ({ text: 'Hello', channelIds: open.channels as readonly string[], scheduledAt: later(90) });
const without = (field: string) => Object.fromEntries(Object.entries(good()).filter(([name]) => name !== field));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

// [what, body, status, code, what the message names]
const BODIES: readonly (readonly [string, () => unknown, number, string, RegExp])[] = [
  ['no body', () => '', 400, 'invalid_request', /request/],
  ['malformed JSON', () => '{"text": ', 400, 'invalid_request', /JSON/],
  ['a byte order mark', () => '\uFEFF{}', 400, 'invalid_request', /JSON/],
  ['invalid UTF-8', () => Buffer.from([0x22, 0xff, 0x22]), 400, 'invalid_request', /UTF-8/],
  ['a number', () => '5', 400, 'invalid_request', /object/],
  ['null', () => 'null', 400, 'invalid_request', /object/],
  ['an array', () => [], 400, 'invalid_request', /object/],
  ['very deep nesting', () => nested(200_000), 400, 'invalid_request', /./],
  ['very deep nesting in a field', () => `{"text":${nested(100_000)}}`, 400, 'invalid_request', /^text/],
  ['an unknown field', () => ({ ...good(), colour: 'red' }), 400, 'invalid_request', /^colour /],
  ['a field in another case', () => ({ ...good(), ScheduledAt: later(90) }), 400, 'invalid_request', /^ScheduledAt /],
  [
    '__proto__',
    () => `{"__proto__":{"x":1},"text":"a","channelIds":["${SOME_ID}"]}`,
    400,
    'invalid_request',
    /__proto__/,
  ],
  ['constructor', () => ({ ...good(), constructor: {} }), 400, 'invalid_request', /^constructor/],
  [
    'a very long field name',
    () => ({ ...good(), ['n'.repeat(50_000)]: 1 }),
    400,
    'invalid_request',
    /^n+\.\.\. is not/,
  ],
  ['text of a wrong type', () => ({ ...good(), text: 7 }), 400, 'invalid_request', /^text must be a string/],
  ['text null', () => ({ ...good(), text: null }), 400, 'invalid_request', /^text/],
  ['text too long', () => ({ ...good(), text: 'a'.repeat(100_001) }), 400, 'invalid_request', /^text .*100,000/],
  [
    'text too long in astral characters',
    () => ({ ...good(), text: '\u{1F600}'.repeat(100_001) }),
    400,
    'invalid_request',
    /^text/,
  ],
  ['text with U+0000', () => ({ ...good(), text: 'a\0b' }), 400, 'invalid_request', /U\+0000/],
  [
    'text with a lone surrogate',
    () => `{"text":"\\ud800","channelIds":["${SOME_ID}"]}`,
    400,
    'invalid_request',
    /surrogate/,
  ],
  ['a lone surrogate in a key', () => `{"\\udc00":1}`, 400, 'invalid_request', /surrogate/],
  ['no channelIds', () => without('channelIds'), 400, 'invalid_request', /^channelIds is missing/],
  ['channelIds null', () => ({ ...good(), channelIds: null }), 400, 'invalid_request', /^channelIds/],
  ['channelIds a string', () => ({ ...good(), channelIds: SOME_ID }), 400, 'invalid_request', /^channelIds/],
  ['no Channel', () => ({ ...good(), channelIds: [] }), 400, 'invalid_request', /^channelIds/],
  [
    '101 Channels',
    () => ({
      ...good(),
      channelIds: Array.from({ length: 101 }, (_, n) => SOME_ID.slice(0, -3) + String(n).padStart(3, '0')),
    }),
    400,
    'invalid_request',
    /^channelIds/,
  ],
  [
    'a Channel id that is no UUID',
    () => ({ ...good(), channelIds: ['x'] }),
    400,
    'invalid_request',
    /^channelIds\[0\] must be a UUID/,
  ],
  ['a Channel id of a wrong type', () => ({ ...good(), channelIds: [1] }), 400, 'invalid_request', /^channelIds\[0\]/],
  [
    'a Channel twice',
    () => ({ ...good(), channelIds: [SOME_ID, SOME_ID] }),
    400,
    'invalid_request',
    /^channelIds .*twice/,
  ],
  [
    'a Channel twice in two cases',
    () => ({ ...good(), channelIds: [open.channels[0], open.channels[0].toUpperCase()] }),
    400,
    'invalid_request',
    /^channelIds .*twice/,
  ],
  ['scheduledAt null', () => ({ ...good(), scheduledAt: null }), 400, 'invalid_request', /^scheduledAt/],
  ['scheduledAt a number', () => ({ ...good(), scheduledAt: START }), 400, 'invalid_request', /^scheduledAt/],
  ['scheduledAt empty', () => ({ ...good(), scheduledAt: '' }), 400, 'invalid_request', /^scheduledAt/],
  [
    'scheduledAt without zone',
    () => ({ ...good(), scheduledAt: '2026-11-20T15:00:00' }),
    400,
    'invalid_request',
    /^scheduledAt .*zone/,
  ],
  ['scheduledAt a date only', () => ({ ...good(), scheduledAt: '2026-11-21' }), 400, 'invalid_request', /^scheduledAt/],
  [
    'scheduledAt on 30 February',
    () => ({ ...good(), scheduledAt: '2027-02-30T15:00:00Z' }),
    400,
    'invalid_request',
    /^scheduledAt/,
  ],
  [
    'scheduledAt in a leap second',
    () => ({ ...good(), scheduledAt: '2026-12-31T23:59:60Z' }),
    400,
    'invalid_request',
    /^scheduledAt/,
  ],
  [
    'scheduledAt before all time',
    () => ({ ...good(), scheduledAt: '0001-01-01T00:00:00Z' }),
    400,
    'invalid_request',
    /^scheduledAt/,
  ],
  [
    'scheduledAt in a five-digit year',
    () => ({ ...good(), scheduledAt: '+010000-01-01T00:00:00Z' }),
    400,
    'invalid_request',
    /^scheduledAt/,
  ],
  ['scheduledAt too early', () => ({ ...good(), scheduledAt: later(14) }), 422, 'too_early', /./],
  ['scheduledAt long past', () => ({ ...good(), scheduledAt: '1970-01-01T00:00:00Z' }), 422, 'too_early', /./],
  ['scheduledAt too late', () => ({ ...good(), scheduledAt: '9999-12-31T23:59:59Z' }), 422, 'too_late', /./],
  ['media null', () => ({ ...good(), media: null }), 400, 'invalid_request', /^media/],
  ['media an object', () => ({ ...good(), media: {} }), 400, 'invalid_request', /^media/],
  ['media of nothing', () => ({ ...good(), media: [{}] }), 400, 'invalid_request', /^media\[0\]/],
  [
    'media of both kinds',
    () => ({ ...good(), media: [{ assetId: SOME_ID, url: 'https://a.test/b.png' }] }),
    400,
    'invalid_request',
    /^media\[0\]/,
  ],
  [
    'media over http',
    () => ({ ...good(), media: [{ url: 'http://a.test/b.png' }] }),
    400,
    'invalid_request',
    /^media\[0\]\.url/,
  ],
  [
    'media with an unknown field',
    () => ({ ...good(), media: [{ assetId: SOME_ID, alt: 'x' }] }),
    400,
    'invalid_request',
    /^media\[0\]\.alt /,
  ],
  ['media that nobody uploaded', () => ({ ...good(), media: [{ assetId: SOME_ID }] }), 409, 'media_unavailable', /./],
  ['channelOptions an array', () => ({ ...good(), channelOptions: [] }), 400, 'invalid_request', /^channelOptions/],
  [
    'channelOptions by no id',
    () => ({ ...good(), channelOptions: { x: {} } }),
    400,
    'invalid_request',
    /^channelOptions/,
  ],
  [
    'channelOptions of a Channel not named',
    () => ({ ...good(), channelOptions: { [SOME_ID]: {} } }),
    400,
    'invalid_request',
    /^channelOptions/,
  ],
  [
    'an unknown placement',
    () => ({ ...good(), channelOptions: { [open.channels[0]]: { placement: 'reel' } } }),
    400,
    'invalid_request',
    /placement must be feed/,
  ],
  [
    'an unknown option',
    () => ({ ...good(), channelOptions: { [open.channels[0]]: { tiktok: {} } } }),
    400,
    'invalid_request',
    /tiktok/,
  ],
  [
    'a title of a wrong type',
    () => ({ ...good(), channelOptions: { [open.channels[0]]: { youtube: { title: 1 } } } }),
    400,
    'invalid_request',
    /youtube\.title/,
  ],
  ['a Channel that is unknown', () => ({ ...good(), channelIds: [SOME_ID] }), 422, 'post_refused', /./],
  ['a body over 1 MB', () => ({ ...good(), text: 'a'.repeat(1_000_001) }), 413, 'too_large', /1 MB/],
  ['a body of 20 MB', () => 'a'.repeat(20_000_000), 413, 'too_large', /1 MB/],
];

test.each(BODIES)('POST /api/posts with %s changes nothing', async (_what, body, status, code, names) => {
  const before = truth();
  const answer = await open.harness.call('POST', '/api/posts', { key: open.key, body: body() });
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  expect(answer.body.error.message).toMatch(names);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(truth()).toBe(before);
});

const REQUESTS: readonly (readonly [string, () => [string, string, object?], number, string])[] = [
  ['a path id that is no UUID', () => ['GET', '/api/posts/42'], 400, 'invalid_request'],
  ['a path id with U+0000', () => ['GET', `/api/posts/${postId.slice(0, -1)}%00`], 400, 'invalid_request'],
  ['a path that is not validly encoded', () => ['GET', '/api/posts/%ZZ'], 400, 'invalid_request'],
  ['a path that is not UTF-8', () => ['GET', '/api/posts/%ff'], 400, 'invalid_request'],
  ['an unknown Post', () => ['GET', `/api/posts/${SOME_ID}`], 404, 'not_found'],
  ["a Variant's id for a Post's", () => ['GET', `/api/posts/${variantIdOf(postId, 1)}`], 404, 'not_found'],
  ['a version 4 id', () => ['GET', '/api/posts/5f0c2f7e-8a1d-4b3e-9c52-0d4f5a6b7c8d'], 404, 'not_found'],
  [
    'making void what an unknown Post has',
    () => ['POST', `/api/posts/${SOME_ID}/void-file-addresses`],
    404,
    'not_found',
  ],
  [
    'making addresses void with a field',
    () => ['POST', `/api/posts/${postId}/void-file-addresses`, { body: { reason: 'x' } }],
    400,
    'invalid_request',
  ],
  ['cancelling an unknown Post', () => ['POST', `/api/posts/${SOME_ID}/cancel`], 404, 'not_found'],
  [
    'cancelling with a field',
    () => ['POST', `/api/posts/${postId}/cancel`, { body: { reason: 'x' } }],
    400,
    'invalid_request',
  ],
  ["retrying with a Post's id", () => ['POST', `/api/variants/${postId}/retry`], 404, 'not_found'],
  [
    'retrying a Variant that the Post lacks',
    () => ['POST', `/api/variants/${variantIdOf(postId, 9)}/retry`],
    404,
    'not_found',
  ],
  [
    'retrying what has not failed',
    () => ['POST', `/api/variants/${variantIdOf(postId, 1)}/retry`],
    409,
    'not_retryable',
  ],
  [
    'attempts of an unknown Variant',
    () => ['GET', `/api/variants/${variantIdOf(SOME_ID, 1)}/attempts`],
    404,
    'not_found',
  ],
  ['an unknown query parameter', () => ['GET', '/api/posts?page=2'], 400, 'invalid_request'],
  ['a query parameter twice', () => ['GET', '/api/posts?limit=2&limit=3'], 400, 'invalid_request'],
  ['a query parameter as an array', () => ['GET', '/api/posts?limit[]=2'], 400, 'invalid_request'],
  ['__proto__ in a query', () => ['GET', '/api/posts?__proto__=2'], 400, 'invalid_request'],
  ['a query on a path that has none', () => ['GET', '/api/channels?limit=2'], 400, 'invalid_request'],
  ['dryRun on a single Post', () => ['POST', '/api/posts?dryRun=true', { body: good() }], 400, 'invalid_request'],
  ['limit 0', () => ['GET', '/api/posts?limit=0'], 400, 'invalid_request'],
  ['limit 501', () => ['GET', '/api/posts?limit=501'], 400, 'invalid_request'],
  ['a limit that is no number', () => ['GET', '/api/posts?limit=ten'], 400, 'invalid_request'],
  ['a negative limit', () => ['GET', '/api/posts?limit=-1'], 400, 'invalid_request'],
  ['from without zone', () => ['GET', '/api/posts?from=2026-11-20T12:00:00'], 400, 'invalid_request'],
  ['a cursor from elsewhere', () => ['GET', '/api/posts?limit=500&cursor=eyJwYWdlIjoyfQ'], 400, 'invalid_request'],
  ['an empty bulk', () => ['POST', '/api/posts/bulk', { body: { posts: [] } }], 400, 'invalid_request'],
  [
    '101 Posts in bulk',
    () => ['POST', '/api/posts/bulk', { body: { posts: Array.from({ length: 101 }, good) } }],
    400,
    'invalid_request',
  ],
  [
    'an Idempotency-Key on bulk',
    () => ['POST', '/api/posts/bulk', { body: { posts: [good()] }, headers: { 'Idempotency-Key': 'a' } }],
    400,
    'invalid_request',
  ],
  [
    'an Idempotency-Key too long',
    () => ['POST', '/api/posts', { body: good(), headers: { 'Idempotency-Key': 'a'.repeat(256) } }],
    400,
    'invalid_request',
  ],
  [
    'an empty Idempotency-Key',
    () => ['POST', '/api/posts', { body: good(), headers: { 'Idempotency-Key': '' } }],
    400,
    'invalid_request',
  ],
  [
    'a wrong dryRun',
    () => ['POST', '/api/posts/bulk?dryRun=yes', { body: { posts: [good()] } }],
    400,
    'invalid_request',
  ],
  [
    'a form',
    () => [
      'POST',
      '/api/posts',
      { body: 'text=Hello', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    ],
    415,
    'unsupported_media_type',
  ],
  [
    'text/plain',
    () => ['POST', '/api/posts', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
    415,
    'unsupported_media_type',
  ],
  [
    'another charset',
    () => ['POST', '/api/posts', { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } }],
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    () => ['POST', '/api/posts', { body: '{}', headers: { 'Content-Encoding': 'gzip' } }],
    415,
    'unsupported_media_type',
  ],
  ['an unknown route', () => ['GET', '/api/teams'], 404, 'not_found'],
  ['a route in capitals', () => ['GET', '/API/posts'], 404, 'not_found'],
  ['the root', () => ['GET', '/'], 404, 'not_found'],
  ['DELETE on Posts', () => ['DELETE', '/api/posts'], 405, 'method_not_allowed'],
  ['PATCH on a Post', () => ['PATCH', `/api/posts/${postId}`, { body: good() }], 405, 'method_not_allowed'],
  ['GET on bulk', () => ['GET', '/api/posts/bulk'], 405, 'method_not_allowed'],
  ['GET on cancel', () => ['GET', `/api/posts/${postId}/cancel`], 405, 'method_not_allowed'],
  ['POST on usage', () => ['POST', '/api/usage', { body: {} }], 405, 'method_not_allowed'],
  ['POST on the document', () => ['POST', '/developers/openapi.json'], 405, 'method_not_allowed'],
];

test.each(REQUESTS)('%s changes nothing', async (_what, request, status, code) => {
  const before = truth();
  const [method, path, about] = request();
  const answer = await open.harness.call(method, path, { key: open.key, ...about });
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  expect(answer.body.error.message).not.toMatch(/at .*\.ts|node_modules|Error:/);
  expect(truth()).toBe(before);
});

describe('whatever a body holds', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\0', '\ud800', '__proto__', later(60), SOME_ID),
  );
  const anyField = fc.oneof(fc.jsonValue(), anyText, fc.array(anyText, { maxLength: 3 }));
  const anyBody = fc.oneof(
    fc.record(
      { text: anyField, channelIds: anyField, scheduledAt: anyField, media: anyField, channelOptions: anyField },
      { requiredKeys: [] },
    ),
    fc.dictionary(anyText, anyField),
    fc.jsonValue(),
  );
  const paths = fc.constantFrom(
    '/api/posts',
    '/api/posts/validate',
    '/api/posts/bulk',
    `/api/posts/${SOME_ID}/cancel`,
    `/api/posts/${SOME_ID}/void-file-addresses`,
    `/api/variants/${SOME_ID}/retry`,
  );

  test('the answer is never a 500, and has the envelope unless it is a success', async () => {
    const check = async (path: string, body: unknown) => {
      const answer = await open.harness.call('POST', path, { key: open.key, body });
      expect(answer.status < 500).toBe(true);
      expect(typeof answer.body[answer.status < 400 ? 'data' : 'error']).toBe('object');
    };
    await fc.assert(
      fc.asyncProperty(paths, anyBody, (path, body) => check(path, JSON.stringify(body))),
      { numRuns: 300 },
    );
    await fc.assert(fc.asyncProperty(paths, fc.uint8Array({ minLength: 1, maxLength: 200 }), check), { numRuns: 100 });
    expect(open.harness.reporter.failures()).toEqual([]);
  });
});
