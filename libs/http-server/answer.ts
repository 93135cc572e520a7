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

/** A body that is JSON already, in pieces that are sent one after the other. */
export class JsonPieces {
  readonly texts: readonly string[];
  readonly #inTurn: InTurn;

  constructor(texts: readonly string[], inTurn: InTurn) {
    this.texts = texts;
    this.#inTurn = inTurn;
  }

  /**
   * Larger parts, each in its turn. A socket takes megabytes before it has the writer wait, and to encode all of them
   * at once would delay other requests.
   */
  parts(): AsyncIterable<string> {
    return this.#inTurn(partsOf(this.texts));
  }
}

/** Gives each part in a turn of the event loop that the sender may have. */
export type InTurn = (parts: Iterable<string>) => AsyncIterable<string>;

function* partsOf(texts: readonly string[]): Generator<string> {
  let part = '';
  for (const text of texts) {
    part += text;
    if (part.length < PART_CHARACTERS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

export interface Success {
  readonly status: number;
  /** undefined: none, as of a 204. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendSuccess(response: ServerResponse, frame: Frame, { status, body, headers = {} }: Success): void {
  if (body instanceof JsonPieces) return send(response, frame, status, body, headers);
  send(response, frame, status, body === undefined ? null : [JSON.stringify(body)], headers);
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
  send(response, frame, statusOf(problem.code), [JSON.stringify({ error })], own);
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
  content: JsonPieces | readonly string[] | null,
  own: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const texts = content instanceof JsonPieces ? content.texts : content;
  const sizes = (texts ?? []).map((text) => Buffer.byteLength(text));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const headers: Record<string, string | number> = {
    ...(texts !== null && { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes }),
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
  const last = (texts ?? []).length - 1;
  if (last < 0) return void response.end();
  if (content instanceof JsonPieces && bytes > STREAMED_FROM_BYTES)
    return void pipeline(Readable.from(content.parts()), response, () => {});
  // Small pieces go out together. One piece is not held back: of a response that is compressed the end comes later, and
  // what is held back then is never sent.
  if (last > 0) response.cork();
  // As many bytes as characters means ASCII, which Node writes much faster as Latin-1 than as UTF-8.
  for (const [index, text] of texts!.entries()) {
    const encoding = sizes[index] === text.length ? 'latin1' : 'utf8';
    if (index < last) response.write(text, encoding);
    else response.end(text, encoding);
  }
}
