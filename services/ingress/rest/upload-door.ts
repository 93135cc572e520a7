import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '#ports/clock.ts';
import { failed, settled, UNAVAILABLE, type Outcome } from '../outcome.ts';
import { incomingFile, NotTheFile, type Shortcoming } from '../uploads/incoming-file.ts';
import { Places } from '../uploads/places.ts';
import { CLOSED, mayArrive, receiveFile, type ReceiveFileOptions } from '../uploads/receive-file.ts';
import type { UploadAddresses, UploadOffer } from '../uploads/upload-addresses.ts';
import type { Success } from './answer.ts';
import { RequestAborted } from './json-body.ts';
import { readQuery } from './query.ts';
import type { OpenExchange } from './serve.ts';

export interface UploadDoorOptions extends Omit<ReceiveFileOptions, 'clock'> {
  readonly uploadAddresses: Pick<UploadAddresses, 'open'>;
  readonly uploadsAtOnce: number;
  readonly clock: Clock;
  /** Connections that may take longer than a request otherwise may. */
  readonly patientWith: WeakSet<Duplex>;
}

/** Of one address: a repeat may begin before the one it repeats is known to be dead. */
const AT_ONCE_OF_ONE = 2;
/** How long a client that was answered too soon for it may go on sending what nobody takes, so that it comes to read the answer. */
const LINGER_MS = 5_000;

const ALTERED = failed('forbidden', 'This upload address is not one that was given out. Use the uploadUrl as it is, or reserve a new upload.');
const EXPIRED = failed('forbidden', 'This upload address has expired. Reserve a new upload.');
const TOO_LONG = failed('too_large', 'The file has more bytes than were reserved. Reserve a new upload with its true length.');
const TOO_SHORT = failed('upload_incomplete', 'The file has fewer bytes than were reserved, and nothing of it was kept. Send all of it, or reserve a new upload with its true length.');
const PARTIAL = failed('invalid_request', 'A file is sent whole: Content-Range is not taken.');
const BUSY = { ok: false, problem: { ...UNAVAILABLE, message: 'Too many files are being uploaded at once. Nothing was kept: please send the file again in a few seconds.' } } as const;

const SHORTCOMINGS: Readonly<Record<Exclude<Shortcoming, 'broken'>, Outcome<never>>> = {
  'too-long': TOO_LONG,
  'too-short': TOO_SHORT,
  'too-slow': failed('invalid_request', 'The file came too slowly, and nothing of it was kept. Send it again.'),
  'too-late': EXPIRED,
};

/** PUT of a file to a signed address. The address is all the permission there is: a key that comes along is not looked at. */
export function createUploadDoor(options: UploadDoorOptions): (exchange: OpenExchange) => Promise<Outcome<Success>> {
  const places = new Places(options.uploadsAtOnce, AT_ONCE_OF_ONE);
  return async ({ request }) => {
    const query = readQuery(request.url);
    const offer = query.ok ? options.uploadAddresses.open(String(request.params['id']), query.value) : null;
    const refused = offer === null ? ALTERED : refusalOf(offer, request, options.clock.now());
    if (offer === null || refused !== null) return afterLingering(request, refused ?? ALTERED, options.clock);
    const leave = places.take(offer.assetId);
    if (leave === null) return afterLingering(request, BUSY, options.clock);
    options.patientWith.add(request.socket);
    try {
      const outcome = await settled('read', async () => {
        if (!(await mayArrive(offer, options))) return CLOSED;
        return receiveFile(offer, incomingFile(request, { bytes: offer.bytes, until: offer.expiresAt }, options.clock), options);
      }).catch(shortcomingOf);
      return outcome.ok ? { ok: true, value: { status: 204, body: undefined } } : afterLingering(request, outcome, options.clock);
    } finally {
      options.patientWith.delete(request.socket);
      leave();
    }
  };
}

/** What can be told before a byte of it is read. */
function refusalOf(offer: UploadOffer, { headers }: IncomingMessage, now: number): Outcome<never> | null {
  if (now >= offer.expiresAt) return EXPIRED;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'];
  if (type !== offer.contentType || (encoding !== undefined && encoding !== 'identity')) {
    return failed('unsupported_media_type', `The upload was reserved for ${offer.contentType}: send the file with that Content-Type, as it is and not compressed.`);
  }
  if (headers['content-range'] !== undefined) return PARTIAL;
  const length = headers['content-length'];
  if (length === undefined || Number(length) === offer.bytes) return null;
  return Number(length) > offer.bytes ? TOO_LONG : TOO_SHORT;
}

function shortcomingOf(error: unknown): Outcome<never> {
  if (!(error instanceof NotTheFile)) throw error;
  if (error.why === 'broken') throw new RequestAborted();
  return SHORTCOMINGS[error.why];
}

/**
 * Closed at once, a connection that still has bytes to be read is reset, and the answer lost with it. So what still comes is thrown away for
 * a while, and then the connection ends, whatever comes.
 */
function afterLingering<O extends Outcome<never>>(request: IncomingMessage, outcome: O, clock: Clock): O {
  if (request.complete || request.destroyed) return outcome;
  request.resume();
  const cancel = clock.after(LINGER_MS, () => void request.socket.destroy());
  request.once('close', cancel);
  return outcome;
}
