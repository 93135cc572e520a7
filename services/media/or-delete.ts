import type { BlobStore } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';

/**
 * Does what stores these blobs, or leads to a row that names them. Where it fails they are deleted, as the next try
 * makes others, and tries without end would fill the store. `isUnnamed`: whether that is safe after this failure;
 * after every one when left out. What stays then goes with its asset. Rejects as `work` does.
 */
export async function orDelete<T>(
  blobs: Pick<BlobStore, 'delete'>,
  names: readonly string[],
  work: () => Promise<T>,
  isUnnamed: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnnamed(error)) await Promise.allSettled(names.map((name) => blobs.delete(name)));
    throw error;
  }
}

/** Of a failure to write a row: it certainly was not written. */
export function isUnwritten(error: unknown): boolean {
  return error instanceof PortError && error.kind !== 'unknown';
}
