import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { isReadable, readsUpTo, RELEASE, type Release } from '../release.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';

const FORMAT_KEY = ['format'] as const;
/** Of an installation that no process has ever raised. */
const FIRST_FORMAT = 1;

/** The format that processes of this installation write. */
export interface StoredFormat {
  readonly format: number;
  /** The release that raised or lowered it; null: nobody did. */
  readonly release: string | null;
  /** Of its row; null: there is none. */
  readonly version: number | null;
}

/** Rejects with `PortError`. */
export async function readStoredFormat(store: Pick<TableStore, 'read'>): Promise<StoredFormat> {
  const row = await store.read(INSTALLATION, FORMAT_KEY, [], { serial: true });
  const body = row === null ? null : decodeBody<Omit<StoredFormat, 'version'>>(row);
  return {
    format: body?.format ?? FIRST_FORMAT,
    release: body?.release ?? null,
    version: row?.version ?? null,
  };
}

/** Replaces the format that was read; false: another process did. Rejects with `PortError`. */
export function writeStoredFormat(
  store: TableStore,
  over: Pick<StoredFormat, 'version'>,
  { token, ...value }: { readonly format: number; readonly release: string; readonly token: string },
): Promise<boolean> {
  return writeInstallation(store, FORMAT_KEY, { over: over.version, value, token });
}

/** Of a new installation, which no other release has written: the newest format at once. Rejects with `PortError`. */
export async function foundFormat(store: TableStore, token: string, { format }: Release = RELEASE): Promise<void> {
  const { version } = await readStoredFormat(store);
  if (version === null)
    await writeInstallation(store, FORMAT_KEY, { over: null, value: { format, release: null }, token });
}

/**
 * Throws `PortError` `refused`, in one sentence for the operator, when the data is written in a format that this
 * release can not read, or that it can not continue.
 */
export function checkFormat({ format, release }: StoredFormat, own: Release = RELEASE): void {
  const by = release === null ? '' : ` by release ${release}`;
  if (!isReadable(format, own))
    throw new PortError(
      'refused',
      `the data is written in format ${format}${by}, and this release reads up to ${readsUpTo(own)}: start a release that reads it, or restore a backup of before it was raised`,
    );
  if (format < own.writesFrom)
    throw new PortError(
      'refused',
      `the data is written in format ${format}, and this release writes from ${own.writesFrom} on: start the release between them first, until cluster.status says that it writes ${own.writesFrom}`,
    );
}
