import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Headers of a request that the library may see. Whatever speaks of hosts and proxies is not among them. */
const PASSED_ON = ['authorization', 'content-type', 'cookie', 'origin', 'user-agent'] as const;

export interface PresentedRequest {
  readonly request: IncomingMessage;
  /** Path and query, below the public address. */
  readonly target: string;
  /** Empty: none. */
  readonly body: Buffer;
  /** The Accept header: of what kind the library's errors are. */
  readonly accept: string;
  readonly publicUrl: string;
}

/**
 * A request as the authorization server's library is to see it: sent to the public address, whatever Host, forwarded
 * headers or absolute form its sender chose, since the library makes the addresses in its documents from these.
 */
export function presented({ request, target, body, accept, publicUrl }: PresentedRequest): IncomingMessage {
  const { host, protocol, pathname } = new URL(publicUrl);
  const headers: Record<string, string> = { host, accept };
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  if (body.length > 0) headers['content-length'] = String(body.length);
  const facts = {
    // The library knows no HEAD; Node leaves the body out by itself.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    url: target,
    originalUrl: `${pathname.replace(/\/$/, '')}${target}`,
    headers,
    httpVersion: request.httpVersion,
    socket: { encrypted: protocol === 'https:', remoteAddress: request.socket.remoteAddress },
  };
  return Object.assign(Readable.from(body.length > 0 ? [body] : []), facts) as unknown as IncomingMessage;
}
