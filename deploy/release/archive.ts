import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

export interface ArchivedFile {
  /** Where it stands in the archive. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

/**
 * A tar of these files whose bytes follow from them and from `at` alone: sorted, of nobody, with one time and one of
 * two modes, whatever the machine, its user or its umask says.
 */
export async function tarOf(files: readonly ArchivedFile[], at: Date): Promise<Buffer> {
  const tar = pack();
  for (const { path, bytes, isExecutable } of [...files].sort((one, other) => compare(one.path, other.path)))
    tar.entry({ name: path, mode: isExecutable ? 0o755 : 0o644, mtime: at, uid: 0, gid: 0 }, bytes);
  tar.finalize();
  return buffer(tar);
}

/** By code units: an order by language would differ from machine to machine. */
export function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Byte 9 of a gzip header names the system that made it; 255 is "unknown". */
const SYSTEM = 9;

export function gzipped(bytes: Buffer): Buffer {
  const packed = gzipSync(bytes, { level: 9 });
  packed[SYSTEM] = 255;
  return packed;
}
