import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createServerIdentity } from '#testing/test-certificates.ts';
import { until } from '#testing/until.ts';
import { createListener } from './listener.ts';

const PACE = { bytesPerSecond: 16 * 1024, windowMs: 30_000 };
/** An answer has to be given up within a window, after one begins with the next look. */
const CUT_OFF_MS = PACE.windowMs + PACE.windowMs / 6;
const HOUR = 3_600_000;
/** More than kernels keep for a connection. */
const LARGE = Buffer.alloc(64_000_000, 'a');
const LARGE_TEXT = LARGE.toString('latin1');

function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let from = 0; from < content.length; from += 65_536) yield content.subarray(from, from + 65_536);
}

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/bytes': (response) => response.setHeader('Content-Length', LARGE.length).end(LARGE),
  '/judged': (response) => response.setHeader('Content-Length', LARGE.length).end(LARGE),
  '/text': (response) => response.setHeader('Content-Length', LARGE.length).end(LARGE_TEXT, 'latin1'),
  '/pieces': (response) => pipeline(Readable.from(piecesOf(LARGE), { objectMode: false }), response, () => {}),
  '/small': (response) => response.end('a small answer'),
};

/** A listener by a clock of its own, and what it has open. */
async function listen(given: { readonly app?: RequestListener; readonly isSecure?: boolean } = {}) {
  const clock = createMemoryClock();
  const judgedByHandler = new WeakSet<ServerResponse>();
  const cutOff: (string | undefined)[] = [];
  const open = new Set<Socket>();
  const identity = given.isSecure === true ? createServerIdentity(['crier.test']) : null;
  const answer: RequestListener = ({ url }, response) => {
    if (url === '/judged') judgedByHandler.add(response);
    ANSWERS[url!]!(response);
  };
  const server = createListener(given.app ?? answer, {
    tls: identity && { texts: () => ({ cert: identity.certificate, key: identity.key }), onRenewed: () => {} },
    publicUrl: () => 'http://crier.test',
    newRequestId: () => 'request-7',
    answerPace: { clock, pace: PACE, judgedByHandler, onCutOff: (client) => cutOff.push(client) },
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  /** A client that reads nothing until it is resumed. */
  const ask = async (...paths: readonly string[]): Promise<Socket> => {
    const { port } = server.address() as AddressInfo;
    const socket =
      identity === null
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', ca: identity.ca, checkServerIdentity: () => undefined });
    sockets.push(socket.on('error', () => {}));
    // Not before: one that is paused shakes no hands.
    await once(socket, identity === null ? 'connect' : 'secureConnect');
    socket.pause();
    for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket;
  };
  /** Until an answer waits for its client. */
  const waits = () => until(() => clock.armed() === 1, { what: 'an answer to wait' });
  return { clock, cutOff, open, server, ask, waits };
}

const isEmpty = (open: ReadonlySet<Socket>) => until(() => open.size === 0, { what: 'the end of the connection' });

test.each([
  ['bytes that are written in one go', ['/bytes'], false],
  ['a text that is written in one go', ['/text'], false],
  ['pieces that are written one after the other', ['/pieces'], false],
  ['an answer over TLS', ['/bytes'], true],
  ['one of several on its connection', ['/small', '/bytes', '/small'], false],
  ['thousands of small ones on its connection', Array<string>(40_000).fill('/small'), false],
])('a client that takes nothing of its answer is cut off: %s', async (_what, paths, isSecure) => {
  const { ask, clock, cutOff, open, waits } = await listen({ isSecure });
  await ask(...paths);
  await waits();
  await clock.advance(PACE.windowMs - 1);
  expect([cutOff, open.size]).toEqual([[], 1]);
  await clock.advance(CUT_OFF_MS - PACE.windowMs + 1);
  await isEmpty(open);
  expect([cutOff, clock.armed()]).toEqual([['127.0.0.1'], 0]);
});

test('so is one that takes a byte now and then', async () => {
  const { ask, clock, cutOff, open, waits } = await listen();
  const client = await ask('/bytes');
  await waits();
  let taken = 0;
  for (let lookedMs = 0; lookedMs < CUT_OFF_MS; lookedMs += 1_000) {
    if (client.read(1) !== null) taken++;
    await clock.advance(1_000);
  }
  await isEmpty(open);
  expect([taken > 0, cutOff]).toEqual([true, ['127.0.0.1']]);
});

test.each([
  ['written in one go', '/bytes', false],
  ['written in one go, over TLS', '/bytes', true],
  ['a text', '/text', false],
  ['in pieces', '/pieces', false],
])('a client that takes its answer slowly, and fast enough, gets all of it: %s', async (_what, path, isSecure) => {
  const { ask, clock, cutOff, waits } = await listen({ isSecure });
  const client = await ask(path);
  let [taken, wanted] = [0, 0];
  // Stops by itself: between two looks a fast machine would take all of it.
  client.on('data', (data: Buffer) => {
    taken += data.length;
    if (taken >= wanted) client.pause();
  });
  await waits();
  while (taken < LARGE.length) {
    // As much as kernels keep, and more: they tell of less than a third of it not at all.
    wanted = Math.min(taken + 12_000_000, LARGE.length);
    client.resume();
    await until(() => taken >= wanted, { what: 'more of the answer', withinMs: 20_000 });
    await clock.advance(PACE.windowMs / 2);
  }
  expect(cutOff).toEqual([]);
  await clock.advance(PACE.windowMs);
  expect([cutOff, clock.armed()]).toEqual([[], 0]);
});

test('a stream of events stays open for as long as its reader takes what comes, and costs no timer', async () => {
  let send = (_event: string): void => {};
  const { ask, clock, cutOff, open } = await listen({
    app: (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      send = (event) => void response.write(event);
      send('data: first\n\n');
    },
  });
  const client = await ask('/events');
  let heard = '';
  client.setEncoding('latin1').on('data', (data: string) => (heard += data));
  client.resume();
  await until(() => heard.includes('first'), { what: 'the first event' });
  for (let n = 0; n < 3; n++) {
    expect(clock.armed()).toBe(0);
    await clock.advance(HOUR);
    send(`data: event ${n}\n\n`);
    await until(() => heard.includes(`event ${n}`), { what: 'the next event' });
  }
  expect([cutOff, open.size]).toEqual([[], 1]);

  client.pause();
  send(LARGE_TEXT);
  await until(() => clock.armed() === 1, { what: 'an event to wait' });
  await clock.advance(CUT_OFF_MS);
  await isEmpty(open);
  expect(cutOff).toEqual(['127.0.0.1']);
});

test('answers that are taken at once cost no timer, and their connection serves the next request', async () => {
  const { ask, clock, cutOff, open } = await listen();
  const client = await ask();
  let heard = '';
  client.setEncoding('latin1').on('data', (data: string) => (heard += data));
  client.resume();
  for (let n = 1; n <= 5; n++) {
    client.write('GET /small HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => heard.split('a small answer').length === n + 1, { what: 'the next answer' });
    expect(clock.armed()).toBe(0);
    await clock.advance(HOUR);
  }
  expect([cutOff, open.size]).toEqual([[], 1]);
});

test('an answer whose handler judges its reader is left to it, and no other one on its connection is', async () => {
  const { ask, clock, cutOff, open, waits } = await listen();
  const client = await ask('/judged', '/bytes');
  await until(() => [...open].some(({ writableLength }) => writableLength > 0), { what: 'an answer to wait' });
  await clock.advance(HOUR);
  expect([cutOff, open.size, clock.armed()]).toEqual([[], 1, 0]);

  let taken = 0;
  client.on('data', (data: Buffer) => {
    taken += data.length;
    if (taken > LARGE.length) client.pause();
  });
  client.resume();
  await waits();
  // What the kernels still pass on once it has paused is taken, and a stretch in which that is enough is followed by
  // another.
  const isOver = async (): Promise<boolean> => (await clock.advance(CUT_OFF_MS), open.size === 0);
  await until(isOver, { what: 'the end of the connection' });

  await ask('/bytes', '/judged');
  await waits();
  await clock.advance(CUT_OFF_MS);
  await isEmpty(open);
  expect(cutOff).toEqual(['127.0.0.1', '127.0.0.1']);
});

test('a drain waits no longer for a client that takes nothing', async () => {
  const { ask, clock, server, waits } = await listen();
  await ask('/pieces');
  await waits();
  let isClosed = false;
  server.close(() => (isClosed = true));
  await clock.advance(CUT_OFF_MS);
  await until(() => isClosed, { what: 'the end of the listener' });
  expect(clock.armed()).toBe(0);
});

test('once the listener is closed no timer is left', async () => {
  const { ask, clock, server, waits } = await listen();
  await ask('/bytes');
  await waits();
  server.close();
  server.closeAllConnections();
  await until(() => clock.armed() === 0, { what: 'no timer' });
});
