import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMediaAddresses, type MediaAddresses } from '#media/media-addresses.ts';
import { until } from '#testing/until.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';
import { rangeOf } from './byte-range.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const CONTENT = randomBytes(1_000);
const BLOB = 'assets/01890000-0000-7000-8000-000000000000/original/1';
const FILE = { blob: BLOB, contentType: 'image/png' };
const SECRET = 'a secret of the installation';

let open: OpenWorld;
let path: string;
const addresses = (secret = SECRET, previousSecrets: readonly string[] = []): MediaAddresses =>
  createMediaAddresses({ baseUrl: () => 'http://a', secret, previousSecrets });
const pathOf = (file = FILE) => new URL(addresses().urlOf(file)).pathname;

beforeAll(async () => {
  open = await openIngressWorld({ mediaReadersAtOnce: 2 });
  await open.world.blobs.put(BLOB, Readable.from([CONTENT]), { maxBytes: CONTENT.length });
  path = pathOf();
});
afterAll(() => open[Symbol.asyncDispose]());

async function read(method: string, at: string, headers: Record<string, string> = {}) {
  const response = await fetch(open.harness.url + at, { method, headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

test('a file is served whole, with its type, cacheable for a day, without a key, and never run as a page', async () => {
  const { status, headers, body } = await read('GET', path);
  expect([status, body]).toEqual([200, CONTENT]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '1000',
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    etag: expect.stringMatching(/^"[\w-]+"$/),
    'x-request-id': expect.any(String),
  });
  const head = await read('HEAD', path);
  expect([head.status, head.body.length, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    0,
    '1000',
    headers.get('etag'),
  ]);
});

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=10-19', 10, 19],
  ['bytes=990-', 990, 999],
  ['bytes=990-5000', 990, 999],
  ['bytes=-10', 990, 999],
  ['bytes=-5000', 0, 999],
])('%s returns those bytes and no others', async (range, start, end) => {
  const { status, headers, body } = await read('GET', path, { Range: range });
  expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
    206,
    `bytes ${start}-${end}/1000`,
    String(end - start + 1),
  ]);
  expect(body).toEqual(CONTENT.subarray(start, end + 1));
});

test.each(['bytes=0-0,5-9', 'bytes=9-5', 'bytes=a-b', 'lines=0-5', 'bytes=', 'bytes=-'])(
  '%s, which is no single range, gives the whole',
  async (range) => {
    expect(await read('GET', path, { Range: range })).toMatchObject({ status: 200, body: CONTENT });
  },
);

test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
  '%s, which holds no byte of the file, is refused',
  async (range) => {
    const { status, body } = await read('GET', path, { Range: range });
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([416, 'range_not_satisfiable']);
  },
);

test('a client that has the file gets 304, and a range of another version is answered by the whole file', async () => {
  const etag = (await read('HEAD', path)).headers.get('etag')!;
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
    expect(await read('GET', path, { 'If-None-Match': known })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  expect((await read('GET', path, { 'If-None-Match': '"x"' })).status).toBe(200);
  expect((await read('GET', path, { Range: 'bytes=0-4', 'If-Range': etag })).status).toBe(206);
  expect((await read('GET', path, { Range: 'bytes=0-4', 'If-Range': '"x"' })).status).toBe(200);
  expect((await read('GET', path, { Range: 'bytes=0-4', 'If-Range': 'Sat, 21 Nov 2026 00:00:00 GMT' })).status).toBe(
    200,
  );
});

test('an unknown name is not found, and nothing is listed', async () => {
  const name = path.slice('/media/'.length);
  const gone = pathOf({ ...FILE, blob: `${BLOB}2` });
  const others = [
    '/media',
    '/media/',
    '/media/..%2f..%2fetc%2fpasswd',
    `/media/${BLOB}`,
    `/media/${name}/`.replace(/\/$/, '%2f'),
    path.replace('.png', '.jpg'),
    path.replace('.png', ''),
    `${path}x`,
    path.replace('/media/', '/media/A'),
    new URL(addresses('another secret').urlOf(FILE)).pathname,
    gone,
  ];
  for (const each of others) {
    const { status, headers, body } = await read('GET', each);
    expect([each, status, headers.get('cache-control'), JSON.parse(body.toString()).error.code]).toEqual([
      each,
      404,
      'private, no-store',
      'not_found',
    ]);
  }
  expect((await read('POST', path)).status).toBe(405);
});

test('names end in the extension that Networks need, can not be guessed from each other, and outlive a change of the secret', () => {
  const [a, b] = [addresses(), addresses('the next secret', [SECRET])];
  const urls = ['image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime'].map((contentType) =>
    a.urlOf({ blob: BLOB, contentType }),
  );
  expect(urls.map((url) => url.slice(url.lastIndexOf('.')))).toEqual(['.jpg', '.png', '.webp', '.mp4', '.mov']);
  const names = urls.map((url) => url.slice(url.lastIndexOf('/') + 1));
  expect(new Set(names.map((name) => name.slice(0, 22))).size).toBe(5);
  for (const name of names) expect(b.open(name)).toEqual(a.open(name));
  expect(a.open(names[0]!)).toEqual({ blob: BLOB, contentType: 'image/jpeg' });
  expect(addresses('the next secret').open(names[0]!)).toBeNull();
  expect(() => a.urlOf({ blob: BLOB, contentType: 'text/html' })).toThrow('text/html');
});

test('readers beyond the limit are refused with Retry-After', async () => {
  const large = { blob: 'assets/01890000-0000-7000-8000-000000000001/original/1', contentType: 'video/mp4' };
  await open.world.blobs.put(large.blob, Readable.from([Buffer.alloc(30_000_000)]), { maxBytes: 30_000_000 });
  const at = pathOf(large);
  const stuck = [1, 2].map(() => {
    const socket = connect(open.harness.service.address().port, '127.0.0.1');
    socket.write(`GET ${at} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket.on('error', () => {}).once('readable', () => {});
  });
  try {
    await until(() => open.clock.armed() === 2, { what: 'one served, the other one waiting' });
    const answered = read('HEAD', path);
    await until(() => open.clock.armed() === 3, { what: 'a third one waiting' });
    await open.clock.advance(5_000);
    const busy = await answered;
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1']);
  } finally {
    stuck.forEach((socket) => socket.destroy());
  }
  await until(async () => (await read('HEAD', path)).status === 200, { what: 'a free place' });
  expect(open.harness.reporter.failures()).toEqual([]);
});

describe('a range of an empty file', () => {
  test.each([
    ['bytes=0-', 'none'],
    ['bytes=-1', 'none'],
    [undefined, 'all'],
  ] as const)('%s is %s', (header, expected) => {
    expect(rangeOf(header, 0)).toBe(expected);
  });
});
