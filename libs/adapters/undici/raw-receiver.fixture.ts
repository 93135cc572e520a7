import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { createServerIdentity } from '#testing/test-certificates.ts';
import type { EgressOverride } from './public-http.ts';

export interface RawReceiver extends AsyncDisposable {
  readonly override: EgressOverride;
  /** Connections that are open. */
  open(): number;
}

/** A TLS server for `raw.test` that writes whatever bytes `answer` writes, once the head of a request is there. */
export async function startRawReceiver(answer: (socket: Socket) => void): Promise<RawReceiver> {
  const identity = createServerIdentity(['raw.test']);
  const sockets = new Set<Socket>();
  const server = createServer({ cert: identity.certificate, key: identity.key }, (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    socket.once('data', () => answer(socket));
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    override: { name: 'raw.test', host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: identity.ca },
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
