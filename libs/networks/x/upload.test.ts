import { describe, expect, test } from 'vitest';
import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork, type ScriptedStep } from '#testing/scripted-network.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Publication } from '../contract/adapter.ts';
import { createXAdapter } from './adapter.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MIB = 1024 * 1024;
const UPLOAD = 'https://x.test/2/media/upload';
const adapter = createXAdapter({
  api: 'https://x.test',
  authorize: 'a',
  site: 'https://x.com',
  hosts: {},
  clientId: 'c',
  clientSecret: 's',
});

const image = (name: string, more: Partial<Rendition> = {}) => ({
  ...renditionOf(Buffer.from(`bytes of ${name}`), { kind: 'image', contentType: 'image/jpeg', sha256: name }),
  ...more,
});
/** Of `bytes`, never in memory as a whole. */
const video = (bytes: number, more: Partial<Rendition> = {}): Rendition => ({
  ...renditionOf(new Uint8Array(0), { kind: 'video', contentType: 'video/mp4', sha256: 'v' }),
  bytes,
  read: async (from, to) => new Uint8Array(to - from).fill(from / MIB),
  ...more,
});

const named = (media: string, more: object = {}) =>
  jsonAnswer(200, { data: { id: media, media_key: `3_${media}`, expires_after_secs: 86_400, ...more } });
const processing = (state: string, more: object = {}) => named('9', { processing_info: { state, ...more } });
const appended = jsonAnswer(200, { data: { expires_at: 1_790_000_000 } });
/** The answers to a file that is sent in one piece and needs no work of X. */
const whole = (media: string): readonly ScriptedStep[] => [named(media), appended, named(media)];
const refusal = (status: number, detail = 'no') =>
  jsonAnswer(status, { title: 'Invalid Request', detail, type: 'about:blank', status });
const fileOf = (media: string, more: object = {}) => ({
  media,
  key: `3_${media}`,
  state: 'ready',
  sent: 0,
  since: NOW,
  ...more,
});
const handleOf = (files: readonly object[], more: object = {}) =>
  JSON.stringify({ version: 1, files, since: NOW, again: false, ...more });
const pathOf = ({ method, url }: HttpRequest) => `${method} ${url.replace(UPLOAD, '').replace('https://x.test', '')}`;

async function formOf({ headers, body }: HttpRequest) {
  const form = await new Response(Buffer.from(body as Uint8Array), {
    headers: { 'content-type': headers?.['content-type'] ?? '' },
  }).formData();
  const file = form.get('media') as File;
  return {
    fields: Object.fromEntries([...form].filter(([name]) => name !== 'media')),
    bytes: Buffer.from(await file.arrayBuffer()),
  };
}

/** What prepare comes to when every checkpoint is kept and gone on from at once. */
async function prepareAll(
  media: readonly Rendition[],
  script: readonly ScriptedStep[],
  more: Partial<Publication> & { from?: string | null } = {},
) {
  const { from = null, ...rest } = more;
  const network = scriptedNetwork(...script);
  const publication = publicationOf({ http: network.http, accountId: '77', media, now: NOW, ...rest });
  return { ...(await prepareOn(adapter, publication, from, 200)), asked: network.asked };
}

