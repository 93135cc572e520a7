import { PortError } from '#ports/errors.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { INSTALLATION } from '../declarations/tables.ts';

/** Raised by whoever adds a table, a topic or a schema that a running release needs. */
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
    const next = {
      version: (row?.version ?? 0) + 1,
      token,
      body: encodeBody({ schema: version }),
      format: BODY_FORMAT,
    };
    if (await settledWrite(store, { partition: SCHEMA_KEY, clustering: [], expected: row?.version ?? null, next }))
      return true;
  }
}

/**
 * A conditional write to this table whose uncertain outcome is read back: true when it was made. Its token must be new.
 */
export async function settledWrite(store: TableStore, write: ConditionalWrite): Promise<boolean> {
  try {
    return (await store.compareAndSet(INSTALLATION, write)).applied;
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
    const row = await store.read(INSTALLATION, write.partition, write.clustering, { serial: true });
    return row?.token === write.next.token;
  }
}
