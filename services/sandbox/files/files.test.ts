import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { box, movieOfTracks } from '#media/hostile-files.fixture.ts';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryDownload } from '#adapters/memory/download.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import type { Download } from '#ports/download.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { readRequest } from '../exchange.ts';
import { createRemoteIds } from '../remote-ids.ts';
import { createHarness } from '../sandbox.fixture.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createFetchFile, noDownload } from './fetch-file.ts';
import { createFolderBytes, createMemoryBytes } from './file-bytes.ts';
import { createFiles } from './files.ts';
import { lookAt } from './probe.ts';
import { filePath, serveFile } from './serve-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const remoteIds = () => createRemoteIds(createMemoryClock(), createSeededIds(1));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each([
  ['in memory', createMemoryBytes],
  ['in a folder', () => createFolderBytes(join(folder, 'bytes'))],
])('files %s', (_where, createBytes) => {
  const open = () => createFiles(createMemoryStore(), createBytes(), remoteIds());

  test.each(Object.entries(MEDIA_FIXTURES))(
    '%s is recognised',
    (_name, { bytes, contentType, width, height, durationMs }) => {
      const files = open();
      const file = files.keep(bytes);
      expect(file).toEqual({
        sha256: sha256(bytes),
        bytes: bytes.length,
        contentType,
        width,
        height,
        durationMs: durationMs ?? 0,
        hasAudio: durationMs !== null,
      });
      expect(sha256(files.read(file.sha256, 0, file.bytes))).toBe(file.sha256);
    },
  );

  test('parts are accepted in any order, and repeatedly', () => {
    const files = open();
    const { bytes } = MEDIA_FIXTURES.reel;
    const uploadId = files.open();
    const cut = 20_000;
    files.write(uploadId, cut, bytes.subarray(cut));
    files.write(uploadId, 0, bytes.subarray(0, cut));
    files.write(uploadId, 0, bytes.subarray(0, cut));
    expect(files.size(uploadId)).toBe(bytes.length);
    expect(files.seal(uploadId).sha256).toBe(sha256(bytes));
    expect(files.size(uploadId)).toBe(0);
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['text', Buffer.from('no picture at all')],
    ['half a picture', MEDIA_FIXTURES.photo.bytes.subarray(0, 10)],
    ['half a film', MEDIA_FIXTURES.reel.bytes.subarray(0, 60)],
    [
      'a film whose boxes lie',
      Buffer.concat([
        Buffer.from([0, 0, 0, 16]),
        Buffer.from('ftypisom0000'),
        Buffer.from([0, 0, 0, 1]),
        Buffer.from('moov'),
        Buffer.alloc(8, 255),
      ]),
    ],
  ])('%s is of no type, and kept', (_name, bytes) => {
    const file = open().keep(bytes);
    expect(file).toEqual({
      sha256: sha256(bytes),
      bytes: bytes.length,
      contentType: '',
      width: 0,
      height: 0,
      durationMs: 0,
      hasAudio: false,
    });
  });

  test('a discarded upload is gone', () => {
    const files = open();
    const uploadId = files.open();
    files.write(uploadId, 0, Buffer.from('abc'));
    files.discard(uploadId);
    expect(files.size(uploadId)).toBe(0);
  });
});

test.each<[string, () => Uint8Array]>([
  ['100,000 tracks', () => movieOfTracks(100_000)],
  [
    'a track of 100,000 boxes',
    () =>
      Buffer.concat([box('ftyp', 'isom'), box('moov', box('mvhd'), box('trak', Buffer.alloc(800_000, box('free'))))]),
  ],
  [
    '100,000 boxes before its index',
    () => Buffer.concat([box('ftyp', 'isom'), Buffer.alloc(800_000, box('free')), MEDIA_FIXTURES.reel.bytes]),
  ],
])('a movie of %s is of no type, which a few reads decide', (_name, make) => {
  const movie = make();
  let reads = 0;
  const look = lookAt((from, to) => {
    reads += 1;
    return movie.subarray(from, to);
  }, movie.length);
  expect(look.contentType).toBe('');
  expect(reads).toBeLessThan(3_000);
});

