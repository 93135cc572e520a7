import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HttpFailure } from '#ports/http-client.ts';
import type { PublicAnswer, PublicRequest } from '#ports/public-http.ts';
import { answer, startMisbehavingReceiver, times, type ReceiverOptions } from '#testing/misbehaving-receiver.ts';
import type { CertificateFault } from '#testing/test-certificates.ts';
import { until } from '#testing/until.ts';
import { createPublicHttp, type EgressOverride } from './public-http.ts';
import { startRawReceiver } from './raw-receiver.fixture.ts';

const ends: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function publicHttp(...overrides: readonly EgressOverride[]) {
  const http = createPublicHttp({ overrides, lookup: async () => [] });
  ends.push(() => http.close());
  return http;
}

async function receiving(options?: ReceiverOptions) {
  const receiver = await startMisbehavingReceiver(options);
  ends.push(() => receiver.close());
  const http = publicHttp(receiver.override);
  const send = (request: Partial<PublicRequest> = {}) =>
    http.send({ method: 'POST', url: receiver.url, timeoutMs: 10_000, ...request });
  return { receiver, http, send };
}

async function raw(write: (socket: Socket) => void, request: Partial<PublicRequest> = {}) {
  const receiver = await startRawReceiver(write);
  ends.push(() => receiver[Symbol.asyncDispose]());
  const answered = publicHttp(receiver.override).send({
    method: 'GET',
    url: 'https://raw.test/',
    timeoutMs: 10_000,
    ...request,
  });
  return { receiver, answered };
}

async function bytesOf({ body }: PublicAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function failureOf(answered: Promise<unknown>): Promise<HttpFailure> {
  const failure = await answered.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(HttpFailure);
  return failure as HttpFailure;
}

test('a request arrives as given, and its answer is returned with lower-case names and the body as it was sent', async () => {
  const { receiver, send } = await receiving();
  const zipped = gzipSync('{}');
  receiver.behave(answer(201, { headers: { 'X-One': '1', 'Content-Encoding': 'gzip' }, body: zipped }));
  const body = Buffer.from('{"id":"ä"}');
  const got = await send({
    url: 'https://hooks.test/a/b?c=1#d',
    headers: { 'content-type': 'application/json', 'service-signature': 't=1,v1=2' },
    body,
  });
  expect([got.status, got.headers['x-one'], await bytesOf(got)]).toEqual([201, '1', zipped]);
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]).toMatchObject({
    method: 'POST',
    path: '/a/b?c=1',
    body,
    headers: { host: 'hooks.test', 'service-signature': 't=1,v1=2', 'accept-encoding': 'identity' },
  });
  expect(receiver.requests[0]!.headers).not.toHaveProperty('cookie');
});

test('a connection serves a second request of its name within a moment, one at a time, carries nothing over, and is closed soon', async () => {
  const { receiver, send } = await receiving();
  receiver.behave(answer(200, { headers: { 'set-cookie': 'a=b' }, body: 'ok' }));
  for (let round = 0; round < 3; round += 1) await bytesOf(await send());
  expect(receiver.connections()).toBeLessThan(3);
  await Promise.all([send().then(bytesOf), send().then(bytesOf)]);
  expect(receiver.requests).toHaveLength(5);
  for (const { headers } of receiver.requests) expect(headers).not.toHaveProperty('cookie');
  await until(() => receiver.open() === 0, { what: 'every connection is closed' });
});

test('a kept connection is not used when its name leads elsewhere by now, nor for another name at the same address', async () => {
  const { receiver } = await receiving();
  let { host, name } = receiver.override;
  const http = createPublicHttp({ overrides: () => [{ ...receiver.override, host, name }] });
  ends.push(() => http.close());
  const ask = () =>
    http.send({ method: 'GET', url: `https://${name}/`, timeoutMs: 10_000 }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
  expect(await ask()).toBe(204);
  host = '127.0.0.2';
  expect(await ask()).toMatch(/^hooks\.test (refused the connection|can not be reached)$/);
  [host, name] = ['127.0.0.1', 'other.test'];
  expect(await ask()).toBe('other.test has a certificate for another name');
  expect(receiver.requests).toHaveLength(1);
});

test.each<[what: string, write: (socket: Socket) => void]>([
  [
    'says that it closes',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'),
  ],
  [
    'says that it keeps, and closes',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'),
  ],
  [
    'sends an answer without a request',
    (socket) =>
      void socket.write(
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother',
      ),
  ],
])('after an answer of a server that %s the next request has a connection of its own', async (_what, write) => {
  const receiver = await startRawReceiver(write);
  ends.push(() => receiver[Symbol.asyncDispose]());
  const http = publicHttp(receiver.override);
  for (let round = 0; round < 3; round += 1) {
    const got = await http.send({
      method: 'POST',
      url: 'https://raw.test/',
      body: Buffer.from('{}'),
      timeoutMs: 10_000,
    });
    expect((await bytesOf(got)).toString()).toBe('ok');
    await until(() => receiver.open() === 0, { what: 'the connection is closed' });
  }
});

test('a redirect is returned like any other answer', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'redirect', to: 'https://127.0.0.1/' });
  expect(await send()).toMatchObject({ status: 302, headers: { location: 'https://127.0.0.1/' } });
  expect(receiver.connections()).toBe(1);
});

