import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { enforceAnswerPace, type AnswerPaceOptions } from './answer-pace.ts';
import { sendProblem, type Frame } from './answer.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import { problemBodyOf } from './problem-body.ts';

/** PEM texts. */
interface KeyPair {
  readonly cert?: string;
  readonly key?: string;
}

/** What a listener of HTTPS shows, which is replaced while it listens. */
export interface ListenerTls {
  readonly texts: () => KeyPair;
  readonly onRenewed: (renewed: (texts: KeyPair) => void) => void;
}

/** The longest time that a request, its body included, may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * Above the minute for which many proxies keep connections: the proxy has to close first, or it reuses a connection
 * that this server just closed.
 */
const KEEP_ALIVE_MS = 65_000;

export interface ListenerOptions {
  /** Null: plain HTTP. */
  readonly tls: ListenerTls | null;
  /** A request on such a connection may take longer than `REQUEST_TIMEOUT_MS`: its handler bounds it. */
  readonly patientWith?: WeakSet<Duplex>;
  readonly publicUrl: () => string;
  /** How long an answer waits for a client that does not take it. */
  readonly answerPace: AnswerPaceOptions;
  /** Of a request that is refused here, which has no other. */
  readonly newRequestId: () => string;
  readonly inFlight?: Pick<RequestsInFlight, 'watch'> | undefined;
  /** Other limits, for tests. */
  readonly more?: Readonly<Record<string, number>>;
}

/** A server whose own refusals, e.g. of bytes that are not HTTP, have the envelope too. */
export function createListener(
  app: RequestListener,
  { tls, patientWith = new WeakSet(), publicUrl, answerPace, newRequestId, inFlight, more = {} }: ListenerOptions,
): Server {
  const limits = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...more,
  };
  const server = tls === null ? createServer(limits, app) : createSecureServer(limits, tls, app);
  inFlight?.watch(server);
  enforceAnswerPace(server, tls !== null, answerPace);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Node emits this once a request, and leaves it to this handler to close the connection.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && patientWith.has(socket)) return;
    refuseUnparsed(error, socket, { publicUrl: publicUrl(), requestId: newRequestId() });
  });
  // Without this listener Node answers 417 with an empty body.
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const frame = { requestId: newRequestId(), allowance: null, closing: true, publicUrl: publicUrl() };
    sendProblem(response, frame, {
      code: 'invalid_request',
      message: 'The Expect header asks for something that is not offered.',
    });
  });
  return server;
}

function createSecureServer(limits: object, tls: ListenerTls, app: RequestListener): Server {
  const server = createTlsServer({ ...limits, ...tls.texts() }, app);
  // Connections that live go on as they are.
  tls.onRenewed((texts) => server.setSecureContext(texts));
  return server;
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { publicUrl, requestId }: Pick<Frame, 'publicUrl' | 'requestId'>,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const message = MESSAGES[error.code ?? ''] ?? 'The request is not valid HTTP.';
  const body = JSON.stringify({ error: problemBodyOf({ code: 'invalid_request', message }, publicUrl) });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: private, no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
