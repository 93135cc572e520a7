import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPublicHttp } from '#adapters/undici/public-http.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import {
  answer,
  startMisbehavingReceiver,
  type Behaviour,
  type MisbehavingReceiver,
} from '#testing/misbehaving-receiver.ts';
import { inspectAddress } from './inspect-address.ts';

let receiver: MisbehavingReceiver;
beforeEach(async () => void (receiver = await startMisbehavingReceiver({ name: 'files.test' })));
afterEach(() => receiver.close());

const URL = 'https://files.test/a/file?sig=1';

function inspect(
  behaviours: readonly Behaviour[],
  { url = URL, timeoutMs = 5_000, addresses = [] as readonly string[] } = {},
) {
  receiver.behave(...behaviours);
  const http = createPublicHttp({ overrides: [receiver.override], lookup: async () => addresses });
  return inspectAddress(url, { http, clock: createSystemClock(), timeoutMs });
}

const file = (type: string | null, bytes: number | null, more: Readonly<Record<string, string>> = {}) =>
  answer(200, {
    headers: {
      ...(type === null ? {} : { 'content-type': type }),
      ...(bytes === null ? {} : { 'content-length': String(bytes) }),
      ...more,
    },
  });
const part = (type: string | null, range: string, body: string | Uint8Array = 'xx') =>
  answer(206, { headers: { ...(type === null ? {} : { 'content-type': type }), 'content-range': range }, body });
const start = (bytes: string | Uint8Array) => part('application/octet-stream', 'bytes 0-15/5000', bytes);

