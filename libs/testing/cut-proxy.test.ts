import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { CutProxy } from './cut-proxy.ts';
import { freePorts } from './engines/process.ts';
import { until } from './until.ts';

test('a way that is cut passes nothing, takes connections all the same, and passes all of it once healed', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const [port] = (await freePorts(1)) as [number];
  const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  await using proxy = await CutProxy.start({ host: '127.0.0.1', port }, to);

  const talk = () => {
    const socket = connect(port, '127.0.0.1');
    const said = { text: '', isOver: false };
    socket.on('data', (bytes) => (said.text += String(bytes)));
    socket.on('close', () => (said.isOver = true));
    return { socket, said };
  };
  const before = talk();
  before.socket.write('one');
  await until(() => before.said.text === 'one', { what: 'the echo' });

  proxy.cut();
  before.socket.write('two');
  const during = talk();
  during.socket.write('three');
  await once(during.socket, 'connect');
  // What would pass takes less than this answer of the server itself.
  const direct = connect(to.port, to.host);
  direct.write('direct');
  await once(direct, 'data');
  direct.destroy();
  expect([before.said.text, during.said.text]).toEqual(['one', '']);

  proxy.heal();
  await until(() => before.said.text === 'onetwo' && during.said.text === 'three', { what: 'what was held up' });
  before.socket.end();
  await until(() => before.said.isOver, { what: 'the end is passed on' });
  during.socket.destroy();
  server.close();
});
