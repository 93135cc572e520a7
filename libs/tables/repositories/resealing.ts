import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';

/** Of sealed values that were looked at. `unopenable`: under a secret that nobody named, or altered. */
export interface SealedCounts {
  readonly resealed: number;
  readonly alreadyCurrent: number;
  readonly unopenable: number;
}

/** How far the sealing anew under a key has come. */
export interface Resealing extends SealedCounts {
  readonly key: string;
  /** The kind of rows it is at, and after which page of their partitions. */
  readonly step: number;
  readonly after: string | null;
}

const RESEALING_ROW = ['resealing'] as const;

/** Null: none is under way. `version` null: there is no row. Rejects with `PortError`. */
export async function readResealing(
  store: TableStore,
): Promise<{ readonly resealing: Resealing | null; readonly version: number | null }> {
  const row = await store.read(INSTALLATION, RESEALING_ROW, [], { serial: true });
  return { resealing: row === null ? null : decodeBody<Resealing>(row), version: row?.version ?? null };
}

/** The new version; null: another call wrote first. Rejects with `PortError`. */
export async function writeResealing(
  store: TableStore,
  { over, resealing, token }: { over: number | null; resealing: Resealing | null; token: string },
): Promise<number | null> {
  const written = await writeInstallation(store, RESEALING_ROW, { over, value: resealing, token });
  return written ? (over ?? 0) + 1 : null;
}