test('a server that refuses nine connections is reached by the tenth', async () => {
  const { receiver, send } = await receiving();
  receiver.behave(...times(9, answer(500)), answer(204));
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) statuses.push((await send({ method: 'HEAD' })).status);
  expect(statuses).toEqual([...Array<number>(9).fill(500), 204]);
});

test.each<[CertificateFault, RegExp]>([
  ['expired', /^hooks\.test has a certificate that has expired$/],
  ['other name', /^hooks\.test has a certificate for another name$/],
  ['unknown authority', /^hooks\.test has a certificate that can not be trusted$/],
])('a certificate with the fault "%s" ends the connection before anything is sent', async (certificate, words) => {
  const { receiver, send } = await receiving({ certificate });
  const failure = await failureOf(send());
  expect(failure.message).toMatch(words);
  expect([failure.sent, receiver.requests.length, receiver.connections()]).toEqual([false, 0, 1]);
});

test("an override's authority is trusted for its own name alone", async () => {
  const one = await receiving({ name: 'one.test' });
  const two = await receiving({ name: 'two.test' });
  const http = publicHttp(one.receiver.override, { ...two.receiver.override, ca: one.receiver.override.ca! });
  expect((await http.send({ method: 'GET', url: 'https://one.test/', timeoutMs: 10_000 })).status).toBe(204);
  expect((await failureOf(http.send({ method: 'GET', url: 'https://two.test/', timeoutMs: 10_000 }))).sent).toBe(false);
});

test('a port without a server was certainly not sent the request', async () => {
  const { receiver, send } = await receiving();
  await receiver.close();
  expect(await failureOf(send())).toMatchObject({ message: 'hooks.test refused the connection', sent: false });
});

test.each([
  ['hangs', { kind: 'hang' }],
  ['waits until it is too late', answer(204, { afterMs: 60_000 })],
] as const)('a receiver that %s is given up in time, and the request may have been sent', async (_what, behaviour) => {
  const { receiver, send } = await receiving();
  receiver.behave(behaviour);
  const failure = await failureOf(send({ timeoutMs: 1_500 }));
  expect(failure).toMatchObject({ message: 'hooks.test did not answer within 1.5 s', sent: true });
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a receiver that closes, or resets in the middle of its body, has given no complete answer', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'close' }, { kind: 'reset' });
  expect((await failureOf(send())).sent).toBe(true);
  const torn = await send();
  expect(torn.status).toBe(200);
  expect((await failureOf(bytesOf(torn))).message).toBe('hooks.test closed the connection before its answer was whole');
});

test('a body that drips is cut off by the time-out', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'drip', everyMs: 20 });
  expect((await failureOf(send({ timeoutMs: 1_000 }).then(bytesOf))).message).toMatch(/within 1 s$/);
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a body that is not read stops its source, and leaving it ends the connection', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'flood' });
  const { body } = await send({ timeoutMs: 60_000 });
  const reader = body[Symbol.asyncIterator]();
  expect((await reader.next()).value?.length).toBeGreaterThan(0);
  let sent = -1;
  await until(() => sent === (sent = receiver.bytesSent()), { what: 'the source stops sending', everyMs: 200 });
  expect(sent).toBeLessThan(100_000_000);
  await reader.return?.();
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
  expect((await reader.next()).done).toBe(true);
});

