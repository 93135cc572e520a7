import type { Asset } from '#domain/media/asset.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key } from '#ports/table.ts';
import { ASSETS, RENDITIONS } from '#tables/declarations/tables.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import { decodeBody } from '#tables/rows/body.ts';
import type { FileCount } from '../backup/named-files.ts';

const PAGE = 200;
const AT_ONCE = 16;
const MOST_RENDITIONS = 1_000;
const MOST_NAMED = 3;

/**
 * The files that assets and their renditions name, as many as can be looked for until it is over, and which of them the
 * store has not. Rejects with `PortError`.
 */
export async function countStoredFiles(
  store: TableStore,
  { blobs }: { readonly blobs: Pick<BlobStore, 'head'> },
  isOver: () => boolean,
): Promise<FileCount> {
  const examples: string[] = [];
  let [named, missing] = [0, 0];
  const look = async (partition: Key): Promise<void> => {
    for (const name of await namesOf(store, partition)) {
      named += 1;
      if ((await blobs.head(name)) !== null) continue;
      missing += 1;
      if (examples.length < MOST_NAMED) examples.push(name);
    }
  };
  for (let after: string | null = null; ;) {
    const { keys, next } = await store.partitions(ASSETS, { after, limit: PAGE });
    for (let first = 0; first < keys.length && !isOver(); first += AT_ONCE)
      await Promise.all(keys.slice(first, first + AT_ONCE).map(look));
    if (next === null || isOver()) break;
    after = next;
  }
  return { named, looked: named, missing, examples };
}

async function namesOf(store: TableStore, partition: Key): Promise<readonly string[]> {
  const row = await store.read(ASSETS, partition, []);
  const asset = row === null ? null : decodeBody<Asset>(row);
  if (asset === null || asset.state === 'removed') return [];
  const renditions = await store.slice(RENDITIONS, partition, { limit: MOST_RENDITIONS });
  const files = renditions.flatMap((each) => decodeBody<StoredFile>(each) ?? []);
  return [...new Set([asset.blob, ...files.map(({ blob }) => blob)])].filter((name) => name !== null);
}
