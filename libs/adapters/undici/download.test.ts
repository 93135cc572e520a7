import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { downloadSuite } from '#port-suites/download.ts';
import { createDownload } from './download.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

function downloads() {
  const download = createDownload();
  ends.push(() => download.close());
  return download;
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return bytes;
}

downloadSuite('undici download', async (files) => {
  const url = await serve((request, response) => {
    const file = files.get(request.url!);
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, file.contentType === '' ? {} : { 'content-type': file.contentType }).end(file.bytes);
  });
  return { download: downloads(), addressOf: (path) => new URL(path, url).href };
});

test('a file arrives complete, with its type in lower case and without parameters', async () => {
  const url = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'Video/MP4; codecs="avc1"' }).end(Buffer.alloc(3_000_000)),
  );
  const got = await downloads().get({ url, timeoutMs: 10_000 });
  expect([got.status, got.contentType, await bytesOf(got.body)]).toEqual([200, 'video/mp4', 3_000_000]);
});

test('a redirect is returned as an answer', async () => {
  const url = await serve((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  expect((await downloads().get({ url, timeoutMs: 10_000 })).status).toBe(302);
});

test('a body that stalls ends with its time-out', async () => {
  const url = await serve(
    (_request, response) => void response.writeHead(200, { 'content-length': '10' }).write('abc'),
  );
  const got = await downloads().get({ url, timeoutMs: 300 });
  await expect(bytesOf(got.body)).rejects.toThrow();
});

test('leaving early ends the transfer', async () => {
  let closed = (): void => {};
  const left = new Promise<void>((resolve) => (closed = resolve));
  const url = await serve((_request, response) => {
    response.on('close', closed).writeHead(200);
    const more = (): void =>
      void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more));
    more();
  });
  const got = await downloads().get({ url, timeoutMs: 10_000 });
  for await (const piece of got.body) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  await left;
});

test('a port without a server rejects', async () => {
  await expect(downloads().get({ url: 'http://127.0.0.1:1/', timeoutMs: 5_000 })).rejects.toThrow();
});