test('a reader can leave a body that stopped coming', async () => {
  const { answered, receiver } = await raw(
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
    { timeoutMs: 60_000 },
  );
  const reader = (await answered).body[Symbol.asyncIterator]();
  expect(Buffer.from((await reader.next()).value!).toString()).toBe('abc');
  const rest = reader.next();
  await reader.return?.();
  expect((await rest).done).toBe(true);
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a wrong length is detected: a shorter body is not complete, and bytes beyond the length are not read', async () => {
  const short = await raw((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
  await failureOf(bytesOf(await short.answered));
  const long = await raw((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef'));
  expect((await bytesOf(await long.answered)).toString()).toBe('abc');
  const both = await raw(
    (socket) =>
      void socket.end(
        'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n6\r\nabcdef\r\n0\r\n\r\n',
      ),
  );
  await failureOf(both.answered);
});

test.each<[what: string, write: (socket: Socket) => void]>([
  ['headers of 20 KB', (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)],
  ['headers without end', (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'x: aaaaaaaaaaaaaaaa\r\n')],
  ['a header name without end', (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'aaaaaaaaaaaaaaaa')],
  ['interim answers without end', (socket) => pour(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  [
    'an upgrade that was not requested',
    (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
  ['something that is not HTTP', (socket) => void socket.write('SSH-2.0-OpenSSH_9.9\r\n')],
  ['HTTP/2', (socket) => void socket.write(Buffer.from('000000040000000000', 'hex'))],
])('%s: given up long before the time-out', async (_what, write) => {
  const { answered, receiver } = await raw(write, { timeoutMs: 60_000 });
  expect((await failureOf(answered)).sent).toBe(true);
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test.each<[what: string, head: string, piece: string]>([
  ['a status line without end', 'HTTP/1.1 200 ', 'aaaaaaaaaaaaaaaa'],
  ['a chunk head without end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'aaaaaaaaaaaaaaaa'],
])('%s: not kept in memory, and cut off by the time-out', async (_what, head, piece) => {
  const before = process.memoryUsage().rss;
  const { answered, receiver } = await raw((socket) => pour(socket, head, piece), { timeoutMs: 1_000 });
  expect((await failureOf(answered.then(bytesOf))).message).toMatch(/within 1 s$/);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  await until(() => receiver.open() === 0, { what: 'the connection is closed' });
});

test('a compressed body that would grow a thousandfold is not decompressed', async () => {
  const packed = gzipSync(Buffer.alloc(10_000_000));
  const { answered } = await raw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
    socket.end(packed);
  });
  expect(await bytesOf(await answered)).toHaveLength(packed.length);
});

test('proxy variables have no effect', async () => {
  const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:1';
  try {
    const { send } = await receiving();
    expect((await send()).status).toBe(204);
  } finally {
    for (const name of names) delete process.env[name];
  }
});

test('closing ends the exchanges that are in progress', async () => {
  const { receiver, http, send } = await receiving();
  receiver.behave({ kind: 'hang' });
  const answered = failureOf(send({ timeoutMs: 60_000 }));
  await until(() => receiver.requests.length === 1, { what: 'the request is there' });
  await http.close();
  expect((await answered).message).toBe('hooks.test was not waited for');
});

test('a signal ends an exchange: before it is sent, while it waits, while its body comes', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'hang' }, { kind: 'drip', everyMs: 20 });
  expect((await failureOf(send({ signal: AbortSignal.abort() }))).sent).toBe(false);
  expect(receiver.connections()).toBe(0);
  const waiting = new AbortController();
  const answered = failureOf(send({ timeoutMs: 60_000, signal: waiting.signal }));
  await until(() => receiver.requests.length === 1, { what: 'the request is there' });
  waiting.abort();
  expect((await answered).sent).toBe(true);
  const coming = new AbortController();
  const body = bytesOf(await send({ timeoutMs: 60_000, signal: coming.signal }));
  coming.abort();
  expect((await failureOf(body)).message).toBe('hooks.test was not waited for');
  await until(() => receiver.open() === 0, { what: 'both connections are closed' });
});

test('every request has the configured user agent, unless it has its own', async () => {
  const receiver = await startMisbehavingReceiver();
  ends.push(() => receiver.close());
  const http = createPublicHttp({
    overrides: [receiver.override],
    lookup: async () => [],
    userAgent: 'crier/1.2.3 (+https://crier.test)',
  });
  ends.push(() => http.close());
  for (const headers of [{}, { 'User-Agent': 'Another/1' }, { range: 'bytes=0-9' }])
    await bytesOf(await http.send({ method: 'GET', url: receiver.url, headers, timeoutMs: 10_000 }));
  expect(receiver.requests.map(({ headers }) => headers['user-agent'])).toEqual([
    'crier/1.2.3 (+https://crier.test)',
    'Another/1',
    'crier/1.2.3 (+https://crier.test)',
  ]);
});

test('failures name the host, never the path with its secrets', async () => {
  const { receiver, send } = await receiving();
  receiver.behave({ kind: 'close' });
  const failure = await failureOf(send({ url: 'https://hooks.test/x?key=secret' }));
  expect(failure.message).toContain('hooks.test');
  expect(failure.message).not.toContain('secret');
});

/** Writes `piece` for as long as the socket accepts it. */
function pour(socket: Socket, head: string, piece: string): void {
  const pieces = piece.repeat(1_000);
  socket.write(head);
  const more = (): void => {
    if (socket.destroyed) return;
    if (socket.write(pieces)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}