describe('pictures', () => {
  test('each is named with its kind and size, sent, ended, described, and kept before the next', async () => {
    const described = jsonAnswer(200, { data: { id: '1', associated_metadata: { alt_text: { text: 'a cat' } } } });
    const { answer, asked, handles } = await prepareAll(
      [image('a', { altText: 'a cat' }), image('b', { contentType: 'image/png' })],
      [...whole('1'), described, ...whole('2')],
    );
    expect(answer).toMatchObject({
      kind: 'ready',
      handle: handleOf([fileOf('1', { sent: 10 }), fileOf('2', { sent: 10 })]),
    });
    expect(handles).toHaveLength(7);
    expect(asked.map(pathOf)).toEqual([
      'POST /initialize',
      'POST /1/append',
      'POST /1/finalize',
      'POST /2/media/metadata',
      'POST /initialize',
      'POST /2/append',
      'POST /2/finalize',
    ]);
    expect(asked[0]?.body).toBe('{"media_type":"image/jpeg","total_bytes":10,"media_category":"tweet_image"}');
    expect(asked[1]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'multipart/form-data; boundary=part-a',
    });
    expect(await formOf(asked[1]!)).toEqual({ fields: { segment_index: '0' }, bytes: Buffer.from('bytes of a') });
    expect(asked[3]?.body).toBe('{"id":"1","metadata":{"alt_text":{"text":"a cat"}}}');
    expect(asked[4]?.body).toContain('"media_type":"image/png"');
  });

  test('none goes by the one call, which takes no media_type', async () => {
    const { asked } = await prepareAll([image('a'), image('b')], [...whole('1'), ...whole('2')]);
    expect(asked.map(pathOf)).not.toContain('POST ');
  });

  test('one of more than a piece goes in pieces, and X may say at once that it is done', async () => {
    const large = { ...video(4 * MIB + 1), kind: 'image', contentType: 'image/jpeg', durationMs: null } as const;
    const { answer, asked } = await prepareAll([large], [named('9'), appended, appended, named('9')]);
    expect(answer).toMatchObject({ kind: 'ready' });
    expect(asked.map(pathOf)).toEqual(['POST /initialize', 'POST /9/append', 'POST /9/append', 'POST /9/finalize']);
    expect(JSON.parse(String(asked[0]?.body))).toEqual({
      media_type: 'image/jpeg',
      total_bytes: 4 * MIB + 1,
      media_category: 'tweet_image',
    });
  });

  test('a GIF goes alone, in pieces, as what it is, with a description', async () => {
    const { asked } = await prepareAll(
      [image('g', { contentType: 'image/gif', altText: 'it moves' })],
      [named('9'), appended, processing('succeeded'), jsonAnswer(200, {})],
    );
    expect(asked.map(pathOf)).toEqual([
      'POST /initialize',
      'POST /9/append',
      'POST /9/finalize',
      'POST /2/media/metadata',
    ]);
    expect(String(asked[0]?.body)).toContain('"media_category":"tweet_gif"');
  });

  test('a refused description fails the post, with the files kept', async () => {
    const { answer } = await prepareAll([image('a', { altText: 'a cat' })], [...whole('1'), refusal(400)]);
    expect(answer).toMatchObject({
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', retry: 'never' },
      handle: expect.stringContaining('"state":"uploaded"'),
    });
  });
});

