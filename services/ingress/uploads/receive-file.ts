import type { Readable } from 'node:stream';
import { originalBlob } from '#domain/media/blob-names.ts';
import type { BlobFacts, BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import { done, failed, type UseCaseResult } from '#use-cases/outcome.ts';
import type { UploadOffer } from '#use-cases/upload-addresses.ts';

export interface ReceiveFileOptions {
  readonly blobs: BlobStore;
  readonly uploads: UploadRows;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

export const CLOSED = failed(
  'forbidden',
  'This address has been used, or its upload was removed. Reserve a new upload.',
);

/** Whether a file may still be uploaded; called before any of it is read. Rejects with `PortError`. */
export async function mayArrive(offer: UploadOffer, { uploads }: ReceiveFileOptions): Promise<boolean> {
  const arrival = await uploads.find(offer.assetId);
  return arrival === null || arrival.state === 'arrived';
}

/**
 * Stores a file under a name of its own, then writes the row that names it: in this order, so that a row names only
 * whole files. A file that no row names is deleted here; should that fail or be cut off, housekeeping removes it as an
 * orphan. Rejects with the errors of the stream and of ports.
 */
export async function receiveFile(
  offer: UploadOffer,
  file: Readable,
  options: ReceiveFileOptions,
): Promise<UseCaseResult<null>> {
  const { blobs, uploads, clock, ids, reporter } = options;
  const blob = originalBlob(offer.assetId, ids.uuid7(clock.now()));
  const facts: BlobFacts = await blobs.put(blob, file, { maxBytes: offer.bytes, freesPieces: true });
  if (facts.bytes !== offer.bytes) throw new Error(`${facts.bytes} bytes were stored of ${offer.bytes}`);
  try {
    const taken = await uploads.arrive(offer.assetId, { blob, ...facts });
    if (taken.taken) {
      reporter.report('file-received', { assetId: offer.assetId, bytes: facts.bytes, blob });
      if (taken.replaced !== null) await deleteQuietly(taken.replaced.blob, options);
      return done(null);
    }
    await deleteQuietly(blob, options);
    // A repetition after a lost answer: the file is stored already.
    return taken.by.state === 'sealed' && taken.by.file.sha256 === facts.sha256 ? done(null) : CLOSED;
  } catch (error) {
    // The row may have been written, so its file must stay.
    if (!(error instanceof PortError) || error.kind !== 'unknown') await deleteQuietly(blob, options);
    throw error;
  }
}

async function deleteQuietly(blob: string, { blobs, reporter }: ReceiveFileOptions): Promise<void> {
  try {
    await blobs.delete(blob);
  } catch (error) {
    reporter.failure('blob-delete-failed', error, { blob });
  }
}
