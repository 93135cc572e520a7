import type { TableStore } from '#ports/table-store.ts';
import { AVRO_SCHEMAS } from '#tables/declarations/tables.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const FORMAT = 1;
/** The number of schemas in one `insert`, so that a long history stays below the limit of one write to a partition. */
const ROWS_PER_INSERT = 20;

/** Where the ids come from, which keeps the ids of several registries apart: `BUILT_IN`, or the address of a server. */
export const BUILT_IN = 'built-in';

export interface StoredSchema {
  readonly id: number;
  /** JSON. */
  readonly text: string;
}

/**
 * Lets `inner` answer first and looks unknown ids up in the table: that is how a release reads ids that were given
 * after it was built. Rejects with the store's `PortError`, or with that of `inner` when it is unreachable and the
 * table lacks the id.
 */
export function createTableRegistry(options: {
  readonly inner: SchemaRegistry;
  readonly store: TableStore;
  readonly registry: string;
}): SchemaRegistry {
  const { inner, store, registry } = options;
  const stored = async (id: number): Promise<string | null> => {
    // A record's id is any 32 bits; the table has only those that a registry gave.
    if (id < 1) return null;
    const row = await store.read(AVRO_SCHEMAS, [registry], [id]);
    return row === null ? null : new TextDecoder().decode(row.body);
  };
  return {
    idOf: (name, version) => inner.idOf(name, version),
    schemaOf: async (id) => {
      const [mine] = await Promise.allSettled([inner.schemaOf(id)]);
      if (mine.status === 'fulfilled' && mine.value !== null) return mine.value;
      const text = await stored(id);
      if (text === null && mine.status === 'rejected') throw mine.reason;
      return text;
    },
  };
}

/**
 * Fills the table; migrate calls it before the first record with a new id can be written. Repeatable. Rejects when an
 * id is already there with another text: two releases gave it to different schemas.
 */
export async function storeSchemas(
  store: TableStore,
  registry: string,
  schemas: readonly StoredSchema[],
): Promise<void> {
  for (let start = 0; start < schemas.length; start += ROWS_PER_INSERT) {
    const rows = schemas.slice(start, start + ROWS_PER_INSERT).map(({ id, text }) => ({
      partition: [registry],
      clustering: [id],
      body: new TextEncoder().encode(text),
      format: FORMAT,
    }));
    await store.insert(AVRO_SCHEMAS, rows);
  }
}

/** The schemas that the table lacks or has with another text, a sentence each. Rejects with the store's `PortError`. */
export async function lackingSchemas(
  store: TableStore,
  registry: string,
  schemas: readonly (StoredSchema & { readonly name: string })[],
): Promise<readonly string[]> {
  const lines = await Promise.all(
    schemas.map(async ({ id, name, text }) => {
      const row = await store.read(AVRO_SCHEMAS, [registry], [id]);
      if (row === null) return `schema ${id} (${name}) is missing in the table ${AVRO_SCHEMAS.name}`;
      if (new TextDecoder().decode(row.body) === text) return null;
      return `schema ${id} (${name}) has another text in the table ${AVRO_SCHEMAS.name}: two releases gave that id`;
    }),
  );
  return lines.filter((line) => line !== null);
}
