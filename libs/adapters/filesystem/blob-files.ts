import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface Walk {
  readonly prefix: string;
  /** Only names after this one. */
  readonly after: string | null;
  /** The suffix of files that hold blobs; other files are ignored. */
  readonly suffix: string;
}

/**
 * Names of blobs below `folder`, in ascending order. A folder sorts as its name with a slash: the names of all blobs in
 * it, and of no others, begin with that.
 */
export async function* blobFiles(folder: string, walk: Walk, within = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, within), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // The last blob of the folder was deleted meanwhile.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const keys = entries.flatMap((entry) => {
    if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : [`${within}${entry.name}/`];
    return entry.name.endsWith(walk.suffix) ? [`${within}${entry.name.slice(0, -walk.suffix.length)}`] : [];
  });
  for (const key of keys.sort(byBytes)) {
    if (key.endsWith('/')) {
      if (mayHold(key, walk)) yield* blobFiles(folder, walk, key);
    } else if (key.startsWith(walk.prefix) && (walk.after === null || key > walk.after)) yield key;
  }
}

function mayHold(key: string, { prefix, after }: Walk): boolean {
  const fits = key.startsWith(prefix) || prefix.startsWith(key);
  return fits && (after === null || key > after || after.startsWith(key));
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
