import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';

const RESTORING_KEY = ['restoring'] as const;

/** A restore that has begun to fill the tables and has not come to its end. */
export interface Restoring {
  /** Tells backups apart. */
  readonly backup: string;
  /** When its first run began. */
  readonly since: number;
}

/** Null: none is under way. Rejects with `PortError`. */
export async function readRestoring(store: TableStore): Promise<Restoring | null> {
  const row = await store.read(INSTALLATION, RESTORING_KEY, [], { serial: true });
  return row === null ? null : decodeBody<Restoring>(row);
}

/**
 * Notes that tables are being filled from a backup, or goes on with that; from then on no process of the installation
 * starts. Rejects with `PortError`, `refused` when the tables hold a part of another backup.
 */
export async function beginRestoring(store: TableStore, restoring: Restoring, token: string): Promise<void> {
  for (;;) {
    const row = await store.read(INSTALLATION, RESTORING_KEY, [], { serial: true });
    const known = row === null ? null : decodeBody<Restoring>(row);
    if (known?.backup === restoring.backup) return;
    if (known !== null)
      throw new PortError(
        'refused',
        `a restore of another backup was interrupted here at ${new Date(known.since).toISOString()}: drop the keyspace and the topics, and run crier migrate`,
      );
    if (await writeInstallation(store, RESTORING_KEY, { over: row?.version ?? null, value: restoring, token })) return;
  }
}

/** Everything is filled, or nothing was: processes may start. Rejects with `PortError`. */
export async function endRestoring(store: TableStore, token: string): Promise<void> {
  for (;;) {
    const row = await store.read(INSTALLATION, RESTORING_KEY, [], { serial: true });
    if (row === null || decodeBody(row) === null) return;
    if (await writeInstallation(store, RESTORING_KEY, { over: row.version, value: null, token })) return;
  }
}

/** Rejects with `PortError` `refused` while the tables hold a part of a backup only. */
export async function refuseHalfRestored(store: TableStore): Promise<void> {
  const restoring = await readRestoring(store);
  if (restoring === null) return;
  throw new PortError(
    'refused',
    `a restore was interrupted here at ${new Date(restoring.since).toISOString()}, or is at work: run crier restore again with the same backup, which goes on`,
  );
}
