import type { IncomingMessage } from 'node:http';
import { Readable, type Duplex } from 'node:stream';
import type { Clock } from '#ports/clock.ts';
import { inSlices } from '#concurrency/in-slices.ts';
import { shareOf, type Permit } from '#concurrency/permit.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import type { FileOwners } from '../file-owners.ts';
import { failed, settled, UNAVAILABLE, type UseCaseResult } from '#use-cases/outcome.ts';
import { incomingFile, FileMismatch, type Shortcoming } from '../uploads/incoming-file.ts';
import { CLOSED, mayArrive, receiveFile, type ReceiveFileOptions } from '../uploads/receive-file.ts';
import type { UploadAddresses, UploadOffer } from '#use-cases/upload-addresses.ts';
import type { Success } from '#http-server/answer.ts';
import { RequestAborted } from '#use-cases/json-body.ts';
import { readQuery } from './query.ts';
import type { OpenExchange } from './serve.ts';

export interface UploadRouteOptions extends Omit<ReceiveFileOptions, 'clock'> {
  readonly uploadAddresses: Pick<UploadAddresses, 'open'>;
  readonly uploadsAtOnce: number;
  readonly pools: Pools;
  readonly slices: TimeSlices;
  readonly fileOwners: FileOwners;
  readonly clock: Clock;
  /** Connections whose requests may take longer than `REQUEST_TIMEOUT_MS` of the listener. */
  readonly patientWith: WeakSet<Duplex>;
}

/** Uploads to one address at once: a repetition may begin before the first try is known to be broken. */
const AT_ONCE_OF_ONE = 2;
/** One Workspace has at most a quarter of all permits. */
const PARTS = 4;
/**
 * How long a client that was answered early may go on sending bytes that are discarded, so that it comes to read the
 * answer.
 */
const LINGER_MS = 5_000;

const ALTERED = failed(
  'forbidden',
  'This upload address is not one that was given out. Use the uploadUrl as it is, or reserve a new upload.',
);
const EXPIRED = failed('forbidden', 'This upload address has expired. Reserve a new upload.');
const TOO_LONG = failed(
  'too_large',
  'The file has more bytes than were reserved. Reserve a new upload with its true length.',
);
const TOO_SHORT = failed(
  'upload_incomplete',
  'The file has fewer bytes than were reserved, and nothing of it was kept. Send all of it, or reserve a new upload with its true length.',
);
const PARTIAL = failed('invalid_request', 'A file is sent whole: Content-Range is not taken.');
const WHOSE = {
  all: 'Too many files are being uploaded at once.',
  workspace: 'Your Workspace has too many files being uploaded at once.',
  account: 'The Workspaces of your owner have too many files being uploaded at once.',
  upload: 'This file is being uploaded twice already.',
} as const;

function busy({ by, retryAfterMs }: Extract<Permit<'workspace' | 'upload'>, { granted: false }>) {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  const message = `${WHOSE[by]} Nothing was kept: please send the file again in ${retryAfterSeconds} s.`;
  return { ok: false, problem: { ...UNAVAILABLE, message, retryAfterSeconds } } as const;
}

const SHORTCOMINGS: Readonly<Record<Exclude<Shortcoming, 'broken'>, UseCaseResult<never>>> = {
  'too-long': TOO_LONG,
  'too-short': TOO_SHORT,
  'too-slow': failed(
    'invalid_request',
    `The file came too slowly, and nothing of it was kept. Send it again, at ${(MIN_CLIENT_PACE.bytesPerSecond * 8) / 1024} kbit/s or more, and fast enough to be whole before the address expires.`,
  ),
  'too-late': EXPIRED,
};

/**
 * PUT of a file to a signed address. The address is the permission: a key in the request is ignored.
 */
export function createUploadRoute(
  options: UploadRouteOptions,
): (exchange: OpenExchange) => Promise<UseCaseResult<Success>> {
  const { uploadsAtOnce, reporter } = options;
  const uploads = options.pools.open<'upload'>('uploads', {
    permits: uploadsAtOnce,
    maxOf: { workspace: shareOf(uploadsAtOnce, PARTS), upload: AT_ONCE_OF_ONE },
    maxWaiting: 0,
  });
  return async ({ request }) => {
    const query = readQuery(request.url);
    const offer = query.ok ? options.uploadAddresses.open(String(request.params['id']), query.value) : null;
    const refused = offer === null ? ALTERED : refusalOf(offer, request, options.clock.now());
    if (offer === null || refused !== null) return afterLingering(request, refused ?? ALTERED, options.clock);
    const workspace = await options.fileOwners.ofAsset(offer.assetId);
    const permit = uploads.tryAcquire({ workspace, upload: offer.assetId });
    if (!permit.granted) {
      reporter.report('pool-saturated', {
        pool: 'uploads',
        limit: permit.by,
        workspaceId: workspace,
        assetId: offer.assetId,
      });
      return afterLingering(request, busy(permit), options.clock);
    }
    options.patientWith.add(request.socket);
    try {
      const outcome = await settled('read', async () => {
        if (!(await mayArrive(offer, options))) return CLOSED;
        const file = incomingFile(request, { bytes: offer.bytes, until: offer.expiresAt }, options.clock);
        try {
          return await receiveFile(offer, Readable.from(inSlices(file, options.slices, workspace)), options);
        } finally {
          // Slices that were never begun do not end it: a store that refuses unread leaves it listening to the request.
          file.destroy();
        }
      }).catch((error: unknown) => {
        const why = shortcomingOf(error);
        if (why === 'too-slow')
          reporter.report('slow-client-disconnected', {
            pool: 'uploads',
            workspaceId: workspace,
            assetId: offer.assetId,
          });
        return SHORTCOMINGS[why];
      });
      return outcome.ok
        ? { ok: true, value: { status: 204, body: undefined } }
        : afterLingering(request, outcome, options.clock);
    } finally {
      options.patientWith.delete(request.socket);
      permit.release();
    }
  };
}

/** Refusals that need no byte of the file. */
function refusalOf(offer: UploadOffer, { headers }: IncomingMessage, now: number): UseCaseResult<never> | null {
  if (now >= offer.expiresAt) return EXPIRED;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'];
  if (type !== offer.contentType || (encoding !== undefined && encoding !== 'identity')) {
    return failed(
      'unsupported_media_type',
      `The upload was reserved for ${offer.contentType}: send the file with that Content-Type, as it is and not compressed.`,
    );
  }
  if (headers['content-range'] !== undefined) return PARTIAL;
  const length = headers['content-length'];
  if (length === undefined || Number(length) === offer.bytes) return null;
  return Number(length) > offer.bytes ? TOO_LONG : TOO_SHORT;
}

function shortcomingOf(error: unknown): Exclude<Shortcoming, 'broken'> {
  if (!(error instanceof FileMismatch)) throw error;
  if (error.why === 'broken') throw new RequestAborted();
  return error.why;
}

/**
 * A connection that is closed with unread bytes is reset, and the client loses the answer. So further bytes are
 * discarded for a while, and then the connection ends.
 */
function afterLingering<O extends UseCaseResult<never>>(request: IncomingMessage, outcome: O, clock: Clock): O {
  if (request.complete || request.destroyed) return outcome;
  request.resume();
  const cancel = clock.after(LINGER_MS, () => void request.socket.destroy());
  request.once('close', cancel);
  return outcome;
}
