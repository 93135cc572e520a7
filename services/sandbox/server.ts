import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Listening, type ListeningOptions } from '#runtime/listening.ts';
import { refused } from './control-fields.ts';
import type { Answer } from './exchange.ts';
import type { Sandbox } from './sandbox.ts';

/** TikTok's last part of a video may have 128 MiB, the most of any Network; around it there is room for a form. */
const MOST_UPLOAD_BYTES = 129 * 1_048_576;
const MOST_BODY_BYTES = 1_048_576;

/** The whole body; null when it is larger than it may be. */
export async function readBody(message: IncomingMessage, most: number): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

export function send(response: ServerResponse, answer: Answer, withBody: boolean): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(withBody ? answer.body : undefined);
}

export function plainHeaders(message: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}

async function answer(message: IncomingMessage, response: ServerResponse, sandbox: Sandbox): Promise<void> {
  const most = (message.url ?? '').startsWith('/sim/') ? MOST_UPLOAD_BYTES : MOST_BODY_BYTES;
  const body = await readBody(message, most);
  if (body === null) {
    response.shouldKeepAlive = false;
    send(response, refused(413, 'too_large', `A body may have ${most} bytes.`), true);
    return;
  }
  const method = message.method === 'HEAD' ? 'GET' : (message.method ?? 'GET');
  const outcome = await sandbox.handle({ method, url: message.url ?? '/', headers: plainHeaders(message), body });
  if ('cut' in outcome) message.socket.destroy();
  else send(response, outcome, message.method !== 'HEAD');
}

/** Serves a sandbox over plain http; a cut ends the socket. */
export function createSandboxServer(sandbox: Sandbox, options: Omit<ListeningOptions, 'scheme'>): Listening {
  const server = createServer((message, response) => {
    answer(message, response, sandbox).catch((error: unknown) => {
      // A client that went away while it was sending is no failure of ours.
      if (!message.complete) return void message.socket.destroy();
      options.reporter.failure('sandbox-request', error, { method: message.method, path: (message.url ?? '').replace(/\?.*$/s, '') });
      if (response.headersSent) message.socket.destroy();
      else send(response, refused(500, 'internal', 'The sandbox failed.'), true);
    });
  });
  return new Listening('sandbox', server, { ...options, scheme: 'http' });
}
