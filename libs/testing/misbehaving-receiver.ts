import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { EgressOverride } from '#adapters/undici/public-http.ts';
import { createServerIdentity, type CertificateFault } from './test-certificates.ts';

/**
 * How a receiver answers one request after it has read all of it:
 * - `answer`: with this status, `afterMs` later;
 * - `hang`: not at all, the connection stays open;
 * - `close`: the connection ends without an answer;
 * - `stall`: status 200, a part of the body, then nothing more;
 * - `reset`: status 200, a part of the body, then the connection is reset;
 * - `redirect`: 302 to another address;
 * - `flood`: status 200, then `bytes` of body (1 GB), as fast as the client reads them;
 * - `drip`: status 200, then a byte every `everyMs`, for ever.
 */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly afterMs?: number;
      readonly headers?: Headers;
      readonly body?: string | Uint8Array;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'close' }
  | { readonly kind: 'stall'; readonly headers?: Headers; readonly body?: string | Uint8Array }
  | { readonly kind: 'reset' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'flood'; readonly bytes?: number; readonly headers?: Headers }
  | { readonly kind: 'drip'; readonly everyMs: number; readonly headers?: Headers };

type Headers = Readonly<Record<string, string>>;

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Wall time at which its last byte arrived, in milliseconds. */
  readonly at: number;
}

export interface MisbehavingReceiver extends AsyncDisposable {
  /** `https://<name>/`, which is reachable through `override`. */
  readonly url: string;
  /** For `createPublicHttp`: leads to this server, and trusts the receiver's own authority. */
  readonly override: EgressOverride;
  /** All requests that arrived completely, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** TCP connections accepted so far, with or without a request. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  /** Bytes of bodies that were handed to the system so far, over all answers. */
  bytesSent(): number;
  /**
   * Sets the behaviours from the next request on: one after the other, the last one for ever. Before, each request is
   * answered 204 at once.
   */
  behave(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** Default: `hooks.test`. */
  readonly name?: string;
  readonly certificate?: CertificateFault;
}

const GIGABYTE = 1_000_000_000;
const PIECE = Buffer.alloc(64 * 1024, 'a');

/** `behaviour` `count` times. Nine times 500, then 204: `[...times(9, answer(500)), answer(204)]`. */
export const times = (count: number, behaviour: Behaviour): readonly Behaviour[] =>
  Array.from({ length: count }, () => behaviour);
export const answer = (
  status: number,
  more: { readonly afterMs?: number; readonly headers?: Headers; readonly body?: string | Uint8Array } = {},
): Behaviour => ({
  kind: 'answer',
  status,
  ...more,
});

/** An https server on 127.0.0.1 that behaves as scripted and records its requests. */
export async function startMisbehavingReceiver({
  name = 'hooks.test',
  certificate = 'none',
}: ReceiverOptions = {}): Promise<MisbehavingReceiver> {
  const identity = createServerIdentity([name], certificate);
  const requests: ReceivedRequest[] = [];
  const ends = new Set<() => void>();
  const sockets = new Set<Socket>();
  const counts = { connections: 0, bytesSent: 0 };
  let behaviours: readonly Behaviour[] = [answer(204)];
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    bodyOf(request).then(
      (body) => {
        requests.push({
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body,
          at: Date.now(),
        });
        const [next, ...others] = behaviours;
        if (others.length > 0) behaviours = others;
        // TLS has no reset of its own, so the TCP connection below it is reset.
        const reset = (): void =>
          void [...sockets].find(({ remotePort }) => remotePort === request.socket.remotePort)?.resetAndDestroy();
        meet(next!, response, { counts, ends, reset });
      },
      () => request.socket.destroy(),
    );
  });
  server.on('connection', (socket: Socket) => {
    counts.connections += 1;
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  // A client that rejects the certificate is no error of this server.
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const end of ends) end();
    const closed = new Promise((resolve) => server.close(resolve));
    // Includes connections that never finished their handshake, which the http server does not know.
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `https://${name}/`,
    override: { name, host: '127.0.0.1', port, ca: identity.ca },
    requests,
    connections: () => counts.connections,
    open: () => sockets.size,
    bytesSent: () => counts.bytesSent,
    behave: (...next) => (behaviours = next.length > 0 ? next : [answer(204)]),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

interface Meeting {
  readonly counts: { bytesSent: number };
  readonly ends: Set<() => void>;
  readonly reset: () => void;
}

function meet(behaviour: Behaviour, response: ServerResponse, { counts, ends, reset }: Meeting): void {
  response.on('error', () => {});
  switch (behaviour.kind) {
    case 'answer': {
      const { status, afterMs = 0, headers = {}, body = '' } = behaviour;
      const timer = setTimeout(() => {
        response.writeHead(status, headers).end(body);
        counts.bytesSent += Buffer.byteLength(body);
      }, afterMs);
      return endWith(response, ends, () => clearTimeout(timer));
    }
    case 'hang':
      return;
    case 'close':
      return void response.destroy();
    case 'stall':
      return void response.writeHead(200, behaviour.headers).write(behaviour.body ?? '{"received":');
    case 'reset':
      response.writeHead(200, { 'content-length': '1000' });
      return void response.write('{"received":', reset);
    case 'redirect':
      return void response.writeHead(302, { location: behaviour.to }).end();
    case 'flood':
      response.writeHead(200, behaviour.headers);
      return flood(response, behaviour.bytes ?? GIGABYTE, counts);
    case 'drip': {
      response.writeHead(200, behaviour.headers);
      const timer = setInterval(() => response.write('.', () => (counts.bytesSent += 1)), behaviour.everyMs);
      return endWith(response, ends, () => clearInterval(timer));
    }
  }
}

function endWith(response: ServerResponse, ends: Set<() => void>, end: () => void): void {
  ends.add(end);
  response.on('close', () => {
    end();
    ends.delete(end);
  });
}

function flood(response: ServerResponse, bytes: number, counts: { bytesSent: number }): void {
  const more = (left: number): void => {
    if (response.destroyed) return;
    if (left <= 0) return void response.end();
    const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
    counts.bytesSent += piece.length;
    if (response.write(piece)) setImmediate(more, left - piece.length);
    else response.once('drain', () => more(left - piece.length));
  };
  more(bytes);
}
