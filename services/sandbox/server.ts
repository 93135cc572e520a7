import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Listening, type ListeningOptions } from '#runtime/listening.ts';
import { createHostGuard } from '#runtime/host-guard.ts';
import { refused } from './control-fields.ts';
import type { SandboxAnswer } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';

/** TikTok's last part of a video may have 128 MiB, the most of any Network; a form adds a little. */
const MAX_UPLOAD_BYTES = 129 * 1_048_576;
const MAX_BODY_BYTES = 1_048_576;

export interface BodyLimit {
  readonly limitBytes: number;
  /** Called once, when more than `limitBytes` arrive: returns the new limit. */
  readonly more?: (begin: Uint8Array) => number;
}

/**
 * The whole body; null when it is too large. The rest of such a body is read and dropped, because a sender that is not
 * read never reads the refusal; beyond the largest allowed body the connection is ended.
 */
export async function readBody(message: IncomingMessage, { limitBytes, more }: BodyLimit): Promise<Uint8Array | null> {
  let limit = limitBytes;
  let bytes = 0;
  let chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) {
    const isFirstBeyond = bytes <= limitBytes && bytes + chunk.length > limitBytes;
    bytes += chunk.length;
    chunks.push(chunk);
    if (isFirstBeyond && more !== undefined) limit = more(Buffer.concat(chunks));
    if (bytes > limit) chunks = [];
    if (bytes > MAX_UPLOAD_BYTES) return null;
  }
  if (bytes > limit) return null;
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

export function send(response: ServerResponse, answer: SandboxAnswer, withBody: boolean): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(withBody ? answer.body : undefined);
}

export function plainHeaders(message: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

async function answer(message: IncomingMessage, response: ServerResponse, sandbox: Sandbox): Promise<void> {
  const url = message.url ?? '/';
  const head = {
    method: message.method === 'HEAD' ? 'GET' : (message.method ?? 'GET'),
    url,
    headers: plainHeaders(message),
  };
  let isKnown = false;
  const more = (begin: Uint8Array): number => {
    isKnown = sandbox.isFromKnown({ ...head, body: begin });
    return isKnown ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
  };
  const read = await readBody(message, { limitBytes: MAX_BODY_BYTES, more });
  if (read === null) response.shouldKeepAlive = false;
  if (read === null && (isKnown || !url.startsWith('/sim/'))) {
    return send(
      response,
      refused(413, 'too_large', `A body may have ${isKnown ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES} bytes.`),
      true,
    );
  }
  // Networks refuse strangers whatever these send, so the bytes do not matter then.
  const outcome = await sandbox.handle({ ...head, body: read ?? new Uint8Array() });
  if ('cut' in outcome) message.socket.destroy();
  else send(response, outcome, message.method !== 'HEAD');
}

export interface SandboxServerOptions extends Omit<ListeningOptions, 'scheme'> {
  /** Its addresses beside the one where it listens. */
  readonly urls: readonly string[];
}

/** Serves a sandbox over plain http, to its own pages and to requests at its own addresses; a cut ends the socket. */
export function createSandboxServer(sandbox: Sandbox, { urls, ...options }: SandboxServerOptions): Listening {
  const foreign = createHostGuard({ host: options.host, urls: () => urls });
  const server = createServer((message, response) => {
    const refusal = foreign({ headers: message.headers, localAddress: message.socket.localAddress });
    if (refusal !== null) {
      response.shouldKeepAlive = false;
      return send(response, refused(403, 'forbidden', refusal), message.method !== 'HEAD');
    }
    answer(message, response, sandbox).catch((error: unknown) => {
      // A client that disconnected while it was sending is no failure of the sandbox.
      if (!message.complete) return void message.socket.destroy();
      options.reporter.failure('sandbox-request-failed', error, {
        method: message.method,
        path: (message.url ?? '').replace(/\?.*$/s, ''),
      });
      if (response.headersSent) message.socket.destroy();
      else send(response, refused(500, 'internal', 'The sandbox failed.'), true);
    });
  });
  return new Listening('sandbox', server, { ...options, scheme: 'http' });
}
