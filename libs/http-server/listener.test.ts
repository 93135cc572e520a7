import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { until } from '#testing/until.ts';
import { createListener } from './listener.ts';

test('a request that arrives too slowly is ended, unless its handler bounds it', async () => {
  const patientWith = new WeakSet<Duplex>();
  const server = createListener(
    (request, response) => {
      if (request.url === '/patient') patientWith.add(request.socket);
      request.on('end', () => response.end('served')).resume();
    },
    {
      tls: null,
      patientWith,
      publicUrl: () => 'http://crier.test',
      answerPace: {
        clock: createMemoryClock(),
        pace: { bytesPerSecond: 1, windowMs: 60_000 },
        onCutOff: () => {},
      },
      newRequestId: () => 'request-7',
      more: { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 },
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let heard = '';
    socket
      .setEncoding('latin1')
      .on('data', (data: string) => (heard += data))
      .on('error', () => {});
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na`);
    return { socket, heard: () => heard };
  };
  try {
    const [patient, other] = [ask('/patient'), ask('/other')];
    await until(() => other.socket.destroyed, { what: 'the end of the slow one' });
    expect(other.heard()).toMatch(/^HTTP\/1.1 400 .*\r\nX-Request-Id: request-7\r\n.*too long to arrive/s);
    expect([patient.heard(), patient.socket.destroyed]).toEqual(['', false]);
    patient.socket.write('b');
    await until(() => patient.heard().endsWith('served'), { what: 'an answer' });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
