import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { statusOf } from '#schemas/http/errors.ts';
import type { ApiProblem } from './api-problem.ts';
import { problemBodyOf } from './problem-body.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';

/** Of an answer in pieces. */
const STREAMED_FROM_BYTES = 500_000;
const PART_CHARACTERS = 65_536;

/** What every answer carries beside its content. */
export interface Frame {
  readonly requestId: string;
  /** Null when the request was not counted. */
  readonly allowance: Admission | null;
  /** The last answer on its connection: the service is draining. */
  readonly closing: boolean;
  /** Where clients reach the pages about errors. */
  readonly publicUrl: string;
}

/** Gives each part in a turn of the event loop that the sender may have. */
export type InTurn = (parts: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * A body that is JSON already, written piece by piece. Full parts of it are kept as bytes, outside of the heap: a page
 * takes a while to make, and texts that live so long have V8 collect its whole heap, which delays all other requests.
 */
export class JsonText {
  readonly #inTurn: InTurn;
  readonly #full: Buffer[] = [];
  #rest = '';

  constructor(inTurn: InTurn) {
    this.#inTurn = inTurn;
  }

  add(piece: string): void {
    this.#rest += piece;
    if (this.#rest.length < PART_CHARACTERS) return;
    this.#full.push(Buffer.from(this.#rest));
    this.#rest = '';
  }

  get parts(): readonly Buffer[] {
    return [...this.#full, Buffer.from(this.#rest)];
  }

  /** A socket takes megabytes before it has the writer wait: to hand over all at once would delay other requests. */
  partsInTurn(): AsyncIterable<Uint8Array> {
    return this.#inTurn(this.parts);
  }
}

export interface Success {
  readonly status: number;
  /** undefined: none, as of a 204. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendSuccess(response: ServerResponse, frame: Frame, { status, body, headers = {} }: Success): void {
  if (body instanceof JsonText) return send(response, frame, status, body, headers);
  send(response, frame, status, body === undefined ? null : JSON.stringify(body), headers);
}

/** Every answer that is no success has this envelope, refusals of the HTTP server among them. */
export function sendProblem(
  response: ServerResponse,
  frame: Frame,
  problem: ApiProblem,
  headers: Readonly<Record<string, string>> = {},
): void {
  const own: Record<string, string> = { ...headers };
  if (problem.retryAfterSeconds !== undefined) own['Retry-After'] = String(problem.retryAfterSeconds);
  if (problem.code === 'unauthorized') own['WWW-Authenticate'] ??= 'Bearer realm="crier"';
  const error = problemBodyOf(problem, frame.publicUrl);
  send(response, frame, statusOf(problem.code), JSON.stringify({ error }), own);
}

/** `who`: whose requests are counted, e.g. "This key". */
export function rateLimited({ resetSeconds, limit }: Admission, who = 'This key'): ApiProblem {
  return {
    code: 'rate_limited',
    message: `${who} may make ${limit} requests a minute. Please try again in ${resetSeconds} ${resetSeconds === 1 ? 'second' : 'seconds'}.`,
    retryAfterSeconds: resetSeconds,
  };
}

function send(
  response: ServerResponse,
  { requestId, allowance, closing }: Frame,
  status: number,
  content: JsonText | string | null,
  own: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const parts = content instanceof JsonText ? content.parts : [];
  const bytes =
    typeof content === 'string' ? Buffer.byteLength(content) : parts.reduce((sum, { length }) => sum + length, 0);
  const headers: Record<string, string | number> = {
    ...(content !== null && { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes }),
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...own,
  };
  if (allowance !== null) {
    headers['RateLimit-Limit'] = allowance.limit;
    headers['RateLimit-Remaining'] = allowance.remaining;
    headers['RateLimit-Reset'] = allowance.resetSeconds;
  }
  if (closing) headers['Connection'] = 'close';
  response.writeHead(status, headers);
  if (content === null) return void response.end();
  // As many bytes as characters means ASCII, which Node writes much faster as Latin-1 than as UTF-8.
  if (typeof content === 'string') return void response.end(content, bytes === content.length ? 'latin1' : 'utf8');
  if (bytes > STREAMED_FROM_BYTES) return void pipeline(Readable.from(content.partsInTurn()), response, () => {});
  // Few parts go out together. A single one is not held back: of a response that is compressed the end comes later, and
  // what is held back then is never sent.
  if (parts.length > 1) response.cork();
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}
