import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { MediaAddresses, MediaFile } from '#runtime/media-addresses.ts';
import { done, failed, settled, UNAVAILABLE, type Outcome } from '../outcome.ts';
import { Places } from '../uploads/places.ts';
import { rangeOf, type ByteRange } from './byte-range.ts';
import type { OpenExchange, Sent } from './serve.ts';

export interface MediaDoorOptions {
  readonly blobs: BlobStore;
  readonly mediaAddresses: Pick<MediaAddresses, 'open'>;
  readonly mediaReadersAtOnce: number;
  readonly reporter: Reporter;
}

const NO_FILE = failed('not_found', 'There is no such file.');
const BUSY = { ok: false, problem: { ...UNAVAILABLE, message: 'Too many files are being read at once. Please try again in a few seconds.' } } as const;
/** Who takes nothing for as long holds a place that others could use. */
const STALLED_MS = 60_000;

/** What a Member gave is shown, and never run: not as a page, not as a script, whatever a browser makes of its bytes. */
const GUARDS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Disposition': 'inline',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Accept-Ranges': 'bytes',
} as const;

/** GET and HEAD of files by their unguessable names: open to everybody, for Networks fetch them without a key. */
export function createMediaDoor({ blobs, mediaAddresses, mediaReadersAtOnce, reporter }: MediaDoorOptions): (exchange: OpenExchange) => Promise<Outcome<Sent>> {
  const places = new Places(mediaReadersAtOnce, mediaReadersAtOnce);
  const serve = async (file: MediaFile, name: string, { request, response, requestId }: OpenExchange): Promise<Outcome<Sent>> => {
    const found = await blobs.head(file.blob);
    if (found === null) return NO_FILE;
    const etag = `"${name.slice(0, name.lastIndexOf('.'))}"`;
    const headers = { ...GUARDS, ETag: etag, 'Content-Type': file.contentType, 'X-Request-Id': requestId };
    if (isKnown(request, etag)) return sent(response, 304, headers);
    const range = request.method === 'GET' && holds(request, etag) ? rangeOf(request.headers.range, found.bytes) : 'all';
    if (range === 'none') return { ok: false, problem: { code: 'range_not_satisfiable', message: `The file has ${found.bytes} bytes, and none of those that were asked for.` } };
    const { start, end }: ByteRange = range === 'all' ? { start: 0, end: found.bytes - 1 } : range;
    const length = { 'Content-Length': String(end - start + 1), ...(range !== 'all' && { 'Content-Range': `bytes ${start}-${end}/${found.bytes}` }) };
    const status = range === 'all' ? 200 : 206;
    if (request.method === 'HEAD') return sent(response, status, { ...headers, ...length });
    const content = await blobs.get(file.blob, range === 'all' ? undefined : range);
    response.setTimeout(STALLED_MS, () => response.destroy());
    response.writeHead(status, { ...headers, ...length });
    // Either side may end it: a client that goes away closes the file, a file that breaks off cuts the answer short of its length.
    await pipeline(content, response).catch((error: unknown) => {
      if (!response.destroyed) response.destroy();
      if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') reporter.failure('media-cut-off', error, { blob: file.blob });
    });
    return done({ sent: true, status });
  };
  return (exchange) =>
    settled('read', async () => {
      const name = String(exchange.request.params['name']);
      const file = mediaAddresses.open(name);
      if (file === null) return NO_FILE;
      const leave = places.take('');
      if (leave === null) return BUSY;
      try {
        return await serve(file, name, exchange);
      } finally {
        leave();
      }
    });
}

function sent(response: Response, status: number, headers: Readonly<Record<string, string>>): Outcome<Sent> {
  response.writeHead(status, headers);
  response.end();
  return done({ sent: true, status });
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag) || known.includes('*');
}

/** A range counts only for the file that its asker has the beginning of. */
function holds(request: Request, etag: string): boolean {
  const condition = request.headers['if-range'];
  return condition === undefined || condition === etag;
}