test('a file is fetched whole or not at all', async () => {
  const files = createFiles(createMemoryStore(), createMemoryBytes(), remoteIds());
  const { bytes, contentType } = MEDIA_FIXTURES.photo;
  const fetchFile = createFetchFile({
    download: createMemoryDownload(new Map([['https://media.test/a', { contentType, bytes }]])),
    files,
    mediaUrl: () => 'https://media.test',
  });
  expect((await fetchFile('https://media.test/a', bytes.length))?.sha256).toBe(sha256(bytes));
  expect(await fetchFile('https://media.test/a', bytes.length - 1)).toBeNull();
  for (const url of ['https://media.test/b', 'file:///etc/passwd', 'nonsense', ''])
    expect(await fetchFile(url, 1_000_000)).toBeNull();
});

test.each([
  ...['http://media.test:8080/a', 'http://media.test:8080', 'http://someone@media.test:8080/a'].map(
    (url) => [true, url] as const,
  ),
  ...[
    'http://media.test/a',
    'http://media.test:8081/a',
    'https://media.test:8080/a',
    'http://media.test.evil.test:8080/a',
    'http://media.test:8080@evil.test/a',
  ].map((url) => [false, url] as const),
  ...[
    'http://127.0.0.1:8080/a',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:8080/a',
    'ftp://media.test:8080/a',
    'media.test:8080/a',
  ].map((url) => [false, url] as const),
])('files are requested from our own origin and nowhere else: %s, %s', async (isOurs, url) => {
  const asked: string[] = [];
  const download: Download = { get: (request) => (asked.push(request.url), noDownload.get(request)) };
  const fetchFile = createFetchFile({
    download,
    files: createFiles(createMemoryStore(), createMemoryBytes(), remoteIds()),
    mediaUrl: () => 'http://media.test:8080/files/',
  });
  expect(await fetchFile(url, 1_000)).toBeNull();
  expect(asked).toEqual(isOurs ? [url] : []);
});

test('a sandbox without an origin of files requests none', async () => {
  const asked: string[] = [];
  const files = createFiles(createMemoryStore(), createMemoryBytes(), remoteIds());
  const fetchFile = createFetchFile({
    download: { get: (request) => (asked.push(request.url), noDownload.get(request)) },
    files,
    mediaUrl: () => null,
  });
  expect([await fetchFile('http://media.test/a', 1_000), asked]).toEqual([null, []]);
});

test.each([
  ['', 200, 0, 23_891],
  ['bytes=0-', 206, 0, 23_891],
  ['bytes=100-199', 206, 100, 200],
  ['bytes=-10', 206, 23_881, 23_891],
  ['bytes=23890-99999', 206, 23_890, 23_891],
  ['bytes=23891-', 416, 0, 0],
  ['bytes=5-2', 416, 0, 0],
  ['lines=1-2', 200, 0, 23_891],
])('the range %j of a file is answered with %i', (range, status, from, to) => {
  const files = createFiles(createMemoryStore(), createMemoryBytes(), remoteIds());
  const { bytes } = MEDIA_FIXTURES.photo;
  const { sha256: name } = files.keep(bytes);
  const request = readRequest({ method: 'GET', url: filePath(name), headers: { range }, body: new Uint8Array() });
  const answer = serveFile(request, name, files);
  expect([answer.status, answer.headers['content-range']]).toEqual([
    status,
    status === 200 ? undefined : status === 416 ? 'bytes */23891' : `bytes ${from}-${to - 1}/23891`,
  ]);
  expect(Buffer.from(answer.body)).toEqual(Buffer.from(bytes.subarray(from, to)));
});

test('the address of a missing file answers 404', async () => {
  expect((await createHarness().ask('GET', filePath('0'.repeat(64)))).status).toBe(404);
});

test('a multipart body is parsed; any other is null', async () => {
  const form = new FormData();
  form.set('media', new Blob([new Uint8Array(MEDIA_FIXTURES.photo.bytes)]), 'a.jpg');
  form.set('segment_index', '3');
  const whole = new Response(form);
  const type = whole.headers.get('content-type')!;
  const body = await whole.bytes();
  const partsOf = (headers: Record<string, string>, sent: Uint8Array) =>
    readRequest({ method: 'POST', url: '/', headers, body: sent }).parts();
  const parts = (await partsOf({ 'Content-Type': type }, body))!;
  expect(parts.get('segment_index')).toBe('3');
  expect(sha256(await (parts.get('media') as File).bytes())).toBe(MEDIA_FIXTURES.photo.sha256);
  expect(await partsOf({ 'Content-Type': type }, body.subarray(0, 500))).toBeNull();
  expect(await partsOf({ 'Content-Type': 'multipart/form-data' }, body)).toBeNull();
  expect(await partsOf({}, body)).toBeNull();
});