test.each<[what: string, behaviours: readonly Behaviour[], contentType: string, bytes: number | null]>([
  ['HEAD that tells all', [file('image/jpeg', 5_000)], 'image/jpeg', 5_000],
  ['a type with parameters and another name', [file('Image/JPG; charset=binary', 1)], 'image/jpeg', 1],
  ['exactly 2 GB', [file('video/mp4', 2 * 1024 ** 3)], 'video/mp4', 2 * 1024 ** 3],
  ...[400, 403, 404, 405, 410, 500, 501].map(
    (status) =>
      [`HEAD refused with ${status}`, [answer(status), part('image/png', 'bytes 0-15/777')], 'image/png', 777] as [
        string,
        Behaviour[],
        string,
        number,
      ],
  ),
  [
    'HEAD without a length',
    [
      answer(200, { headers: { 'content-type': 'image/webp', 'transfer-encoding': 'chunked' } }),
      part('image/webp', 'bytes 0-15/9'),
    ],
    'image/webp',
    9,
  ],
  ['HEAD with a length of nothing', [file('image/webp', 0), part('image/webp', 'bytes 0-15/9')], 'image/webp', 9],
  ['a size that stays unknown', [answer(405), part('video/quicktime', 'bytes 0-15/*')], 'video/quicktime', null],
  [
    'a range that is ignored',
    [answer(405), answer(200, { headers: { 'content-type': 'image/png' }, body: 'x'.repeat(3_000) })],
    'image/png',
    null,
  ],
  [
    'a range that is ignored, with a length',
    [
      answer(405),
      answer(200, { headers: { 'content-type': 'image/png', 'content-length': '3000' }, body: 'x'.repeat(3_000) }),
    ],
    'image/png',
    3_000,
  ],
  ['a body without end', [answer(405), { kind: 'flood', headers: { 'content-type': 'image/png' } }], 'image/png', null],
  ['no type, JPEG bytes', [file(null, 5_000), start(MEDIA_FIXTURES.photo.bytes.subarray(0, 16))], 'image/jpeg', 5_000],
  [
    'an unsaid type, PNG bytes',
    [file('binary/octet-stream', 5_000), start(MEDIA_FIXTURES.picture.bytes.subarray(0, 16))],
    'image/png',
    5_000,
  ],
  [
    'an unsaid type, WebP bytes',
    [file('application/octet-stream', 5_000), start(Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1'))],
    'image/webp',
    5_000,
  ],
  [
    'an unsaid type, MP4 bytes',
    [file('application/octet-stream', 5_000), start(MEDIA_FIXTURES.reel.bytes.subarray(0, 16))],
    'video/mp4',
    5_000,
  ],
  [
    'an unsaid type, MOV bytes',
    [file('application/octet-stream', 5_000), start(Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0', 'latin1'))],
    'video/quicktime',
    5_000,
  ],
  [
    'an unsaid type, old MOV bytes',
    [file('application/octet-stream', 5_000), start(Buffer.from('\0\0\0\x08wide\0\0\0\0mdat', 'latin1'))],
    'video/quicktime',
    5_000,
  ],
])('acceptable: %s', async (_what, behaviours, contentType, bytes) => {
  expect(await inspect(behaviours)).toEqual({ kind: 'acceptable', contentType, bytes });
  expect(receiver.requests.map(({ method, path, headers }) => [method, path, headers.range])).toEqual([
    ['HEAD', '/a/file?sig=1', undefined],
    ...(behaviours.length > 1 ? [['GET', '/a/file?sig=1', 'bytes=0-63']] : []),
  ]);
});

test.each<[what: string, behaviours: readonly Behaviour[], detail: string | RegExp]>([
  [
    'a page',
    [file('text/html; charset=utf-8', 5_000)],
    'The address has text/html; a file must be JPEG, PNG, WebP, MP4 or MOV.',
  ],
  ['a GIF', [file('image/gif', 5_000)], /^The address has image\/gif;/],
  ['a type that is no type', [file('<script>', 5_000)], /^The address has something unnamed;/],
  [
    'HEIC bytes of an unsaid type',
    [file(null, 5_000), start(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1'))],
    'The address does not say what it has, and it is no JPEG, PNG, WebP, MP4 or MOV file.',
  ],
  [
    'HTML bytes of an unsaid type',
    [file(null, 5_000), start('<!doctype html><')],
    /^The address does not say what it has/,
  ],
  ['more than 2 GB', [file('video/mp4', 2 * 1024 ** 3 + 1)], 'The file at the address is larger than 2 GB.'],
  ['more than 2 GB by its range', [answer(405), part('video/mp4', 'bytes 0-15/99999999999')], /larger than 2 GB/],
  ['nothing', [file('image/png', 0), file('image/png', 0)], 'The file at the address is empty.'],
  ['a range that can not be had', [answer(405), answer(416)], 'The file at the address is empty.'],
  [
    'a redirect',
    [{ kind: 'redirect', to: 'https://files.test/b' }],
    'The address leads on to another one. Use the one it leads to.',
  ],
  ['a redirect of GET', [answer(405), { kind: 'redirect', to: 'https://127.0.0.1/' }], /leads on/],
  ['no file', [answer(404)], 'The address answered 404.'],
  ['trouble', [answer(503)], 'The address answered 503.'],
  ['a packed file', [file('image/png', 50, { 'content-encoding': 'gzip' })], /packed/],
  [
    'a connection that is cut',
    [{ kind: 'close' }],
    'The address gave no file: files.test closed the connection before its answer was whole.',
  ],
])('unacceptable: %s', async (_what, behaviours, detail) => {
  expect(await inspect(behaviours)).toEqual({
    kind: 'unacceptable',
    detail: detail instanceof RegExp ? expect.stringMatching(detail) : detail,
  });
  expect(receiver.requests.length).toBeLessThanOrEqual(2);
});

test('both questions share one time', async () => {
  expect(await inspect([{ kind: 'hang' }], { timeoutMs: 1_500 })).toEqual({
    kind: 'unacceptable',
    detail: 'The address gave no file: files.test did not answer within 1.5 s.',
  });
  expect(receiver.requests).toHaveLength(1);
  expect(await inspect([answer(405), { kind: 'hang' }], { timeoutMs: 2_000 })).toMatchObject({
    kind: 'unacceptable',
    detail: expect.stringMatching(/did not answer within [01]\.\d+ s\.$/),
  });
});

test('an address that may not be asked is unsafe, and is not asked', async () => {
  expect(await inspect([], { url: 'http://files.test/a' })).toEqual({
    kind: 'unsafe',
    detail: 'The address must begin with https://.',
  });
  expect(await inspect([], { url: 'https://169.254.169.254/' })).toEqual({
    kind: 'unsafe',
    detail: '169.254.169.254 is not on the public internet.',
  });
  expect(await inspect([], { url: 'https://cdn.example.com/', addresses: ['10.0.0.1'] })).toMatchObject({
    kind: 'unsafe',
  });
  expect(await inspect([], { url: 'https://gone.example.com/' })).toEqual({
    kind: 'unsafe',
    detail: 'There is no gone.example.com on the internet.',
  });
  expect(receiver.connections()).toBe(0);
});
