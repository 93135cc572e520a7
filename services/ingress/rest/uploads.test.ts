import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { until } from '#testing/until.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';
import type { JudgeFile } from '#use-cases/dependencies.ts';
import { createUploadAddresses } from '#use-cases/upload-addresses.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const CONTENT = Buffer.from('a picture, or so it is said');
const MINUTE = 60_000;
const SOME_ID = '01890000-0000-7000-8000-000000000000';
const reservation = (bytes = CONTENT.length) => ({ filename: 'a.png', contentType: 'image/png', bytes });

async function reserve(
  { harness, key }: OpenWorld,
  bytes = CONTENT.length,
): Promise<{ readonly assetId: string; readonly path: string }> {
  const { status, body } = await harness.call('POST', '/api/media', { key, body: reservation(bytes) });
  expect(status).toBe(201);
  return {
    assetId: body.data.assetId,
    path: new URL(body.data.uploadUrl).pathname + new URL(body.data.uploadUrl).search,
  };
}

const put = (
  { harness }: OpenWorld,
  path: string,
  content: Uint8Array | string = CONTENT,
  headers: Record<string, string> = {},
) => harness.call('PUT', path, { body: content, headers: { 'Content-Type': 'image/png', ...headers } });
const complete = ({ harness, key }: OpenWorld, assetId: string) =>
  harness.call('POST', `/api/media/${assetId}/complete`, { key });
const remove = ({ harness, key }: OpenWorld, assetId: string) =>
  harness.call('DELETE', `/api/media/${assetId}`, { key });
const used = async ({ harness, key }: OpenWorld) =>
  (await harness.call('GET', '/api/usage', { key })).body.data.used.storageBytes;
const kept = async ({ world }: OpenWorld) =>
  (await world.blobs.list('', { after: null, limit: 100 })).map(({ bytes }) => bytes);
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.error?.code];

