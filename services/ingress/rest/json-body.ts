import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { done, failed, type Outcome } from '../outcome.ts';

export const MAX_BODY_BYTES = 1_000_000;

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i;

const TOO_LARGE = failed('too_large', 'The request body is larger than 1 MB.');
const WRONG_TYPE = failed('unsupported_media_type', 'The request body must have the Content-Type application/json, in UTF-8 and not compressed.');

/** Nobody is left to answer: the connection broke while the body was on its way. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * The JSON value in the request's body; undefined when it has none. Whatever is wrong with it is a problem; rejects only
 * with `RequestAborted`.
 */
export async function readJsonBody(request: IncomingMessage): Promise<Outcome<unknown>> {
  const { 'content-length': length, 'content-type': type, 'content-encoding': encoding, 'transfer-encoding': chunked } = request.headers;
  if (chunked === undefined && (length === undefined || Number(length) === 0)) return done(undefined);
  if (Number(length ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  if (type !== 'application/json' && type !== undefined && !JSON_TYPE.test(type)) return WRONG_TYPE;
  if (encoding !== undefined && encoding !== 'identity') return WRONG_TYPE;
  const bytes = await readBytes(request);
  if (bytes === null) return TOO_LARGE;
  if (bytes.length === 0) return done(undefined);
  return type === undefined ? WRONG_TYPE : parseJson(bytes);
}

/** Null when there are too many; the rest is then left for Node to discard. */
function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  // It may have broken off while its credential was looked up: then no event is still to come.
  if (request.destroyed) return Promise.reject(new RequestAborted());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk);
      request.off('data', onData);
      request.resume();
      resolve(null);
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    // A request that came whole closes as well, and an error is dear to make.
    const broken = () => void (request.complete || reject(new RequestAborted()));
    request.on('error', broken);
    request.on('close', broken);
  });
}

function parseJson(bytes: Buffer): Outcome<unknown> {
  if (!isUtf8(bytes)) return failed('invalid_request', 'The request body is not valid UTF-8.');
  let value: unknown;
  const text = bytes.toString('utf8');
  try {
    value = JSON.parse(text);
  } catch {
    return failed('invalid_request', 'The request body is not valid JSON.');
  }
  // JSON can say these only by an escape, or by the name: bodies without one need no walk.
  const suspicious = text.includes('\\u') || text.includes('__proto__');
  const trouble = suspicious ? troubleIn(value) : null;
  return trouble === null ? done(value) : failed('invalid_request', trouble);
}

/** Text that stores and Networks could not keep as it is, or a key that would change an object instead of being kept. */
function troubleIn(root: unknown): string | null {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      if (value.includes('\0')) return 'The request body has a text with the character U+0000.';
      if (!value.isWellFormed()) return 'The request body has a text with half of a surrogate pair.';
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (key === '__proto__') return '__proto__ is not a known field.';
        open.push(key, item);
      }
    }
  }
  return null;
}
