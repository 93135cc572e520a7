import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpClientSuite } from '#port-suites/http-client.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function client(options?: HttpClientOptions) {
  const made = createHttpClient(options);
  cleanups.push(() => made.close());
  return made;
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveRaw(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    handle(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function failureOf(answer: Promise<unknown>): Promise<HttpFailure> {
  const failure = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(HttpFailure);
  return failure as HttpFailure;
}

httpClientSuite('undici HTTP client', async (answer) => {
  const origin = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const headers = request.headers as Record<string, string>;
    const answered = answer({ method: request.method!, path: request.url!, headers, body });
    if (answered === 'lost') return void request.socket.destroy();
    response.writeHead(answered.status, answered.headers).end(answered.body);
  });
  return { client: client(), origin, unreachable: 'http://127.0.0.1:1' };
});

test('an answer is returned with its status, lower-case headers and body; redirects are returned too', async () => {
  const origin = await serve((request, response) => {
    response.writeHead(302, { Location: '/elsewhere', 'X-Rate': '7' });
    request.pipe(response);
  });
  const answer = await client().send({ method: 'POST', url: `${origin}/a?b=1`, body: 'grüße', timeoutMs: 5_000 });
  expect(answer).toMatchObject({ status: 302, headers: { location: '/elsewhere', 'x-rate': '7' }, body: 'grüße' });
});

test('a connection cut before the answer counts as sent, and the request is written only once', async () => {
  let received = 0;
  const origin = await serve((request) => {
    received += 1;
    request.socket.destroy();
  });
  for (const method of ['POST', 'GET'] as const) {
    const failure = await failureOf(client().send({ method, url: origin, timeoutMs: 5_000 }));
    expect(failure.sent).toBe(true);
  }
  expect(received).toBe(2);
});

test('a connection cut in the middle of the body is no answer', async () => {
  const origin = await serveRaw((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"data":'));
  });
  expect((await failureOf(client().send({ method: 'POST', url: origin, body: '{}', timeoutMs: 5_000 }))).sent).toBe(
    true,
  );
});

test('a kept socket that breaks during the next request counts as sent, and nothing is sent again', async () => {
  let connections = 0;
  const requests: string[] = [];
  const origin = await serveRaw((socket) => {
    connections += 1;
    socket.on('data', (data) => {
      requests.push(data.toString().split(' ')[1] ?? '');
      if (requests.length === 1) socket.write('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
  });
  const http = client({ connectionsPerOrigin: 1 });
  await http.send({ method: 'POST', url: `${origin}/first`, timeoutMs: 5_000 });
  expect(
    (await failureOf(http.send({ method: 'POST', url: `${origin}/second`, body: 'x', timeoutMs: 5_000 }))).sent,
  ).toBe(true);
  expect(requests).toEqual(['/first', '/second']);
  expect(connections).toBe(1);
});

test('a kept socket that the server has closed is not written to', async () => {
  let connections = 0;
  const closed: Promise<unknown>[] = [];
  const origin = await serveRaw((socket) => {
    connections += 1;
    closed.push(once(socket, 'close'));
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok'));
  });
  const http = client({ connectionsPerOrigin: 1 });
  await http.send({ method: 'POST', url: origin, timeoutMs: 5_000 });
  await closed[0];
  expect((await http.send({ method: 'POST', url: origin, timeoutMs: 5_000 })).body).toBe('ok');
  expect(connections).toBe(2);
});

test('a server that never answers is a time-out, and counts as sent', async () => {
  const origin = await serve(() => {});
  expect((await failureOf(client().send({ method: 'GET', url: origin, timeoutMs: 1_500 }))).sent).toBe(true);
});

test('a body that trickles is bounded by the time-out of the whole exchange', async () => {
  const origin = await serve((_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 5);
    cleanups.push(() => clearInterval(drip));
  });
  expect((await failureOf(client().send({ method: 'GET', url: origin, timeoutMs: 1_500 }))).sent).toBe(true);
});

test('a refused port and a name that does not exist count as certainly not sent', async () => {
  const server = createRawServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(
    (await failureOf(client().send({ method: 'POST', url: `http://127.0.0.1:${port}`, timeoutMs: 5_000 }))).sent,
  ).toBe(false);
  expect(
    (await failureOf(client().send({ method: 'POST', url: 'http://nowhere.invalid', timeoutMs: 15_000 }))).sent,
  ).toBe(false);
});

test('a request to a server that does not speak TLS counts as certainly not sent', async () => {
  const origin = await serveRaw((socket) => socket.end('no\r\n'));
  const failure = await failureOf(
    client().send({ method: 'POST', url: origin.replace('http:', 'https:'), timeoutMs: 5_000 }),
  );
  expect(failure.sent).toBe(false);
});

test('a request given up while it waits for a socket is never written', async () => {
  const received: string[] = [];
  const waiting: ServerResponse[] = [];
  const origin = await serve((request, response) => {
    received.push(request.url ?? '');
    waiting.push(response);
  });
  const http = client({ connectionsPerOrigin: 1 });
  const first = http.send({ method: 'POST', url: `${origin}/first`, timeoutMs: 10_000 });
  expect((await failureOf(http.send({ method: 'POST', url: `${origin}/second`, timeoutMs: 50 }))).sent).toBe(false);
  waiting[0]?.end();
  await first;
  const third = http.send({ method: 'POST', url: `${origin}/third`, timeoutMs: 10_000 });
  await expect.poll(() => received).toEqual(['/first', '/third']);
  waiting[1]?.end();
  expect((await third).status).toBe(200);
});

test('sockets to one origin are limited in number and reused', async () => {
  const seen = new Set<Socket>();
  const origin = await serve((request, response) => {
    seen.add(request.socket);
    response.end('ok');
  });
  const http = client({ connectionsPerOrigin: 3 });
  await Promise.all(Array.from({ length: 30 }, () => http.send({ method: 'POST', url: origin, timeoutMs: 10_000 })));
  expect(seen.size).toBeLessThanOrEqual(3);
});

test('one mebibyte of a huge body is read', async () => {
  const origin = await serve((_request, response) => {
    response.on('error', () => {});
    response.end(Buffer.alloc(3 * 1024 * 1024, 'a'));
  });
  const http = client();
  const answer = await http.send({ method: 'GET', url: origin, timeoutMs: 10_000 });
  expect(answer.body.length).toBe(1024 * 1024);
  expect((await http.send({ method: 'GET', url: origin, timeoutMs: 10_000 })).status).toBe(200);
});

test('failures name the origin, never the path with its secrets', async () => {
  const origin = await serve((request) => request.socket.destroy());
  const failure = await failureOf(
    client().send({ method: 'GET', url: `${origin}/x?access_token=secret`, timeoutMs: 5_000 }),
  );
  expect(failure.message).toContain(origin);
  expect(failure.message).not.toContain('secret');
});
