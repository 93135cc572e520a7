import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import type { LocalFiles } from '#ports/local-files.ts';

/**
 * Passes the blob's own file where it is on this machine, otherwise a copy below `folder`. That folder belongs to this
 * process alone and is emptied before its first use: copies that a crash left are of no more use.
 */
export function createLocalFiles({
  blobs,
  folder,
}: {
  readonly blobs: BlobStore;
  readonly folder: string;
}): LocalFiles {
  let prepared: Promise<void> | null = null;
  const prepare = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  };
  return {
    use: async (blob, work) => {
      const path = blobs.localPath(blob);
      if (path !== null) {
        if ((await blobs.head(blob)) === null) throw new PortError('refused', `there is no blob ${blob}`);
        return work(path);
      }
      prepared ??= prepare();
      await prepared.catch((error: unknown) => {
        prepared = null;
        throw unavailable(error);
      });
      const copy = join(folder, randomUUID());
      try {
        const content = await blobs.get(blob);
        await pipeline(content, createWriteStream(copy, { mode: 0o600, flags: 'wx' })).catch((error: unknown) => {
          throw unavailable(error);
        });
        return await work(copy);
      } finally {
        await rm(copy, { force: true });
      }
    },
  };
}

function unavailable(error: unknown): PortError {
  if (error instanceof PortError) return error;
  return new PortError(
    'unavailable',
    `no copy of a blob could be made: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
}
