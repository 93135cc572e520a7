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

/**
 * Writes by compare-and-set; false: the row has another version. A write of unknown end is settled by a serial read, so
 * the answer is a fact. Rejects with `PortError` when the store can not tell, or refused.
 */
export async function settledWrite(store: TableStore, table: Table, write: ConditionalWrite): Promise<boolean> {
  try {
    return (await store.compareAndSet(table, write)).applied;
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
    const row = await store.read(table, write.partition, write.clustering, { serial: true });
    return row?.token === write.next.token;
  }
}
