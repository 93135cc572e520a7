import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { originalBlob } from '#domain/media/blob-names.ts';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { until } from '#testing/until.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const PLACES = 64;
/** More than kernels keep for a connection. */
const LARGE = 64_000_000;
const PIECE = Buffer.alloc(64 * 1024, 'p');
const CONTENT_TYPE = 'video/mp4';
const addresses = createMediaAddresses({ baseUrl: () => 'http://a', secret: 'a secret of the installation' });

let open: OpenWorld;
const sockets = new Set<Socket>();
const sizes = new Map<string, number>();

beforeEach(async () => {
  open = await openIngressWorld({ mediaReadersAtOnce: PLACES, trustedProxies: ['loopback'] });
  // In pieces, as stores give files.
  const get = async (name: string) => Readable.from(piecesOf(sizes.get(name)!), { objectMode: false });
  Object.assign(open.world.blobs, { head: async (name: string) => ({ bytes: sizes.get(name)! }), get });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await open[Symbol.asyncDispose]();
});

function* piecesOf(bytes: number): Generator<Buffer> {
  for (let from = 0; from < bytes; from += PIECE.length) yield PIECE.subarray(0, bytes - from);
}

/** The path of a file of a new Workspace. */
async function fileOf(bytes: number): Promise<string> {
  const scenario = open.world.workspace();
  const { apiKey: key } = await open.world.key(scenario);
  const reserved = await open.harness.call('POST', '/api/media', {
    key,
    body: { filename: 'a.mp4', contentType: CONTENT_TYPE, bytes },
  });
  const file = { blob: originalBlob(reserved.body.data.assetId, 'one'), contentType: CONTENT_TYPE };
  sizes.set(file.blob, bytes);
  return new URL(addresses.urlOf(file)).pathname;
}

interface Reader {
  readonly socket: Socket;
  readonly heard: () => string;
}

/** Asks for a file from an address, and reads no more than the beginning of the answer. */
function stall(path: string, from: string): Reader {
  const socket = connect(open.harness.service.address().port, '127.0.0.1');
  sockets.add(socket);
  let heard = '';
  socket
    .setEncoding('latin1')
    .on('error', () => {})
    .once('data', (data: string) => {
      heard = data;
      socket.pause();
    });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${from}\r\n\r\n`);
  return { socket, heard: () => heard };
}

const served = (readers: readonly Reader[]): number =>
  readers.filter(({ heard }) => heard().startsWith('HTTP/1.1 200')).length;

async function stallAll(path: string, from: (n: number) => string, count: number): Promise<readonly Reader[]> {
  const readers = Array.from({ length: count }, (_, n) => stall(path, from(n)));
  await until(
    async () => {
      await open.clock.advance(1);
      return (
        served(readers) >= PLACES / 8 && (readers.every(({ heard }) => heard() !== '') || open.clock.armed() >= count)
      );
    },
    { what: 'every reader to be served or to wait' },
  );
  return readers;
}

const read = (path: string, from: string, method = 'GET') =>
  open.harness.call(method, path, { headers: { 'X-Forwarded-For': from } });

test('a client that reads slowly keeps no other client from reading', async () => {
  const path = await fileOf(LARGE);
  const readers = await stallAll(path, () => '192.0.2.1', PLACES);
  for (let n = 2; n < 6; n++) expect((await read(path, `198.51.100.${n}`, 'HEAD')).status).toBe(200);
  await until(() => served(readers) === PLACES / 4, { what: 'the share of the one address served' });
  await open.clock.advance(10_000);
  await until(() => readers.every(({ heard }) => heard() !== ''), { what: 'an answer to each' });
  const refused = readers.filter(({ heard }) => heard().startsWith('HTTP/1.1 503'));
  expect(refused.length).toBe(PLACES - PLACES / 4);
  expect(refused[0]?.heard()).toMatch(/Retry-After: 11\r\n[^]*Too many files are being read at once from your address/);
  expect(open.harness.reporter.of('pool-saturated')[0]?.facts).toMatchObject({ pool: 'media-reads', limit: 'client' });
});

test('addresses of one IPv6 network count as one client', async () => {
  const path = await fileOf(LARGE);
  await stallAll(path, (n) => `2001:db8:1:2::${n.toString(16)}`, PLACES);
  expect((await read(path, '2001:db8:1:3::1', 'HEAD')).status).toBe(200);
});

test("readers of one Workspace's file, from any number of addresses, keep no file of another from being read", async () => {
  const [crowded, path] = [await fileOf(LARGE), await fileOf(1_000)];
  const readers = await stallAll(crowded, (n) => `192.0.2.${n}`, PLACES);
  for (let n = 0; n < 4; n++) expect((await read(path, '192.0.2.1')).status).toBe(200);
  await until(() => served(readers) === PLACES / 2, { what: 'the share of the one Workspace served' });
});

test('a burst of readers from one address waits, and each reader is served', async () => {
  const path = await fileOf(1_000);
  const answers = await Promise.all(Array.from({ length: 3 * PLACES }, () => read(path, '192.0.2.1')));
  expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
});

test('a reader slower than the minimum pace is cut off, one above it is not', async () => {
  const path = await fileOf(LARGE);
  const [stalled, slow] = [stall(path, '192.0.2.1'), stall(path, '192.0.2.2')];
  await until(() => stalled.heard() !== '' && slow.heard() !== '', { what: 'both served' });
  let [taken, wanted] = [0, 0];
  // Stops by itself: between two looks a fast machine would take all of the file.
  slow.socket.on('data', (data: string) => {
    taken += data.length;
    if (taken >= wanted) slow.socket.pause();
  });
  slow.socket.pause();
  /**
   * A megabyte and more, which is the least that a kernel tells of: far below a second's worth of the slowest Network.
   */
  const takeSome = async () => {
    wanted = taken + 8_000_000;
    slow.socket.resume();
    await until(() => taken >= wanted || slow.socket.destroyed, { what: 'more of it' });
  };
  for (let n = 0; n < 4; n++) {
    await takeSome();
    await open.clock.advance(MIN_CLIENT_PACE.windowMs);
  }
  stalled.socket.resume();
  await until(() => stalled.socket.destroyed, { what: 'the end of the one that stalled' });
  expect([
    slow.socket.destroyed,
    open.harness.reporter.of('slow-client-disconnected').map(({ facts }) => [facts['pool'], facts['client']]),
  ]).toEqual([false, [['media-reads', '192.0.2.1']]]);
  expect(open.harness.reporter.failures()).toEqual([]);
});

test('without trusted proxies a forwarded address is ignored', async () => {
  await using harness = await openIngressWorld({ mediaReadersAtOnce: 8 });
  const { assetId } = (
    await harness.harness.call('POST', '/api/media', {
      key: harness.key,
      body: { filename: 'a.mp4', contentType: CONTENT_TYPE, bytes: 10 },
    })
  ).body.data;
  const file = { blob: originalBlob(assetId, 'one'), contentType: CONTENT_TYPE };
  let served = 0;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  Object.assign(harness.world.blobs, { head: async () => (served++, await ended, { bytes: 10 }) });
  const asked = Array.from({ length: 8 }, (_, n) =>
    harness.harness.call('HEAD', new URL(addresses.urlOf(file)).pathname, {
      headers: { 'X-Forwarded-For': `192.0.2.${n}` },
    }),
  );
  await until(() => served + harness.clock.armed() >= 8, { what: 'every reader to be served or to wait' });
  expect(served).toBe(2);
  end();
  expect((await Promise.all(asked)).every(({ status }) => status === 200)).toBe(true);
});
