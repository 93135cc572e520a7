import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { MediaAddresses, MediaFile } from '#media/media-addresses.ts';
import type { FairPool } from '#concurrency/fair-pool.ts';
import { inSlices } from '#concurrency/in-slices.ts';
import { shareOf, type Permit } from '#concurrency/permit.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { FileOwners } from '../file-owners.ts';
import type { IsServed } from '../served-files.ts';
import { done, failed, settled, UNAVAILABLE, type UseCaseResult } from '#use-cases/outcome.ts';
import { rangeOf, type ByteRange } from './byte-range.ts';
import { clientHolderOf } from '#http-server/client-holder.ts';
import { enforceReaderPace } from './reader-pace.ts';
import type { OpenExchange, SentResponse } from './serve.ts';

export interface MediaRouteOptions {
  readonly blobs: BlobStore;
  readonly mediaAddresses: Pick<MediaAddresses, 'open'>;
  readonly fileOwners: FileOwners;
  readonly isServed: IsServed;
  readonly mediaReadersAtOnce: number;
  readonly pools: Pools;
  readonly slices: TimeSlices;
  /** Answers whose reader is judged here, and not by the listener. */
  readonly judgedByHandler: WeakSet<ServerResponse>;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

const NO_FILE = failed('not_found', 'There is no such file.');
const WHOSE = {
  all: 'Too many files are being read at once.',
  client: 'Too many files are being read at once from your address.',
  workspace: 'Too many files of this Workspace are being read at once.',
  account: 'Too many files of the Workspaces of this owner are being read at once.',
} as const;
/**
 * One client has at most a quarter of all permits, whatever it reads. The files of one Workspace have at most half of
 * them, since Networks read from many addresses.
 */
const PARTS = { client: 4, workspace: 2 } as const;
/**
 * A burst of readers from one address waits at most this long for slots: a Network may give up a file whose read was
 * refused.
 */
const WAITS_MS = 5_000;
const WAITING_FOR_EACH_PERMIT = 4;
/** The longest time without progress of the store or the reader. */
const STALLED_MS = 60_000;

/**
 * A file of a Member is shown and never run, neither as a page nor as a script, whatever a browser makes of its bytes.
 */
const GUARDS = {
  // The bytes never change, but a Member may take them back: a cache asks again after a day.
  'Cache-Control': 'public, max-age=86400',
  'X-Content-Type-Options': 'nosniff',
  'Content-Disposition': 'inline',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Accept-Ranges': 'bytes',
} as const;

interface ServedFile {
  readonly file: MediaFile;
  readonly workspaceId: string;
}

/** GET and HEAD of files by unguessable names. They need no key, as Networks fetch files without one. */
export function createMediaRoute(
  options: MediaRouteOptions,
): (exchange: OpenExchange) => Promise<UseCaseResult<SentResponse>> {
  const { mediaAddresses, fileOwners, isServed, mediaReadersAtOnce: count, pools, clock, reporter } = options;
  const readers = pools.open<'client'>('media-reads', {
    permits: count,
    maxOf: { client: shareOf(count, PARTS.client), workspace: shareOf(count, PARTS.workspace) },
    maxWaiting: count * WAITING_FOR_EACH_PERMIT,
  });
  return (exchange) =>
    settled('read', async () => {
      const file = mediaAddresses.open(nameIn(exchange.request));
      if (file === null || !(await isServed(file))) return NO_FILE;
      const holders = { client: clientHolderOf(exchange.request.ip), workspace: await fileOwners.ofBlob(file.blob) };
      const quick = readers.tryAcquire(holders);
      const permit = quick.granted ? quick : await permitFor(holders, exchange.response, { readers, clock });
      if (!permit.granted) {
        reporter.report('pool-saturated', {
          pool: 'media-reads',
          limit: permit.by,
          workspaceId: holders.workspace,
          client: exchange.request.ip,
        });
        return busy(permit);
      }
      try {
        return await serve({ file, workspaceId: holders.workspace }, exchange, options);
      } finally {
        permit.release();
      }
    });
}

function nameIn({ params }: Request): string {
  return String(params['name']);
}

async function serve(
  { file, workspaceId }: ServedFile,
  { request, response, names }: OpenExchange,
  { blobs, clock, reporter, slices, judgedByHandler }: MediaRouteOptions,
): Promise<UseCaseResult<SentResponse>> {
  const found = await blobs.head(file.blob);
  if (found === null) return NO_FILE;
  const name = nameIn(request);
  const etag = `"${name.slice(0, name.lastIndexOf('.'))}"`;
  const headers = { ...GUARDS, ETag: etag, 'Content-Type': file.contentType, 'X-Request-Id': names.requestId };
  if (isKnown(request, etag)) return sent(response, 304, headers);
  const range = request.method === 'GET' && holds(request, etag) ? rangeOf(request.headers.range, found.bytes) : 'all';
  if (range === 'none') return unsatisfiable(found.bytes);
  const { start, end }: ByteRange = range === 'all' ? { start: 0, end: found.bytes - 1 } : range;
  const length = {
    'Content-Length': String(end - start + 1),
    ...(range !== 'all' && { 'Content-Range': `bytes ${start}-${end}/${found.bytes}` }),
  };
  const status = range === 'all' ? 200 : 206;
  if (request.method === 'HEAD') return sent(response, status, { ...headers, ...length });
  const content = await blobs.get(file.blob, range === 'all' ? undefined : range);
  judgedByHandler.add(response);
  response.setTimeout(STALLED_MS, () => response.destroy());
  response.writeHead(status, { ...headers, ...length });
  const stopPace = enforceReaderPace(response, clock, () =>
    reporter.report('slow-client-disconnected', { pool: 'media-reads', client: request.ip, blob: file.blob }),
  );
  // The kernel takes some megabytes for each reader before it has the next piece wait.
  const pieces = (file: Readable) => inSlices(file, slices, workspaceId);
  // Either side may end it: a client that disconnects closes the file, and a file that breaks off ends the connection
  // before the announced length.
  await pipeline(content, pieces, response).catch((error: unknown) => {
    if (!response.destroyed) response.destroy();
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      reporter.failure('media-response-failed', error, { blob: file.blob });
  });
  stopPace();
  return done({ sent: true, status });
}

function busy({ by, retryAfterMs }: Refusal): UseCaseResult<never> {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${WHOSE[by]} Please try again in ${retryAfterSeconds} s.`;
  return { ok: false, problem: { ...UNAVAILABLE, message, retryAfterSeconds } };
}

function unsatisfiable(bytes: number): UseCaseResult<SentResponse> {
  const message = `The file has ${bytes} bytes, and the requested range lies beyond them.`;
  return { ok: false, problem: { code: 'range_not_satisfiable', message } };
}

type Holder = keyof typeof PARTS;
type Refusal = Extract<Permit<Holder>, { granted: false }>;

interface Waiting {
  readonly readers: FairPool<Holder>;
  readonly clock: Clock;
}

/** Waits for a permit for a bounded time, and no longer than the reader stays connected. */
function permitFor(
  holders: Readonly<Record<Holder, string>>,
  response: Response,
  { readers, clock }: Waiting,
): Promise<Permit<Holder>> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const cancel = clock.after(WAITS_MS, end);
  response.once('close', end);
  return readers.acquire(holders, ending.signal).finally(() => {
    cancel();
    response.off('close', end);
  });
}

function sent(
  response: Response,
  status: number,
  headers: Readonly<Record<string, string>>,
): UseCaseResult<SentResponse> {
  response.writeHead(status, headers);
  response.end();
  return done({ sent: true, status });
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag) || known.includes('*');
}

/** A range is honoured only for the version of the file that the client already has a part of (If-Range). */
function holds(request: Request, etag: string): boolean {
  const condition = request.headers['if-range'];
  return condition === undefined || condition === etag;
}
