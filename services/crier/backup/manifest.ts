import { createHash } from 'node:crypto';
import { PortError } from '#ports/errors.ts';

export const MANIFEST = 'manifest.json';
/** The database of the data folder, under the name that it has there. */
export const DATABASE_ENTRY = 'crier.db';
export const SECRETS_ENTRY = 'secrets.json';
/** Before the name of each file of the blob folder. */
export const BLOBS_PREFIX = 'blobs/';

export const BACKUP_FORMAT = 1;

export interface BackupEntry {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex, as all digests here. */
  readonly sha256: string;
}

/** What a backup says of itself. It is the archive's last entry, so that it can speak of all the others. */
export interface Manifest {
  readonly format: typeof BACKUP_FORMAT;
  /** By the machine's clock. */
  readonly madeAt: string;
  /**
   * By the installation's clock, at the end of the copy: whatever the copy has was there by then. What the installation
   * did from the copy's instant on, which is a little earlier, is not in it.
   */
  readonly snapshotAt: string;
  /** The release that made it. */
  readonly release: string;
  readonly schemaVersion: number;
  readonly engine: 'embedded';
  /** `elsewhere`: the installation has a secret that the command did not know, by a setting. */
  readonly secrets: 'included' | 'elsewhere';
  readonly files: 'included' | 'by reference';
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly entries: readonly BackupEntry[];
  /** The archive up to this entry, headers and padding too. */
  readonly before: { readonly bytes: number; readonly sha256: string };
}

/** The text of the manifest; its last line is the digest of what stands above it. */
export function writeManifest(manifest: Manifest): string {
  return JSON.stringify({ ...manifest, sha256: digestOf(manifest) }, null, 1) + '\n';
}

/**
 * Throws `PortError` `refused` with one sentence: the text is damaged, or of a format that this release does not read.
 */
export function readManifest(text: string): Manifest {
  let read: Partial<Manifest> & { readonly sha256?: string };
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    throw new PortError('refused', `${MANIFEST} is damaged: it is no JSON`);
  }
  const { sha256, ...manifest } = read;
  if (typeof manifest.format === 'number' && manifest.format > BACKUP_FORMAT)
    throw new PortError(
      'refused',
      `it has format ${manifest.format}, and this release reads format ${BACKUP_FORMAT}: use the release that made it, or a newer one`,
    );
  // Compared as text: a flipped byte between two values would change nothing else.
  if (manifest.format !== BACKUP_FORMAT || writeManifest(manifest as Manifest) !== text)
    throw new PortError('refused', `${MANIFEST} is damaged: its SHA-256 is not ${sha256 ?? 'there'}`);
  return manifest as Manifest;
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
