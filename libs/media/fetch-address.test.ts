import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createPublicHttp } from '#adapters/undici/public-http.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import type { AcceptedType } from '#domain/media/file-facts.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import {
  answer,
  startMisbehavingReceiver,
  type Behaviour,
  type MisbehavingReceiver,
} from '#testing/misbehaving-receiver.ts';
import { until } from '#testing/until.ts';
import { fetchAddress, type FetchLimits } from './fetch-address.ts';

let receiver: MisbehavingReceiver;
beforeEach(async () => void (receiver = await startMisbehavingReceiver({ name: 'files.test' })));
afterEach(() => receiver.close());

interface Given {
  readonly url?: string;
  readonly expected?: { readonly contentType: AcceptedType; readonly bytes: number | null };
  readonly limits?: Partial<FetchLimits>;
  readonly into?: (content: Readable) => Promise<unknown>;
  readonly signal?: AbortSignal;
}

async function takeAll(content: Readable): Promise<Buffer> {
  return Buffer.concat(await content.toArray());
}

function fetchFile(
  behaviours: readonly Behaviour[],
  {
    url = 'https://files.test/a.png',
    expected = { contentType: 'image/png', bytes: 1_000 },
    limits = {},
    into = takeAll,
    signal,
  }: Given = {},
) {
  receiver.behave(...behaviours);
  const http = createPublicHttp({ overrides: [receiver.override], lookup: async () => ['10.0.0.1'] });
  return fetchAddress(
    { url, expected, into, ...(signal === undefined ? {} : { signal }) },
    { http, clock: createSystemClock(), limits },
  );
}

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(992, 7)]);
const file = (body: Uint8Array, headers: Readonly<Record<string, string>> = { 'content-type': 'image/png' }) =>
  answer(200, { headers, body });
const shaOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each<[what: string, behaviour: Behaviour, given: Given, bytes: Buffer]>([
  ['as it was', file(PNG), {}, PNG],
  ['smaller than it was', file(PNG.subarray(0, 500)), {}, PNG.subarray(0, 500)],
  ['of a size nobody knew', file(PNG), { expected: { contentType: 'image/png', bytes: null } }, PNG],
  ['of a type that its server does not say', file(PNG, { 'content-type': 'application/octet-stream' }), {}, PNG],
  [
    'that came in pieces without a length',
    file(PNG, { 'content-type': 'image/png', 'transfer-encoding': 'chunked' }),
    {},
    PNG,
  ],
])('a file %s is fetched, whole and with its hash', async (_what, behaviour, given, bytes) => {
  expect(await fetchFile([behaviour], given)).toEqual({
    kind: 'fetched',
    bytes: bytes.length,
    sha256: shaOf(bytes),
    stored: bytes,
  });
  expect(receiver.requests.map(({ method }) => method)).toEqual(['GET']);
});

test.each<[what: string, behaviour: Behaviour, detail: string]>([
  [
    'has another type',
    file(PNG, { 'content-type': 'image/jpeg' }),
    'The address has image/jpeg now; it had image/png when the Post was made.',
  ],
  [
    'has a type that is not taken',
    file(PNG, { 'content-type': 'text/html' }),
    'The address has text/html; a file must be JPEG, PNG, WebP, MP4 or MOV.',
  ],
  [
    'has other bytes under a type it does not say',
    file(Buffer.from('\xff\xd8\xff\xe0aaaaaaaaaaaaaaaaaa', 'latin1'), {}),
    'The address has image/jpeg now; it had image/png when the Post was made.',
  ],
  [
    'has bytes of no kind under a type it does not say',
    file(Buffer.from('<html>'), {}),
    'The address does not say what it has, and it is no JPEG, PNG, WebP, MP4 or MOV file.',
  ],
  [
    'says that it has grown',
    file(Buffer.alloc(1_001)),
    'The file at the address has grown: it had 1 KB when the Post was made.',
  ],
  ['is empty', file(Buffer.alloc(0)), 'The file at the address is empty.'],
  [
    'redirects',
    { kind: 'redirect', to: 'https://files.test/b' },
    'The address leads on to another one. Use the one it leads to.',
  ],
  ['is gone', answer(404), 'The address answered 404.'],
  ['forbids it', answer(403), 'The address answered 403.'],
  [
    'sends a part that nobody asked for',
    answer(206, {
      headers: { 'content-type': 'image/png', 'content-range': 'bytes 0-9/1000' },
      body: PNG.subarray(0, 10),
    }),
    'The address answered 206.',
  ],
  [
    'packs it',
    file(PNG, { 'content-type': 'image/png', 'content-encoding': 'br' }),
    'The address has the file packed (Content-Encoding). It must be served as it is.',
  ],
])('an address that %s has changed for good', async (_what, behaviour, detail) => {
  expect(await fetchFile([behaviour])).toEqual({ kind: 'changed', detail });
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a body without end is cut off at what was announced, and at the most there may be', async () => {
  const flood: Behaviour = { kind: 'flood', headers: { 'content-type': 'image/png' } };
  expect(await fetchFile([flood])).toMatchObject({ kind: 'changed', detail: expect.stringMatching(/has grown/) });
  const unannounced = { expected: { contentType: 'image/png', bytes: null }, limits: { maxBytes: 3_000_000 } } as const;
  expect(await fetchFile([flood], unannounced)).toEqual({
    kind: 'changed',
    detail: 'The file at the address is larger than 2 GB.',
  });
  expect(receiver.bytesSent()).toBeLessThan(100_000_000);
});

