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

/** What a Variant is published with. */
export interface VariantFiles {
  /** In the order of the Post. */
  readonly files: readonly StoredFile[];
  /** The picture that its video shows before it is played; null: none was to be made. */
  readonly cover: StoredFile | null;
}

/** A row is the files alone where there is no cover, as every row was before there were covers. */
type VariantFilesRow = readonly StoredFile[] | VariantFiles;

/** The row of what an asset's address held. */
export const FETCHED = 'fetched';

export interface RenditionRows {
  /** What was made of the asset under the key; null: nothing yet. */
  find(assetId: string, key: string): Promise<StoredFile | null>;
  /** Keeps the rendition unless one was kept before; returns the one that counts. */
  keep(assetId: string, key: string, file: StoredFile): Promise<StoredFile>;
  /** The files that a Variant is published with; null: not reported yet. */
  filesOf(postId: string, variantId: string): Promise<VariantFiles | null>;
  /** Says anew which they are: preparing them again may make others. */
  setFiles(postId: string, variantId: string, files: VariantFiles): Promise<void>;
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
    async filesOf(postId, variantId) {
      const { value } = await read<VariantFilesRow>(VARIANT_FILES, postId, variantId);
      return value === null || 'files' in value ? value : { files: value, cover: null };
    },
    async setFiles(postId, variantId, { files, cover }) {
      const row: VariantFilesRow = cover === null ? files : { files, cover };
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { version } = await read(VARIANT_FILES, postId, variantId);
        if (await write(VARIANT_FILES, [postId, variantId], version, row)) return;
      }
      throw new PortError('unavailable', `the files of ${variantId} keep changing`);
    },
  };
}
