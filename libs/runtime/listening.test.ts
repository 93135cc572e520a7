import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { Listening } from './listening.ts';

const made: Listening[] = [];

function bench(
  answer: RequestListener = (_request, response) => void response.end('answered'),
  { host = '127.0.0.1', port = 0 } = {},
) {
  const reporter = createMemoryReporter();
  const server: Server = createServer(answer);
  const listening = new Listening('api', server, { host, port, scheme: 'http', reporter });
  made.push(listening);
  return { listening, server, reporter };
}

afterEach(async () => {
  await Promise.all(made.splice(0).map((listening) => listening.stop()));
});

/** A request on a connection that stays open; resolves with all it hears when the other side ends it. */
async function ask(port: number): Promise<{ readonly socket: Socket; readonly heard: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  const heard = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  socket.write('GET / HTTP/1.1\r\nHost: api\r\n\r\n');
  return { socket, heard };
}

test('it has an address once it listens', async () => {
  const { listening } = bench();
  expect(() => listening.address()).toThrow('not listening');
  expect(listening.isListening).toBe(false);
  await listening.start();
  const { url, port } = listening.address();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(listening.isListening).toBe(true);
  expect(await (await fetch(url)).text()).toBe('answered');
});

test('start rejects for a port that is taken; a listener that never began can be drained and stopped', async () => {
  const { listening: first } = bench();
  await first.start();
  const { listening: second } = bench(undefined, { port: first.address().port });
  await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await second.drain();
  await second.stop();
  expect(second.isListening).toBe(false);
});

test('before a delayed drain it answers on, and says on each connection that the answer is its last', async () => {
  const { listening } = bench();
  await listening.start();
  const { url, port } = listening.address();
  expect((await fetch(url)).headers.get('connection')).toBe('keep-alive');
  listening.leave();
  expect(listening.isListening).toBe(true);
  for (const { heard } of [await ask(port), await ask(port)])
    expect(await heard).toMatch(/Connection: close[^]*answered$/);
});

test('a drain takes no new connection, and requests on open connections are answered', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: arrived } = Promise.withResolvers<void>();
  const { listening } = bench((_request, response) => {
    arrived();
    void released.then(() => response.end('late'));
  });
  await listening.start();
  const { port, url } = listening.address();
  const { heard } = await ask(port);
  await asked;
  const drained = listening.drain();
  expect(listening.isListening).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
  release();
  expect(await heard).toContain('late');
  await drained;
  await listening.drain();
});

test('a stop cuts open connections, also during a drain; both may be called again', async () => {
  const { promise: asked, resolve: arrived } = Promise.withResolvers<void>();
  const { listening } = bench(() => arrived());
  await listening.start();
  const { heard } = await ask(listening.address().port);
  await asked;
  const drained = listening.drain();
  await listening.stop();
  expect(await heard).toBe('');
  await drained;
  await listening.stop();
  await listening.drain();
});

test('it starts once', async () => {
  const { listening } = bench();
  await listening.start();
  await expect(listening.start()).rejects.toThrow('start while listening');
});

test('an error of the listener after the start is reported, and is its trouble', async () => {
  const { listening, server, reporter } = bench();
  await listening.start();
  expect(listening.trouble()).toBeNull();
  server.emit('error', new Error('too many open files'));
  expect(listening.trouble()).toBe('too many open files');
  expect(reporter.failures()).toMatchObject([{ event: 'listener-failed', facts: { listener: 'api' } }]);
});

test('an answer that goes on for as long as its client listens is ended by a drain', async () => {
  const streams = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.write('one');
    streams.add(response);
  });
  const onDrain = () => streams.forEach((each) => each.end());
  const reporter = createMemoryReporter();
  const listening = new Listening('api', server, { host: '127.0.0.1', port: 0, scheme: 'http', reporter, onDrain });
  made.push(listening);
  await listening.start();
  const { heard, socket } = await ask(listening.address().port);
  await once(socket, 'data');
  await listening.drain();
  expect(await heard).toContain('one');
});
