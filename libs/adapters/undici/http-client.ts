import { Agent, type Dispatcher } from 'undici';
import {
  HttpFailure,
  MAX_RESPONSE_BYTES,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '#ports/http-client.ts';

export interface HttpClientOptions {
  /** Sockets to one origin; further requests wait for one while their time-out runs. */
  readonly connectionsPerOrigin?: number;
  readonly connectTimeoutMs?: number;
  /**
   * How long an idle socket is kept. Shorter than servers keep theirs (5 s and more), so that a kept socket is seldom
   * closed.
   */
  readonly idleSocketMs?: number;
  /** Of every request, so that the operator of the Network knows whom to contact. Default: none. */
  readonly userAgent?: string;
}

/**
 * An HttpClient for Networks. What undici 8 repeats by itself, from its source, and how this client prevents it:
 * - HTTP/2 (on by default): a stream that was refused, or cut off by GOAWAY, is sent again on another session, whatever
 *   its method (client-h2.js, retryRefusedStream and retryUnsentStream). Hence `allowH2: false`.
 * - HTTP/1: when a socket closes, the request in flight fails, but with an error of code UND_ERR_INFO it is put back
 *   among the waiting ones and written again (client-h1.js, onHttpSocketClose). undici's own paths to that code have
 *   nothing in flight; a second `onRequestStart` is refused here all the same, which holds for any version.
 * - Pipelined requests behind a failed one are written again. Hence `pipelining: 1`.
 * - An idle socket is checked for a pending FIN before it is written to. A request whose socket breaks during it counts
 *   as sent, because it is unknown whether the server read it. `onRequestStart` runs right before the first byte is
 *   written, which makes it the line between sent and not sent.
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient & { close(): Promise<void> } {
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    connections: options.connectionsPerOrigin ?? 64,
    connect: { timeout: options.connectTimeoutMs ?? 10_000 },
    keepAliveTimeout: options.idleSocketMs ?? 4_000,
    keepAliveMaxTimeout: options.idleSocketMs ?? 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const said = options.userAgent === undefined ? {} : { 'user-agent': options.userAgent };
  return {
    send: (request) =>
      new Promise((resolve, reject) =>
        new Exchange({ ...request, headers: { ...said, ...request.headers } }, resolve, reject).dispatch(agent),
      ),
    close: () => agent.destroy(),
  };
}

/**
 * One request. Modes: waiting (for a socket) -> started (bytes may have been sent) -> settled, or waiting -> settled.
 * Settled is final: a request that was given up while waiting is never written afterwards.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private mode: 'waiting' | 'started' | 'settled' = 'waiting';
  private sent = false;
  private controller: Dispatcher.DispatchController | null = null;
  private readonly timer: NodeJS.Timeout;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private readonly request: HttpRequest;
  private readonly resolve: (response: HttpResponse) => void;
  private readonly reject: (failure: Error) => void;

  constructor(request: HttpRequest, resolve: (response: HttpResponse) => void, reject: (failure: Error) => void) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
    this.timer = setTimeout(
      () => this.fail(new Error(`no whole answer within ${request.timeoutMs} ms`)),
      request.timeoutMs,
    );
  }

  dispatch(agent: Agent): void {
    const url = new URL(this.request.url);
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: this.request.method,
        headers: { ...this.request.headers },
        body: this.request.body ?? null,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.mode !== 'waiting') {
      const again = new Error(this.mode === 'started' ? 'the connection was lost' : 'given up before it was sent');
      this.fail(again);
      // Throwing here prevents undici from writing it.
      throw again;
    }
    this.mode = 'started';
    this.sent = true;
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.toLowerCase(),
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.mode === 'settled') return;
    const room = MAX_RESPONSE_BYTES - this.bytes;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.bytes += Math.min(chunk.length, room);
    if (chunk.length < room) return;
    this.succeed();
    this.controller?.abort(new Error('the rest of the body is not wanted'));
  }

  onResponseEnd(): void {
    this.succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(error);
  }

  private succeed(): void {
    if (!this.settle()) return;
    this.resolve({
      status: this.status,
      headers: this.headers,
      body: new TextDecoder().decode(Buffer.concat(this.chunks)),
    });
  }

  private fail(cause: Error): void {
    if (!this.settle()) return;
    this.reject(
      new HttpFailure(`${this.request.method} ${new URL(this.request.url).origin}: ${cause.message}`, this.sent, {
        cause,
      }),
    );
    this.controller?.abort(cause);
  }

  private settle(): boolean {
    if (this.mode === 'settled') return false;
    this.mode = 'settled';
    clearTimeout(this.timer);
    return true;
  }
}