test.each<[what: string, behaviour: Behaviour, limits: Partial<FetchLimits>, detail: string]>([
  ['is in trouble', answer(503), {}, 'The address answered 503.'],
  ['has had too many questions', answer(429), {}, 'The address answered 429.'],
  [
    'cuts the connection',
    { kind: 'close' },
    {},
    'The address gave no file: files.test closed the connection before its answer was whole.',
  ],
  ['says nothing', { kind: 'hang' }, { silenceMs: 200 }, 'The address does not answer.'],
  [
    'ends half-way',
    answer(200, { headers: { 'content-type': 'image/png', 'content-length': '900' }, body: PNG.subarray(0, 100) }),
    {},
    'The address gave no file: files.test closed the connection before its answer was whole.',
  ],
  [
    'takes longer than there is',
    { kind: 'drip', everyMs: 10, headers: { 'content-type': 'image/png' } },
    { timeoutMs: 400 },
    'The address gave no file: files.test did not answer within 0.4 s.',
  ],
])('an address that %s may be asked again', async (_what, behaviour, limits, detail) => {
  expect(await fetchFile([behaviour], { limits })).toEqual({ kind: 'unreachable', detail });
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('an address that refuses connections may be tried again, a private one may not', async () => {
  expect(await fetchFile([], { url: 'https://cdn.example.com/a.png' })).toEqual({
    kind: 'changed',
    detail: 'cdn.example.com leads to an address that is not on the public internet.',
  });
  await receiver.close();
  expect(await fetchFile([])).toEqual({
    kind: 'unreachable',
    detail: 'The address gave no file: files.test refused the connection.',
  });
});

/** From an address whose pieces come as `pieces` says, by a clock that only `pieces` and `into` move. */
function fetchScripted(
  clock: MemoryClock,
  pieces: AsyncIterable<Uint8Array>,
  into: (content: Readable) => Promise<unknown> = takeAll,
) {
  const http: PublicHttp = {
    send: async () => ({ status: 200, headers: { 'content-type': 'image/png' }, body: pieces }),
  };
  return fetchAddress(
    { url: 'https://files.test/', expected: { contentType: 'image/png', bytes: null }, into },
    { http, clock },
  );
}

test('an address that drips is given up once its pace is known, one that stops at once after thirty seconds', async () => {
  const clock = createMemoryClock();
  const dripping = async function* () {
    for (;;) {
      await clock.advance(10_000);
      yield PNG.subarray(0, 100);
    }
  };
  expect(await fetchScripted(clock, dripping())).toEqual({
    kind: 'unreachable',
    detail: 'The address sends the file too slowly.',
  });
  expect(clock.monotonic()).toBe(30_000);
  let isLeft = false;
  let given = 0;
  const stopping: AsyncIterableIterator<Uint8Array> = {
    async next() {
      await clock.advance(given < 2 ? 29_999 : 30_000);
      // As the port ends an exchange whose signal was aborted.
      if (given === 2) throw new HttpFailure('files.test was not waited for', true);
      given += 1;
      return { done: false, value: Buffer.alloc(2_000_000) };
    },
    return: async () => ((isLeft = true), { done: true, value: undefined }),
    [Symbol.asyncIterator]: () => stopping,
  };
  expect(await fetchScripted(clock, stopping)).toEqual({
    kind: 'unreachable',
    detail: 'The address stopped sending half-way.',
  });
  expect([isLeft, clock.armed()]).toEqual([true, 0]);
});

const PIECE_SECONDS = 10;

/** Sends `bytesPerSecond`, by a clock that only this moves, until `bytes` are sent or it is cut off. */
async function fetchAtPace(bytesPerSecond: number, bytes: number, announced: number | null) {
  const clock = createMemoryClock();
  const full = Buffer.alloc(bytesPerSecond * PIECE_SECONDS, 7);
  const pieces = async function* () {
    for (let left = bytes; left > 0; left -= full.length) {
      await clock.advance(PIECE_SECONDS * 1_000);
      yield full.subarray(0, Math.min(left, full.length));
    }
  };
  const http: PublicHttp = {
    send: async () => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: pieces() }),
  };
  const count = async (content: Readable): Promise<number> => {
    let taken = 0;
    for await (const piece of content as AsyncIterable<Buffer>) taken += piece.length;
    return taken;
  };
  const fetched = await fetchAddress(
    { url: 'https://files.test/', expected: { contentType: 'video/mp4', bytes: announced }, into: count },
    { http, clock },
  );
  return { kind: fetched.kind, seconds: clock.monotonic() / 1_000 };
}