describe('a video', () => {
  test('goes in numbered pieces of 4 MiB, is waited for as X says, and gets no description', async () => {
    const file = video(5 * MIB, { altText: 'a cat' });
    const begun = await prepareAll(
      [file],
      [named('9'), appended, appended, processing('pending', { check_after_secs: 7 })],
    );
    expect(begun.answer).toMatchObject({
      kind: 'wait',
      delayMs: 7_000,
      handle: handleOf([fileOf('9', { state: 'processing', sent: 5 * MIB })]),
    });
    expect(begun.asked.map(pathOf)).toEqual([
      'POST /initialize',
      'POST /9/append',
      'POST /9/append',
      'POST /9/finalize',
    ]);
    expect(JSON.parse(String(begun.asked[0]?.body))).toEqual({
      media_type: 'video/mp4',
      total_bytes: 5 * MIB,
      media_category: 'tweet_video',
    });
    const pieces = await Promise.all(begun.asked.slice(1, 3).map(formOf));
    expect(pieces.map(({ fields, bytes }) => [fields, bytes.length, bytes[0]])).toEqual([
      [{ segment_index: '0' }, 4 * MIB, 0],
      [{ segment_index: '1' }, MIB, 4],
    ]);
    const looked = await prepareAll(
      [file],
      [processing('in_progress', { progress_percent: 40 }), processing('succeeded')],
      { from: begun.answer.kind === 'wait' ? begun.answer.handle : null },
    );
    expect(looked.answer).toMatchObject({ kind: 'wait', delayMs: 5_000 });
    expect(looked.asked.map(pathOf)).toEqual(['GET ?command=STATUS&media_id=9']);
    const { answer } = await prepareAll([file], [processing('succeeded')], {
      from: handleOf([fileOf('9', { state: 'processing', sent: 5 * MIB })]),
    });
    expect(answer).toMatchObject({ kind: 'ready' });
  });

  test('of 512 MB never is in memory whole, and every 32 MiB are kept', async () => {
    let most = 0;
    const file = video(512_000_000, {
      read: async (from, to) => ((most = Math.max(most, to - from)), new Uint8Array(to - from)),
    });
    const pieces = Math.ceil(512_000_000 / (4 * MIB));
    const { answer, handles } = await prepareAll(
      [file],
      [named('9'), ...Array.from({ length: pieces }, () => appended), named('9')],
    );
    expect(answer.kind).toBe('ready');
    expect(most).toBe(4 * MIB);
    // Begun, sixteen steps, ended.
    expect(handles).toHaveLength(18);
    expect(handles[1]).toBe(handleOf([fileOf('9', { state: 'sending', sent: 32 * MIB })]));
  });

  test('is gone on with where the last worker left it', async () => {
    const { asked } = await prepareAll([video(9 * MIB)], [appended, named('9')], {
      from: handleOf([fileOf('9', { state: 'sending', sent: 8 * MIB })]),
    });
    expect((await formOf(asked[0]!)).fields).toEqual({ segment_index: '2' });
    expect(asked.map(pathOf)).toEqual(['POST /9/append', 'POST /9/finalize']);
  });

  const sending = (sent: number) => handleOf([fileOf('9', { state: 'sending', sent })]);
  const later = { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later', delayMs: 5_000 } };
  test.each<[string, string | null, readonly ScriptedStep[], object]>([
    ['a lost answer to the begin', null, [{ cut: 'after' }], { ...later, handle: handleOf([]) }],
    [
      'a begin that X refuses',
      null,
      [refusal(400)],
      { kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } },
    ],
    ['a begin without a name', null, [jsonAnswer(200, {})], later],
    [
      'a lost piece, which keeps those before it',
      sending(0),
      [appended, { cut: 'after' }],
      { ...later, handle: sending(4 * MIB) },
    ],
    ['trouble with a piece', sending(4 * MIB), [refusal(503)], { ...later, handle: sending(4 * MIB) }],
    [
      'a limit',
      sending(4 * MIB),
      [jsonAnswer(429, {}, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(NOW / 1000 + 60) })],
      {
        kind: 'failed',
        failure: { reason: 'rate_limited', retry: 'later', delayMs: 60_000 },
        handle: sending(4 * MIB),
      },
    ],
    [
      'a refused token',
      sending(4 * MIB),
      [refusal(401)],
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' }, handle: sending(4 * MIB) },
    ],
    ['a lost end, which is sent again', sending(5 * MIB), [{ cut: 'after' }], { ...later, handle: sending(5 * MIB) }],
    [
      'an end that cannot be read: it is looked at',
      sending(5 * MIB),
      [{ status: 200, headers: {}, body: '{"da' }],
      { kind: 'wait', delayMs: 5_000, handle: expect.stringContaining('"processing"') },
    ],
    [
      'an end that X had been told before',
      sending(5 * MIB),
      [refusal(400), processing('pending')],
      { kind: 'wait', delayMs: 5_000, handle: expect.stringContaining('"processing"') },
    ],
    [
      'a file that X can make nothing of',
      sending(5 * MIB),
      [processing('failed', { error: { code: 1, name: 'InvalidMedia', message: 'Unsupported video format' } })],
      {
        kind: 'failed',
        failure: { reason: 'media_problem', retry: 'once', detail: 'InvalidMedia: Unsupported video format' },
        handle: handleOf([]),
      },
    ],
    [
      'a look that is lost',
      handleOf([fileOf('9', { state: 'processing', sent: 5 * MIB })]),
      [{ cut: 'after' }],
      { ...later, handle: handleOf([fileOf('9', { state: 'processing', sent: 5 * MIB })]) },
    ],
  ])('meets %s', async (_name, from, script, expected) => {
    expect((await prepareAll([video(5 * MIB)], script, { from })).answer).toMatchObject(expected);
  });

  test.each<[string, readonly ScriptedStep[]]>([
    ['a piece', [refusal(404)]],
    ['the end, and of which it says nothing', [appended, refusal(400), refusal(404)]],
    ['the end, and of which it has no news', [appended, refusal(400), named('9')]],
  ])('whose upload X does not know at %s is uploaded anew, once', async (_name, forgotten) => {
    const anew = [named('9'), appended, appended];
    const { answer, asked } = await prepareAll(
      [video(5 * MIB)],
      [...forgotten, ...anew, refusal(400, 'what is this'), refusal(404)],
      { from: sending(4 * MIB) },
    );
    expect(asked.map(pathOf)).toContain('POST /initialize');
    expect(answer).toMatchObject({
      kind: 'failed',
      failure: { reason: 'media_problem', retry: 'never', detail: 'what is this' },
    });
  });

  test('that X does not get done with in half an hour is left', async () => {
    const from = handleOf([fileOf('9', { state: 'processing', sent: 5 * MIB, since: NOW - 1_800_001 })]);
    expect((await prepareAll([video(5 * MIB)], [processing('in_progress')], { from })).answer).toMatchObject({
      kind: 'failed',
      failure: { reason: 'platform_problem', retry: 'later' },
      handle: handleOf([]),
    });
  });
});

