import type { Table } from '#ports/table.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { RENDITIONS, VARIANT_FILES } from '../declarations/tables.ts';

/** A file in the blob store. */
export interface StoredFile extends FileFacts {
  readonly blob: string;
}

/** The row of what an asset's address held. */
export const FETCHED = 'fetched';

export interface RenditionRows {
  /** What was made of the asset under the key; null: nothing yet. */
  find(assetId: string, key: string): Promise<StoredFile | null>;
  /** Keeps the rendition unless one was kept before; returns the one that counts. */
  keep(assetId: string, key: string, file: StoredFile): Promise<StoredFile>;
  /** The files that a Variant is published with, in order; null: not reported yet. */
  filesOf(postId: string, variantId: string): Promise<readonly StoredFile[] | null>;
  /** Says anew which they are: preparing them again may make others. */
  setFiles(postId: string, variantId: string, files: readonly StoredFile[]): Promise<void>;
}

const ATTEMPTS = 10;

/** All reject with `PortError`; what was then written or not, repeating settles. */
export function createRenditionRows(store: TableStore, newToken: () => string): RenditionRows {
  const read = async <T>(
    table: Table,
    partition: string,
    clustering: string,
  ): Promise<{ readonly value: T | null; readonly version: number | null }> => {
    const row = await store.read(table, [partition], [clustering], { serial: true });
    return { value: row === null ? null : decodeBody<T>(row), version: row?.version ?? null };
  };
  const write = async (
    table: Table,
    [partition, clustering]: readonly [string, string],
    over: number | null,
    value: unknown,
  ): Promise<boolean> => {
    const write = replacing([partition], [clustering], { over, value, token: newToken() });
    return (await store.compareAndSet(table, write)).applied;
  };
  return {
    find: async (assetId, key) => (await read<StoredFile>(RENDITIONS, assetId, key)).value,
    async keep(assetId, key, file) {
      if (await write(RENDITIONS, [assetId, key], null, file)) return file;
      const { value } = await read<StoredFile>(RENDITIONS, assetId, key);
      if (value === null)
        throw new PortError('unavailable', `the row of rendition ${key} of ${assetId} was there and is gone`);
      return value;
    },
    filesOf: async (postId, variantId) => (await read<readonly StoredFile[]>(VARIANT_FILES, postId, variantId)).value,
    async setFiles(postId, variantId, files) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { version } = await read(VARIANT_FILES, postId, variantId);
        if (await write(VARIANT_FILES, [postId, variantId], version, files)) return;
      }
      throw new PortError('unavailable', `the files of ${variantId} keep changing`);
    },
  };
}