const [KB, MB] = [1_024, 1_024 * 1_024];

test.each<[what: string, pace: number, bytes: number, announced: number | null, withinSeconds: number]>([
  ['2 GB announced, at 32 KB/s', 33 * KB, 2_000 * MB, 2_000 * MB, 60],
  ['2 GB announced, at 512 KB/s', 512 * KB, 2_000 * MB, 2_000 * MB, 60],
  ['nothing announced, at 33 KB/s without end', 33 * KB, 2_000 * MB, null, 320],
  ['nothing announced, at 300 KB/s without end', 300 * KB, 2_000 * MB, null, 500],
])(
  'an address that keeps a place for longer than its file needs is given up: %s',
  async (_what, pace, bytes, announced, withinSeconds) => {
    const { kind, seconds } = await fetchAtPace(pace, bytes, announced);
    expect(kind).toBe('unreachable');
    expect(seconds).toBeLessThanOrEqual(withinSeconds);
  },
);

test.each<[what: string, pace: number, bytes: number, announced: number | null]>([
  ['5 MB at 40 KB/s', 40 * KB, 5 * MB, 5 * MB],
  ['5 MB at 40 KB/s, not announced', 40 * KB, 5 * MB, null],
  ['50 MB at 200 KB/s', 200 * KB, 50 * MB, 50 * MB],
  ['100 MB at 300 KB/s, not announced', 300 * KB, 100 * MB, null],
  ['200 MB at 500 KB/s', 500 * KB, 200 * MB, 200 * MB],
])('an honest address may be slow: %s', async (_what, pace, bytes, announced) => {
  expect((await fetchAtPace(pace, bytes, announced)).kind).toBe('fetched');
});

test('who takes the bytes slowly is not blamed on the address', async () => {
  const clock = createMemoryClock();
  const quick = async function* () {
    for (let piece = 0; piece < 20; piece += 1) yield Buffer.alloc(100_000);
  };
  const slowly = async (content: Readable) => {
    let bytes = 0;
    for await (const piece of content as AsyncIterable<Buffer>) {
      await clock.advance(60_000);
      bytes += piece.length;
    }
    return bytes;
  };
  expect(await fetchScripted(clock, quick(), slowly)).toMatchObject({ kind: 'fetched', stored: 2_000_000 });
});

test('of a fetch that fails half-way the blob store keeps nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fetch-'));
  try {
    const blobs = await createFilesystemBlobStore({ folder });
    const into = (content: Readable) => blobs.put('assets/one', content, { maxBytes: 10_000_000 });
    const half = answer(200, {
      headers: { 'content-type': 'image/png', 'content-length': '900' },
      body: PNG.subarray(0, 100),
    });
    expect(await fetchFile([half], { into, limits: { silenceMs: 200 } })).toMatchObject({ kind: 'unreachable' });
    expect([await blobs.head('assets/one'), await readdir(join(folder, '.incoming'))]).toEqual([null, []]);
    expect(await fetchFile([file(PNG)], { into })).toMatchObject({
      kind: 'fetched',
      stored: { bytes: PNG.length, sha256: shaOf(PNG) },
    });
    expect(await blobs.head('assets/one')).toEqual({ bytes: PNG.length });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a store's own failure is the caller's, and ends the transfer", async () => {
  const full = async (content: Readable) =>
    pipeline(content, async (pieces: AsyncIterable<unknown>) => {
      for await (const _piece of pieces) throw new Error('the disk is full');
    });
  await expect(fetchFile([file(PNG)], { into: full })).rejects.toThrow('the disk is full');
  await expect(
    fetchFile([{ kind: 'flood', headers: { 'content-type': 'image/png' } }], {
      expected: { contentType: 'image/png', bytes: null },
      into: full,
    }),
  ).rejects.toThrow('the disk is full');
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a signal ends it with its own reason, before and on the way', async () => {
  await expect(fetchFile([file(PNG)], { signal: AbortSignal.abort(new Error('drained')) })).rejects.toThrow('drained');
  expect(receiver.connections()).toBe(0);
  const ending = new AbortController();
  const fetched = fetchFile([{ kind: 'hang' }], { signal: ending.signal });
  await until(() => receiver.requests.length === 1, { what: 'the request is there' });
  ending.abort(new Error('drained'));
  await expect(fetched).rejects.toThrow('drained');
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});