describe('the handle', () => {
  test.each<[string, string]>([
    ['of yesterday, whose files X has forgotten', handleOf([fileOf('1')], { since: NOW - 20 * 3_600_000 - 1 })],
    ['of another version', handleOf([fileOf('1')], { version: 2 })],
    ['that cannot be read', '{"version":1,"files":[{}]}'],
    ['of more files than there are', handleOf([fileOf('1'), fileOf('2')])],
  ])('%s starts the post over', async (_name, from) => {
    const { answer } = await prepareAll([image('a')], whole('5'), { from });
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf([fileOf('5', { sent: 10 })]) });
  });

  test('holds no token, nor does anything said', async () => {
    const { answer } = await prepareAll([image('a')], [refusal(403, 'token-1 may not')]);
    expect(JSON.stringify(answer)).not.toContain('token-1');
  });
});

test.each<[string, readonly Rendition[]]>([
  ['five pictures', ['a', 'b', 'c', 'd', 'e'].map((name) => image(name))],
  ['a picture and a video', [image('a'), video(1)]],
  ['two videos', [video(1), video(1)]],
  ['a GIF beside a picture', [image('g', { contentType: 'image/gif' }), image('a')]],
  ['a picture of 5 MB and a byte', [image('a', { bytes: 5_000_001 })]],
  ['a GIF of 15 MB and a byte', [image('a', { contentType: 'image/gif', bytes: 15_000_001 })]],
  ['a video of more than X has numbers of pieces for', [video(4_000 * MIB + 1)]],
  ['a video of less than half a second', [video(1, { durationMs: 499 })]],
  ['a picture of a format that X does not take', [image('a', { contentType: 'image/tiff' })]],
  ['a video of a format that X does not take', [video(1, { contentType: 'video/webm' })]],
])('%s is refused without asking', async (_name, media) => {
  const { answer, asked } = await prepareAll(media, []);
  expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
  expect(asked).toHaveLength(0);
});
