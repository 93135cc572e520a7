import type { Key, Table } from '#ports/table.ts';
import { PortError } from '#ports/errors.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, encodeBody, VOID_BODY } from './body.ts';

/** What a row's value is replaced by. */
export interface Replacement {
  /** The version that is replaced; null: there must be no row yet. */
  readonly over: number | null;
  /** null: a void body. */
  readonly value: unknown;
  /** New for each write: it tells our write from another one of the same version. */
  readonly token: string;
  readonly ttlSeconds?: number;
}

/** The compare-and-set of one row. */
export function replacing(
  partition: Key,
  clustering: Key,
  { over, value, token, ttlSeconds }: Replacement,
): ConditionalWrite {
  const body = value === null ? VOID_BODY : encodeBody(value);
  const next = { version: (over ?? 0) + 1, token, body, format: BODY_FORMAT };
  return { partition, clustering, expected: over, next: ttlSeconds === undefined ? next : { ...next, ttlSeconds } };
}

/**
 * A row that ends another is kept as long as a replica may be away that still has the other: once the former is gone,
 * the other would be there again.
 */
export const REMOVED_SECONDS = 30 * 86_400;

/** Ends a row for good. */
export function removing(
  partition: Key,
  clustering: Key,
  { over, token }: { readonly over: number; readonly token: string },
): ConditionalWrite {
  return replacing(partition, clustering, { over, value: null, token, ttlSeconds: REMOVED_SECONDS });
}

/** `overtaken`: the row has another version since, and nobody can tell whether the write was made before. */
export type SettledOutcome = 'made' | 'not_made' | 'overtaken';

/**
 * Writes by compare-and-set. A write of unknown end is settled by a serial read, so the answer is a fact. Rejects with
 * `PortError`: `unknown` when the store can not tell, for the write may have been made; else it was not.
 */
export async function settle(store: TableStore, table: Table, write: ConditionalWrite): Promise<SettledOutcome> {
  try {
    return (await store.compareAndSet(table, write)).applied ? 'made' : 'not_made';
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
    const row = await store.read(table, write.partition, write.clustering, { serial: true }).catch((cause: unknown) => {
      if (!(cause instanceof PortError)) throw cause;
      // As `unavailable`, it would say that nothing was written.
      throw new PortError('unknown', `${error.message}; to settle it: ${cause.message}`, { cause });
    });
    if (row?.token === write.next.token) return 'made';
    return (row?.version ?? null) === write.expected ? 'not_made' : 'overtaken';
  }
}

/** As `settle`; false: the row has another version. */
export async function settledWrite(store: TableStore, table: Table, write: ConditionalWrite): Promise<boolean> {
  return (await settle(store, table, write)) === 'made';
}
