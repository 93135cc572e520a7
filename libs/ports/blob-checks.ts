import { MAX_LISTED_BLOBS } from './blob-store.ts';
import { PortError } from './errors.ts';

const NAME = /^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/;
const MAX_NAME_LENGTH = 200;

/**
 * A name without dots, empty segments or capitals means the same in a file system, in a URL and in a bucket. Throws
 * `PortError` `refused` for any other.
 */
export function checkBlobName(name: string): void {
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name))
    throw new PortError('refused', `not a blob's name: ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}`);
}

/** Throws `PortError` `refused` unless `start` and `end` are whole numbers in order. */
export function checkBlobRange(range: { readonly start: number; readonly end: number } | undefined): void {
  if (range === undefined) return;
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new PortError('refused', `not a range: ${start} to ${end}`);
}

const PREFIX = /^([a-z0-9_-]+\/)*[a-z0-9_-]*$/;

/** Throws `PortError` `refused` unless names may begin with `prefix` and the page's size is allowed. */
export function checkBlobListing(
  prefix: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): void {
  if (prefix.length > MAX_NAME_LENGTH || !PREFIX.test(prefix))
    throw new PortError('refused', `no name begins with ${JSON.stringify(prefix.slice(0, MAX_NAME_LENGTH))}`);
  if (after !== null) checkBlobName(after);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LISTED_BLOBS)
    throw new PortError('refused', `not a page: ${limit} blobs`);
}
