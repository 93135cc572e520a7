import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startMisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { createPublicHttp, type PublicHttpOptions } from './public-http.ts';

const ADDRESS = '93.184.215.14';
const ends: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A proxy that tunnels everything to `port` of this machine; or answers `status`. */
async function startProxy(port: number, status = 200) {
  const targets: string[] = [];
  const server = createServer();
  server.on('connect', (request, socket) => {
    targets.push(request.url!);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { targets, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
}

async function open({ status = 200, ...more }: Partial<PublicHttpOptions> & { readonly status?: number } = {}) {
  const receiver = await startMisbehavingReceiver({ name: 'hooks.example.com' });
  ends.push(() => receiver.close());
  const proxy = await startProxy(receiver.override.port, status);
  const http = createPublicHttp({
    lookup: async () => [ADDRESS],
    proxy: proxy.url,
    ca: receiver.override.ca!,
    ...more,
  });
  ends.push(() => http.close());
  const send = (url = 'https://hooks.example.com/in') => http.send({ method: 'POST', url, timeoutMs: 10_000 });
  return { receiver, proxy, send };
}

test('a request goes through the proxy, which gets the address that was judged, and no name', async () => {
  const { receiver, proxy, send } = await open();
  expect((await send()).status).toBe(204);
  expect(proxy.targets).toEqual([`${ADDRESS}:443`]);
  expect(receiver.requests).toMatchObject([{ method: 'POST', path: '/in' }]);
});

test('the guard judges before the proxy is asked', async () => {
  const { proxy, send } = await open({ lookup: async () => ['10.0.0.1'] });
  await expect(send()).rejects.toThrow('not on the public internet');
  await expect(send('https://169.254.169.254/')).rejects.toThrow('not on the public internet');
  expect(proxy.targets).toEqual([]);
});

test('the certificate is checked through the tunnel: the proxy can not stand for the host', async () => {
  const { receiver, send } = await open();
  await expect(send('https://other.example.com/')).rejects.toThrow('certificate for another name');
  expect(receiver.requests).toEqual([]);
});

test('an address that the proxy refuses is not reached another way, and the next one is tried', async () => {
  const { receiver, proxy, send } = await open({ status: 403, lookup: async () => [ADDRESS, '93.184.215.15'] });
  await expect(send()).rejects.toThrow('the egress proxy answered 403');
  expect(proxy.targets).toEqual([`${ADDRESS}:443`, '93.184.215.15:443']);
  expect([receiver.connections(), receiver.requests]).toEqual([0, []]);
});

test('a proxy that is away is a failure that may pass', async () => {
  const { send } = await open({ proxy: new URL('http://127.0.0.1:9') });
  await expect(send()).rejects.toThrow('refused the connection');
});