/** A PUT whose body its sender goes on with, or not, as it likes. */
function begin(
  { harness }: OpenWorld,
  path: string,
  headers: string,
): { readonly socket: Socket; readonly heard: () => string } {
  const socket = connect(harness.service.address().port, '127.0.0.1');
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\n${headers}\r\n\r\n`);
  let heard = '';
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => (heard += data))
    .on('error', () => {});
  return { socket, heard: () => heard };
}

test('a file that is reserved, sent and completed has the type of its bytes, and completing again returns the same', async () => {
  await using open = await openIngressWorld();
  const { body } = await open.harness.call('POST', '/api/media', { key: open.key, body: reservation() });
  expect(body.data).toEqual({
    assetId: expect.any(String),
    uploadUrl: expect.stringMatching(`^${open.harness.url}/uploads/`),
    expiresAt: new Date(open.clock.now() + 15 * MINUTE).toISOString(),
  });
  expect(await used(open)).toBe(CONTENT.length);
  const { assetId, uploadUrl } = body.data;
  const sent = await put(open, uploadUrl.slice(open.harness.url.length));
  expect([sent.status, sent.body, sent.headers.get('content-type'), sent.headers.get('ratelimit-limit')]).toEqual([
    204,
    '',
    null,
    null,
  ]);
  for (const _ of [1, 2])
    expect(await complete(open, assetId)).toMatchObject({
      status: 200,
      body: { data: { assetId, kind: 'image', contentType: 'image/png', bytes: CONTENT.length } },
    });
  expect([await used(open), await kept(open)]).toEqual([CONTENT.length, [CONTENT.length]]);
});

test('of files sent one after the other the last whole one is stored; once completed none replaces it', async () => {
  await using open = await openIngressWorld();
  const { assetId, path } = await reserve(open);
  const later = Buffer.from(CONTENT.toString().toUpperCase());
  expect((await put(open, path)).status).toBe(204);
  expect((await put(open, path, later)).status).toBe(204);
  expect((await put(open, path, later.subarray(1))).status).toBe(409);
  expect((await complete(open, assetId)).status).toBe(200);
  expect(codeOf(await put(open, path))).toEqual([403, 'forbidden']);
  const { blob } = open.scenario.assets.get(assetId)!;
  expect(await buffer(await open.world.blobs.get(blob!))).toEqual(later);
  expect(await kept(open)).toEqual([later.length]);
});

test('a file that is still being sent when the upload is completed changes nothing, and is not stored', async () => {
  await using open = await openIngressWorld();
  const { assetId, path } = await reserve(open);
  const slow = begin(open, path, `Content-Length: ${CONTENT.length}`);
  slow.socket.write(CONTENT.subarray(0, 5));
  expect((await put(open, path)).status).toBe(204);
  expect((await complete(open, assetId)).status).toBe(200);
  slow.socket.write(Buffer.from('other content, as long as it'.slice(0, CONTENT.length - 5)));
  await until(() => slow.heard() !== '', { what: 'an answer' });
  expect(slow.heard()).toMatch(/^HTTP\/1.1 403 /);
  slow.socket.destroy();
  expect(await kept(open)).toEqual([CONTENT.length]);
});

test('refusals of a reservation name their reasons', async () => {
  await using open = await openIngressWorld();
  const { harness, key } = open;
  const cases: readonly (readonly [object | string, number, string])[] = [
    [{}, 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
    [{ ...reservation(), size: 1 }, 400, 'invalid_request'],
    [{ ...reservation(), bytes: '5' }, 400, 'invalid_request'],
    [{ ...reservation(), bytes: 0 }, 400, 'invalid_request'],
    [{ ...reservation(), bytes: -1 }, 400, 'invalid_request'],
    [{ ...reservation(), bytes: 1.5 }, 400, 'invalid_request'],
    [{ ...reservation(), bytes: 1e300 }, 400, 'invalid_request'],
    [{ ...reservation(), filename: '' }, 400, 'invalid_request'],
    [{ ...reservation(), filename: 'a'.repeat(256) }, 400, 'invalid_request'],
    [{ ...reservation(), contentType: 5 }, 400, 'invalid_request'],
    [{ ...reservation(), contentType: 'image/gif' }, 422, 'media_unacceptable'],
    [{ ...reservation(), contentType: '' }, 422, 'media_unacceptable'],
    [{ ...reservation(), contentType: 'text/html; image/png' }, 422, 'media_unacceptable'],
    [{ ...reservation(), bytes: 2 * 1024 ** 3 + 1 }, 422, 'media_unacceptable'],
  ];
  for (const [body, status, code] of cases)
    expect([body, ...codeOf(await harness.call('POST', '/api/media', { key, body }))]).toEqual([body, status, code]);
  expect(
    (
      await harness.call('POST', '/api/media', {
        key,
        body: { ...reservation(2 * 1024 ** 3), filename: '…/ä 🙂.png', contentType: 'Image/PNG' },
      })
    ).status,
  ).toBe(201);
  expect(codeOf(await harness.call('POST', '/api/media', { body: reservation() }))).toEqual([401, 'unauthorized']);
  expect(codeOf(await harness.call('GET', '/api/media', { key }))).toEqual([405, 'method_not_allowed']);
});

test('beyond the Plan nothing is reserved, and the Plan with room is named', async () => {
  await using open = await openIngressWorld();
  open.scenario.must({ type: 'SetPlan', plan: 'free', effectiveAt: null });
  await reserve(open, 1024 ** 3);
  const { status, body } = await open.harness.call('POST', '/api/media', { key: open.key, body: reservation() });
  expect([status, body.error.code, body.error.upgrade.plan]).toEqual([422, 'plan_limit', 'pro']);
});

test('an altered address accepts no file', async () => {
  await using open = await openIngressWorld();
  const { path } = await reserve(open);
  const [room, query] = path.split('?') as [string, string];
  const other = (await reserve(open)).path.split('?')[0]!;
  const last = query.at(-1) === 'A' ? 'B' : 'A';
  const altered = [
    `${other}?${query}`,
    path.replace(/bytes=\d+/, 'bytes=9999'),
    path.replace('image%2Fpng', 'image%2Fjpeg'),
    path.replace(/expires=(\d)/, 'expires=9'),
    path.slice(0, -1),
    `${path.slice(0, -1)}${last}`,
    `${path}&bytes=5`,
    `${path}&more=1`,
    room,
    `${room}?signature=`,
    path.replace('/uploads/', '/uploads/x'),
    createUploadAddresses('a secret of another one').pathOf({
      assetId: SOME_ID,
      contentType: 'image/png',
      bytes: CONTENT.length,
      expiresAt: open.clock.now() + MINUTE,
    }),
  ];
  for (const each of altered) expect([each, ...codeOf(await put(open, each))]).toEqual([each, 403, 'forbidden']);
  expect(await kept(open)).toEqual([]);
});

test('a file other than the reserved one is refused, and nothing of it is stored', async () => {
  await using open = await openIngressWorld();
  const { path } = await reserve(open);
  const chunked = async (content: Buffer) => {
    const response = await fetch(open.harness.url + path, {
      method: 'PUT',
      headers: { 'Content-Type': 'image/png' },
      body: Readable.toWeb(Readable.from([content])) as ReadableStream,
      duplex: 'half',
    });
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
  };
  expect(codeOf(await put(open, path, Buffer.concat([CONTENT, CONTENT])))).toEqual([413, 'too_large']);
  expect(codeOf(await put(open, path, CONTENT.subarray(1)))).toEqual([409, 'upload_incomplete']);
  expect(codeOf(await put(open, path, ''))).toEqual([409, 'upload_incomplete']);
  expect(await chunked(Buffer.concat([CONTENT, CONTENT]))).toEqual([413, 'too_large']);
  expect(await chunked(CONTENT.subarray(1))).toEqual([409, 'upload_incomplete']);
  for (const type of ['image/jpeg', 'text/html', '', 'image/png2'])
    expect([type, ...codeOf(await put(open, path, CONTENT, { 'Content-Type': type }))]).toEqual([
      type,
      415,
      'unsupported_media_type',
    ]);
  expect(codeOf(await put(open, path, CONTENT, { 'Content-Encoding': 'gzip' }))).toEqual([
    415,
    'unsupported_media_type',
  ]);
  expect(codeOf(await put(open, path, CONTENT, { 'Content-Range': 'bytes 0-4/27' }))).toEqual([400, 'invalid_request']);
  const otherMethod = await open.harness.call('POST', path, { body: CONTENT });
  expect([...codeOf(otherMethod), otherMethod.headers.get('allow')]).toEqual([405, 'method_not_allowed', 'PUT']);
  expect(await kept(open)).toEqual([]);
  expect(
    (await put(open, path, CONTENT, { 'Content-Type': 'Image/PNG; name=a', Authorization: 'Bearer nobody' })).status,
  ).toBe(204);
});

test('an upload that was not sent whole is refused when completed, and removed', async () => {
  await using open = await openIngressWorld();
  const { assetId, path } = await reserve(open);
  expect(codeOf(await complete(open, assetId))).toEqual([409, 'upload_incomplete']);
  expect(await used(open)).toBe(0);
  expect(codeOf(await complete(open, assetId))).toEqual([409, 'upload_incomplete']);
  expect(codeOf(await remove(open, assetId))).toEqual([404, 'not_found']);
  await open.world.uploads.abandon(assetId);
  expect(codeOf(await put(open, path))).toEqual([403, 'forbidden']);
  expect(await kept(open)).toEqual([]);
});

test('after the window the address accepts no file, and completing is refused', async () => {
  await using open = await openIngressWorld();
  const [sent, open2] = [await reserve(open), await reserve(open)];
  expect((await put(open, sent.path)).status).toBe(204);
  await open.clock.advance(15 * MINUTE);
  expect(codeOf(await put(open, open2.path))).toEqual([403, 'forbidden']);
  await open.clock.advance(1);
  expect(codeOf(await complete(open, sent.assetId))).toEqual([409, 'upload_incomplete']);
  open.scenario.advance(15 * MINUTE);
  expect(codeOf(await complete(open, open2.assetId))).toEqual([409, 'upload_incomplete']);
  expect(await used(open)).toBe(0);
});

test('a file that is still being sent when the window ends is cut off', async () => {
  await using open = await openIngressWorld();
  const { path } = await reserve(open);
  await open.clock.advance(15 * MINUTE - MIN_CLIENT_PACE.windowMs / 2);
  const slow = begin(open, path, `Content-Length: ${CONTENT.length}`);
  slow.socket.write(CONTENT.subarray(0, 5));
  await until(() => open.clock.armed() === 1, { what: 'the file to be on its way' });
  await open.clock.advance(MIN_CLIENT_PACE.windowMs / 2);
  await until(() => slow.heard() !== '', { what: 'an answer' });
  expect(slow.heard()).toMatch(/^HTTP\/1.1 403 /);
  await open.clock.advance(5_000);
  await until(() => slow.socket.destroyed, { what: 'the end of the connection' });
  expect(await kept(open)).toEqual([]);
});

test('a client below the minimum pace loses its slot', async () => {
  await using open = await openIngressWorld({ uploadsAtOnce: 1 });
  const { path } = await reserve(open);
  const slow = begin(open, path, `Content-Length: ${CONTENT.length}`);
  slow.socket.write(CONTENT.subarray(0, 5));
  await until(() => open.clock.armed() === 1, { what: 'the file to be on its way' });
  const busy = await put(open, path);
  expect([...codeOf(busy), busy.headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
  await open.clock.advance(MIN_CLIENT_PACE.windowMs);
  await until(() => slow.heard() !== '', { what: 'an answer' });
  expect(slow.heard()).toMatch(/^HTTP\/1.1 400 /);
  slow.socket.destroy();
  expect((await put(open, path)).status).toBe(204);
});

test('a client that disconnects leaves no file, and its slot is free', async () => {
  await using open = await openIngressWorld({ uploadsAtOnce: 1 });
  const { path } = await reserve(open);
  for (const framing of [`Content-Length: ${CONTENT.length}`, 'Transfer-Encoding: chunked']) {
    const gone = begin(open, path, framing);
    gone.socket.write(framing.startsWith('C') ? CONTENT.subarray(0, 5) : `5\r\n${CONTENT.toString().slice(0, 5)}\r\n`);
    await until(() => open.clock.armed() === 1, { what: 'the file to be on its way' });
    gone.socket.destroy();
    await until(() => open.clock.armed() === 0, { what: 'its end' });
  }
  expect(await kept(open)).toEqual([]);
  expect((await put(open, path)).status).toBe(204);
  expect(open.harness.reporter.failures()).toEqual([]);
});

const FULL = new PortError('unavailable', 'the disk is full');

test('when the blob store fails the upload is refused, nothing is stored, and the file may be sent again', async () => {
  await using open = await openIngressWorld();
  const { path } = await reserve(open);
  const { put: store } = open.world.blobs;
  Object.assign(open.world.blobs, {
    put: async (_name: string, source: Readable) => (source.destroy(), Promise.reject(FULL)),
  });
  const refused = await put(open, path);
  expect([...codeOf(refused), refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
  Object.assign(open.world.blobs, { put: store });
  expect((await put(open, path)).status).toBe(204);
});

test('when the blob store refuses unread, who sends all before it reads learns it, and nothing waits any more', async () => {
  await using open = await openIngressWorld();
  // More than kernels take of a request that nobody reads.
  const large = Buffer.alloc(16_000_000);
  const { path } = await reserve(open, large.length);
  Object.assign(open.world.blobs, {
    put: async (_name: string, source: Readable) => (source.destroy(), Promise.reject(FULL)),
  });
  const sender = begin(open, path, `Content-Length: ${large.length}`);
  sender.socket.pause();
  sender.socket.write(large);
  await until(() => sender.socket.writableLength === 0, { what: 'all of it sent', withinMs: 10_000 });
  await until(() => open.clock.armed() === 0, { what: 'nothing to wait', withinMs: 10_000 });
  sender.socket.resume();
  await until(() => sender.heard().endsWith('}'), { what: 'an answer' });
  expect(sender.heard()).toMatch(/^HTTP\/1.1 503 [^]*Retry-After: 5\r\n/);
  sender.socket.destroy();
});

test.each([
  ['unavailable', 0],
  ['unknown', 1],
] as const)(
  'a row that can not be written (%s) leaves %d blobs: a file that a row may name is not deleted',
  async (kind, left) => {
    await using open = await openIngressWorld();
    const { path } = await reserve(open);
    const { arrive } = open.world.uploads;
    Object.assign(open.world.uploads, { arrive: () => Promise.reject(new PortError(kind, 'the store is away')) });
    expect(codeOf(await put(open, path))).toEqual([503, 'unavailable']);
    expect((await kept(open)).length).toBe(left);
    Object.assign(open.world.uploads, { arrive });
    expect((await put(open, path)).status).toBe(204);
  },
);

test('where a file says more than it shows, the copy without that counts, and what was sent is deleted', async () => {
  const bare = Buffer.from('a picture, with no place   ');
  await using open = await openIngressWorld({
    judge: async (_, { blob, bytes }) => {
      const { sha256 } = await open.world.blobs.put(`${blob}-bare`, Readable.from([bare]), { maxBytes: bytes });
      const shown = { kind: 'image', contentType: 'image/png', width: 4, height: 3, durationMs: null } as const;
      return { kind: 'facts', facts: { ...shown, bytes, sha256 }, blob: `${blob}-bare` };
    },
  });
  const { assetId, path } = await reserve(open);
  await put(open, path);
  expect((await complete(open, assetId)).status).toBe(200);
  const [stored, ...others] = await open.world.blobs.list('', { after: null, limit: 100 });
  expect(others).toEqual([]);
  expect(await buffer(await open.world.blobs.get(stored!.name))).toEqual(bare);
  expect((await complete(open, assetId)).status).toBe(200);
  expect(await used(open)).toBe(CONTENT.length);
});

const judgedAs = (judged: Awaited<ReturnType<JudgeFile>>): { readonly judge: JudgeFile } => ({
  judge: async () => judged,
});

test.each([
  ['of no type that is taken', judgedAs({ kind: 'refused', detail: 'This is a GIF.' }), /GIF/],
  [
    'of the other kind',
    judgedAs({
      kind: 'facts',
      blob: 'never',
      facts: {
        kind: 'video',
        contentType: 'video/mp4',
        bytes: 27,
        sha256: 'a'.repeat(64),
        width: 1,
        height: 1,
        durationMs: 1,
      },
    }),
    /image.*video/,
  ],
])('a file %s is refused with a reason, and removed', async (_what, options, words) => {
  await using open = await openIngressWorld(options);
  const { assetId, path } = await reserve(open);
  await put(open, path);
  const answer = await complete(open, assetId);
  expect([...codeOf(answer), await used(open)]).toEqual([422, 'media_unacceptable', 0]);
  expect(answer.body.error.message).toMatch(words);
  expect(codeOf(await complete(open, assetId))).toEqual([422, 'media_unacceptable']);
});

test('a file that can not be judged now is sealed, and completed by the next try', async () => {
  let away = true;
  const judge: JudgeFile = async (_, { blob, bytes, sha256 }) => {
    if (away) throw new PortError('unavailable', 'a tool was killed');
    return {
      kind: 'facts',
      blob,
      facts: { kind: 'image', contentType: 'image/webp', bytes, sha256, width: 1, height: 1, durationMs: null },
    };
  };
  await using open = await openIngressWorld({ judge });
  const { assetId, path } = await reserve(open);
  await put(open, path);
  expect(codeOf(await complete(open, assetId))).toEqual([503, 'unavailable']);
  away = false;
  expect((await complete(open, assetId)).body.data.contentType).toBe('image/webp');
});

test('an upload is removed once, and only by its own Workspace', async () => {
  await using open = await openIngressWorld();
  const { assetId, path } = await reserve(open);
  await put(open, path);
  await complete(open, assetId);
  const stranger = open.world.workspace();
  const { apiKey } = await open.world.key(stranger);
  const theirs = { ...open, key: apiKey };
  expect([codeOf(await complete(theirs, assetId)), codeOf(await remove(theirs, assetId))]).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
  ]);
  expect([
    codeOf(await complete(open, SOME_ID)),
    codeOf(await remove(open, SOME_ID)),
    codeOf(await remove(open, 'x')),
  ]).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
    [400, 'invalid_request'],
  ]);
  const removed = await remove(open, assetId);
  expect([removed.status, removed.body, await used(open)]).toEqual([204, '', 0]);
  expect(codeOf(await remove(open, assetId))).toEqual([404, 'not_found']);
});

test('a file in a Post is not removed', async () => {
  await using open = await openIngressWorld();
  const { assetId, path } = await reserve(open);
  await put(open, path);
  await complete(open, assetId);
  open.scenario.assets.set(assetId, {
    ...open.scenario.assets.get(assetId)!,
    state: 'attached',
    postId: SOME_ID,
    expiresAt: null,
  });
  expect(codeOf(await remove(open, assetId))).toEqual([409, 'media_unavailable']);
  expect((await complete(open, assetId)).status).toBe(200);
});
