import { join } from 'node:path';
import { faultsOf, rowsByTable } from '#adapters/sqlite/snapshot.ts';
import { PortError } from '#ports/errors.ts';
import { tellingFiles } from './file-failure.ts';
import { DATABASE_ENTRY, type Manifest } from './manifest.ts';
import { openManifest, readArchive } from './read-archive.ts';

export interface UnpackedBackup {
  readonly manifest: Manifest;
  /** What is wrong, one sentence each; none: the backup is whole. */
  readonly troubles: readonly string[];
}

/**
 * Reads the whole backup at `path` and checks all of it, and writes the entries that are `wanted` below `into`, its
 * database always. What it wrote is worth nothing when there are troubles. Rejects with `PortError` `refused` with one
 * sentence when there is no manifest to go by.
 */
export async function unpack(path: string, into: string, wanted: (name: string) => boolean): Promise<UnpackedBackup> {
  const manifest = await tellingFiles(`can't read ${path}`, () => openManifest(path));
  if (!manifest.entries.some(({ name }) => name === DATABASE_ENTRY))
    throw new PortError('refused', `it has no ${DATABASE_ENTRY}`);
  const troubles = await tellingFiles(`can't write ${into}`, () =>
    readArchive({ path, manifest, into, wanted: (name) => name === DATABASE_ENTRY || wanted(name) }),
  );
  return {
    manifest,
    troubles: troubles.length > 0 ? troubles : databaseTroubles(join(into, DATABASE_ENTRY), manifest),
  };
}

function databaseTroubles(database: string, { rows }: Manifest): readonly string[] {
  const faults = faultsOf(database);
  if (faults.length > 0) return faults.map((fault) => `${DATABASE_ENTRY} is damaged: ${fault}`);
  const counted = rowsByTable(database);
  return [...new Set([...Object.keys(rows), ...Object.keys(counted)])]
    .filter((table) => rows[table] !== counted[table])
    .map(
      (table) => `table ${table} has ${counted[table] ?? 'no'} rows, and its manifest says ${rows[table] ?? 'none'}`,
    );
}
