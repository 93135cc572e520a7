import type { Key } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite, type Replacement } from '../rows/replace-row.ts';
import { INSTALLATION } from '../declarations/tables.ts';

/** To be raised with every table, topic or schema that is added and that a running release needs. */
export const SCHEMA_VERSION = 3;

const SCHEMA_KEY = ['schema'] as const;

/** The version the installation was last migrated to; 0: never. Rejects with `PortError`. */
export async function readSchemaVersion(store: TableStore): Promise<number> {
  const row = await store.read(INSTALLATION, SCHEMA_KEY, []);
  return row === null ? 0 : (decodeBody<{ readonly schema: number }>(row)?.schema ?? 0);
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
