import type { TableStore } from '#ports/table-store.ts';
import { PROCESSES } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';

/** A process of the installation, as it says of itself. */
export interface ProcessRow {
  /** Its host, and an id of this life of it. */
  readonly instance: string;
  readonly roles: readonly string[];
  /** Its release, as package.json names it. */
  readonly version: string;
  /** The newest format whose every field it knows. */
  readonly format: number;
  readonly startedAt: number;
  readonly seenAt: number;
}

/** A process renews its row this often. */
export const RENEW_MS = 10_000;
/** A row that is not renewed for so long is gone: its process ended, or must look before it goes on. */
export const UNSEEN_MS = 30_000;
const MAX_PROCESSES = 5_000;

const PARTITION = ['live'] as const;

/**
 * The row of this process. `version`: of the row that it wrote before; null: none. Returns the new one; null when the
 * row is another than that one, because it was not renewed in time. Rejects with `PortError`.
 */
export async function writeProcess(
  store: TableStore,
  row: ProcessRow,
  { version, token }: { readonly version: number | null; readonly token: string },
): Promise<number | null> {
  const { instance, ...value } = row;
  const write = replacing(PARTITION, [instance], { over: version, value, token, ttlSeconds: UNSEEN_MS / 1000 });
  return (await settledWrite(store, PROCESSES, write)) ? write.next.version : null;
}

/** At the end of a process: others need not wait until it was unseen for long. Rejects with `PortError`. */
export async function removeProcess(
  store: TableStore,
  instance: string,
  { version, token }: { readonly version: number; readonly token: string },
): Promise<void> {
  const over = { over: version, value: null, token, ttlSeconds: UNSEEN_MS / 1000 };
  await settledWrite(store, PROCESSES, replacing(PARTITION, [instance], over));
}

/** The version of the row of this process; null: there is none. Rejects with `PortError`. */
export async function versionOfProcess(store: TableStore, instance: string): Promise<number | null> {
  return (await store.read(PROCESSES, PARTITION, [instance], { serial: true }))?.version ?? null;
}

/** Every process that was seen lately, by instance. Rejects with `PortError`. */
export function listProcesses(store: TableStore): Promise<readonly ProcessRow[]> {
  return readProcessRows<ProcessRow>(store, PARTITION);
}

/** The rows of one scope of the table of processes, by instance. Rejects with `PortError`. */
export async function readProcessRows<R extends { readonly instance: string }>(
  store: TableStore,
  scope: readonly [string],
): Promise<readonly R[]> {
  const rows = await store.slice(PROCESSES, scope, { limit: MAX_PROCESSES });
  return rows.flatMap((row) => {
    const body = decodeBody<Omit<R, 'instance'>>(row);
    return body === null ? [] : [{ ...body, instance: String(row.clustering[0]) } as R];
  });
}
