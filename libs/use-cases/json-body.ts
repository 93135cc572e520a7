import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Pause, TimeSlices } from '#concurrency/time-slice.ts';
import { fieldNameOf } from '#schemas/http/parse.ts';
import type { ApiCall } from './caller.ts';
import { parseInPieces, UnreadableJson } from './json-pieces.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';
import type { RequestTurns } from './request-turns.ts';

const MAX_BODY_BYTES = 1_000_000;

const JSON_TYPE = /^application\/json *(; *charset="?utf-8"? *)?$/i;

const TOO_LARGE = failed('too_large', 'The request body is larger than 1 MB.');
const WRONG_TYPE = failed(
  'unsupported_media_type',
  'The request body must have the Content-Type application/json, in UTF-8 and not compressed.',
);

/** The connection broke while the body was received, so there is no client to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** Who sends a body, and waits for the answer until the signal is aborted. */
export type BodySender = Pick<ApiCall, 'workspaceId' | 'signal'>;

export interface BodyTurns {
  readonly turns: Pick<RequestTurns, 'run'>;
  readonly slices: TimeSlices;
}

/** To read and to parse more than this costs more than the rest of most requests. */
const LARGE_BYTES = 32_000;

/**
 * The JSON value in the request's body; undefined when it has none. A body that is not acceptable is a problem; rejects
 * only with `RequestAborted`. A large one is read when it is its Workspace's turn, and waits in the client until then:
 * otherwise the bodies that one Workspace sends at once would all be read, and parsed one after the other, before any
 * pool is asked.
 */
export function readJsonBody(
  request: IncomingMessage,
  sender: BodySender,
  { turns, slices }: BodyTurns,
): Promise<UseCaseResult<unknown>> {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  if (chunked === undefined && Number(length ?? 0) <= LARGE_BYTES)
    return readBody(request, (bytes) => parseJson(bytes, () => {}));
  const { workspaceId } = sender;
  return turns.run('bodies', sender, () =>
    readBody(request, async (bytes) => {
      // Those that have come begin one in each turn of the loop.
      await slices.run(workspaceId, () => {});
      return parseJson(bytes, slices.begin(workspaceId));
    }),
  );
}

async function readBody(
  request: IncomingMessage,
  parse: (bytes: Buffer) => Promise<UseCaseResult<unknown>>,
): Promise<UseCaseResult<unknown>> {
  const {
    'content-length': length,
    'content-type': type,
    'content-encoding': encoding,
    'transfer-encoding': chunked,
  } = request.headers;
  if (chunked === undefined && (length === undefined || Number(length) === 0)) return done(undefined);
  if (Number(length ?? 0) > MAX_BODY_BYTES) return TOO_LARGE;
  if (type !== 'application/json' && type !== undefined && !JSON_TYPE.test(type)) return WRONG_TYPE;
  if (encoding !== undefined && encoding !== 'identity') return WRONG_TYPE;
  const bytes = await readBytes(request);
  if (bytes === null) return TOO_LARGE;
  if (bytes.length === 0) return done(undefined);
  return type === undefined ? WRONG_TYPE : parse(bytes);
}

/** Null when there are too many; the rest is then left for Node to discard. */
function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  // The request may have broken off while its credential was looked up: then no event will come.
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
    // A complete request closes too, and an error is expensive to construct.
    const broken = () => void (request.complete || reject(new RequestAborted()));
    request.on('error', broken);
    request.on('close', broken);
  });
}

async function parseJson(bytes: Buffer, pause: Pause): Promise<UseCaseResult<unknown>> {
  if (!isUtf8(bytes)) return failed('invalid_request', 'The request body is not valid UTF-8.');
  let value: unknown;
  try {
    value = await parseInPieces(bytes, pause);
  } catch (error) {
    if (error instanceof UnreadableJson) return failed('invalid_request', error.message);
    throw error;
  }
  // JSON can express these only by an escape or by the name: other bodies need no walk.
  const suspicious = bytes.includes('\\u') || bytes.includes('__proto__');
  const trouble = suspicious ? await troubleIn(value, pause) : null;
  return trouble === null ? done(value) : failed('invalid_request', trouble);
}

/** A value in a body, with its parent and the name it has there. */
interface Place {
  readonly value: object;
  readonly within: Place | null;
  readonly name: string | number;
}

/**
 * Finds names of fields that no store could keep as they are, or that would change an object instead of being stored.
 * Texts are checked with their fields.
 */
async function troubleIn(root: unknown, pause: Pause): Promise<string | null> {
  const open: Place[] = [];
  const look = (value: unknown, within: Place | null, name: string | number): void => {
    if (typeof value === 'object' && value !== null) open.push({ value, within, name });
  };
  look(root, null, '');
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    await pause();
    const { value } = place;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(item, place, index);
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') return `${fieldNameOf([...pathOf(place), key])} is not a known field.`;
      if (key.includes('\0')) return `${nameOf(place)} has a field with U+0000 in its name.`;
      if (!key.isWellFormed()) return `${nameOf(place)} has a field with half of a surrogate pair in its name.`;
      look(item, place, key);
    }
  }
  return null;
}

const DEEPEST_NAMED = 20;

function nameOf(place: Place): string {
  return fieldNameOf(pathOf(place)) || 'The request body';
}

function pathOf(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at.within !== null && path.length < DEEPEST_NAMED; at = at.within) path.unshift(at.name);
  return path;
}
