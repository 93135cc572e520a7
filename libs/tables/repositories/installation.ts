import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite, type Replacement } from '../rows/replace-row.ts';
import { INSTALLATION } from '../declarations/tables.ts';

/** To be raised with every table, topic or schema that is added and that a running release needs. */
export const SCHEMA_VERSION = 8;

const SCHEMA_KEY = ['schema'] as const;

/** The version the installation was last migrated to; 0: never. Rejects with `PortError`. */
export async function readSchemaVersion(store: Pick<TableStore, 'read'>): Promise<number> {
  const row = await store.read(INSTALLATION, SCHEMA_KEY, []);
  return row === null ? 0 : (decodeBody<{ readonly schema: number }>(row)?.schema ?? 0);
}

/**
 * Rejects with `PortError` `refused` when a release wrote the data whose rows and messages this one can not all read.
 * Each release reads what the one behind it writes, and passes over what that one added; no release knows more of the
 * future.
 */
export function checkReadable(version: number): void {
  if (version <= SCHEMA_VERSION + 1) return;
  throw new PortError(
    'refused',
    `the data has schema version ${version}, and this release reads up to ${SCHEMA_VERSION + 1}: start the release that wrote it, or a newer one`,
  );
}

/** Records that everything of `version` is there. A newer release's record stays. False: it was there already. */
export async function recordSchemaVersion(store: TableStore, version: number, token: string): Promise<boolean> {
  for (;;) {
    const row = await store.read(INSTALLATION, SCHEMA_KEY, [], { serial: true });
    const known = row === null ? 0 : (decodeBody<{ readonly schema: number }>(row)?.schema ?? 0);
    if (known >= version) return false;
    const over = row?.version ?? null;
    if (await writeInstallation(store, SCHEMA_KEY, { over, value: { schema: version }, token })) return true;
  }
}

/** Replaces a row of this table; false: another process wrote it first. Rejects with `PortError`. */
export function writeInstallation(store: TableStore, partition: Key, replacement: Replacement): Promise<boolean> {
  return settledWrite(store, INSTALLATION, replacing(partition, [], replacement));
}
