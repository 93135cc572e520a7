import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const PLACES = 32;
const MEGABYTE = 1_000_000;
const PICTURE = Buffer.alloc(20_000, 'p');

async function reserve({ harness }: OpenWorld, key: string, bytes: number): Promise<string> {
  const { status, body } = await harness.call('POST', '/api/media', {
    key,
    body: { filename: 'a.png', contentType: 'image/png', bytes },
  });
  expect(status).toBe(201);
  const { pathname, search } = new URL(body.data.uploadUrl);
  return pathname + search;
}

interface Trickle {
  readonly socket: Socket;
  readonly heard: () => string;
}

/** A PUT of `bytes` of which a few are sent. */
function trickle({ harness }: OpenWorld, path: string, bytes: number): Trickle {
  const socket = connect(harness.service.address().port, '127.0.0.1');
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nContent-Length: ${bytes}\r\n\r\nfive!`);
  let heard = '';
  socket
    .setEncoding('latin1')
    .on('data', (data: string) => (heard += data))
    .on('error', () => {});
  return { socket, heard: () => heard };
}

/**
 * As many uploads of one Workspace on their way as there are places. Whether one got a place or was refused, a timer
 * bounds it.
 */
async function trickleAll(open: OpenWorld, key: string): Promise<readonly Trickle[]> {
  const paths = await Promise.all(Array.from({ length: PLACES }, () => reserve(open, key, MEGABYTE)));
  const before = open.clock.armed();
  const trickles = paths.map((path) => trickle(open, path, MEGABYTE));
  await until(() => open.clock.armed() - before === PLACES, { what: 'every upload to be taken in or refused' });
  return trickles;
}

/** Those that were refused, once all are that must be. */
function beyondShare(trickles: readonly Trickle[]): readonly Trickle[] | null {
  const refused = trickles.filter(({ heard }) => heard().endsWith('}'));
  return refused.length >= PLACES - PLACES / 4 ? refused : null;
}

const end = (trickles: readonly Trickle[]): void => trickles.forEach(({ socket }) => socket.destroy());
const put = ({ harness }: OpenWorld, path: string) =>
  harness.call('PUT', path, { body: PICTURE, headers: { 'Content-Type': 'image/png' } });

test('slow uploads of one Workspace keep no upload of another out', async () => {
  await using open = await openIngressWorld({ uploadsAtOnce: PLACES });
  const { apiKey: attacker } = await open.world.key(open.world.workspace());
  const trickles = await trickleAll(open, attacker);
  try {
    for (let n = 0; n < 4; n++)
      expect((await put(open, await reserve(open, open.key, PICTURE.length))).status).toBe(204);
    const refused = await until(() => beyondShare(trickles), { what: 'what is beyond its share refused' });
    for (const { heard } of refused)
      expect(heard()).toMatch(/^HTTP\/1.1 503 [^]*Retry-After: 1[^]*"code":"unavailable","message":"Your Workspace/);
    const [event] = open.harness.reporter.of('pool-saturated');
    expect(event?.facts).toMatchObject({ pool: 'uploads', limit: 'workspace' });
  } finally {
    end(trickles);
  }
});

test('several Workspaces that each use their whole share leave a slot for the next one', async () => {
  await using open = await openIngressWorld({ uploadsAtOnce: PLACES });
  const all: Trickle[] = [];
  try {
    for (let n = 0; n < 3; n++)
      all.push(...(await trickleAll(open, (await open.world.key(open.world.workspace())).apiKey)));
    expect((await put(open, await reserve(open, open.key, PICTURE.length))).status).toBe(204);
  } finally {
    end(all);
  }
});

test('slow uploads lose their slots after one stretch, whatever their window', async () => {
  await using open = await openIngressWorld({ uploadsAtOnce: PLACES });
  const { apiKey: attacker } = await open.world.key(open.world.workspace());
  const trickles = await trickleAll(open, attacker);
  try {
    const refused = await until(() => beyondShare(trickles), { what: 'what is beyond its share refused' });
    const within = trickles.filter((one) => !refused.includes(one));
    // What was enough to keep a place for a whole window.
    for (const { socket } of within) socket.write(Buffer.alloc(33 * 1024));
    await until(() => within.every(({ socket }) => socket.writableLength === 0), { what: 'the bytes sent' });
    await open.clock.advance(MIN_CLIENT_PACE.windowMs);
    await until(() => within.every(({ heard }) => heard().endsWith('}')), { what: 'an answer to each' });
    for (const { heard } of within) expect(heard()).toMatch(/^HTTP\/1.1 400 [^]*too slowly[^]*128 kbit/);
    expect(open.harness.reporter.of('slow-client-disconnected').length).toBe(within.length);
  } finally {
    end(trickles);
  }
});
