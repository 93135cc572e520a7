import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { MANIFEST, writeManifest, type BackupEntry, type Manifest } from './manifest.ts';

/** What becomes an entry: a file, or bytes. */
export type ArchiveSource =
  { readonly name: string; readonly path: string } | { readonly name: string; readonly bytes: Uint8Array };

export interface WriteArchiveOptions {
  /** Must not exist. */
  readonly path: string;
  /** Of all entries, so that the same content makes the same archive. */
  readonly madeAt: Date;
  /** A file that is gone when its turn comes is left out. */
  readonly sources: AsyncIterable<ArchiveSource>;
  readonly describe: (archive: Pick<Manifest, 'entries' | 'before'>) => Manifest;
  /** Called after each piece, which is on the disk by then. */
  readonly rest: () => void;
}

/** Two blocks of zeros end an archive. */
const END_BYTES = 1024;
const PIECE_BYTES = 1_048_576;
/** What goes to the disk at once: more would hold up who commits meanwhile. */
const FLUSHED_BYTES = 4 * PIECE_BYTES;

/**
 * Writes a tar archive of the sources, and the manifest as its last entry; durable when it resolves. Rejects with the
 * errors of the file system.
 */
export async function writeArchive({ path, madeAt, sources, describe, rest }: WriteArchiveOptions): Promise<Manifest> {
  const file = await open(path, 'wx', 0o600);
  try {
    const archive = pack();
    const entries: BackupEntry[] = [];
    const hash = createHash('sha256');
    const [bytes] = await Promise.all([
      appendWithoutEnd(file, archive as AsyncIterable<Uint8Array>, (piece) => hash.update(piece), rest),
      feed(archive, madeAt, sources, entries).catch((error: unknown) => {
        archive.destroy(error as Error);
        throw error;
      }),
    ]);
    const manifest = describe({ entries, before: { bytes, sha256: hash.digest('hex') } });
    await writeWhole(file, await packedManifest(writeManifest(manifest), madeAt));
    await file.sync();
    return manifest;
  } finally {
    await file.close();
  }
}

/** A disk that fills up takes a part of the bytes without an error: only the next call says that it is full. */
export async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += (await file.write(bytes, written)).bytesWritten;
}

/** The end of an archive, from the header of its manifest on. */
export async function packedManifest(text: string, madeAt: Date): Promise<Buffer> {
  const archive = pack();
  archive.entry(headerOf(MANIFEST, Buffer.byteLength(text), madeAt), text);
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}

function headerOf(name: string, size: number, madeAt: Date) {
  return { name, size, mode: 0o600, mtime: madeAt, type: 'file' } as const;
}

/** All but the archive's end, its last piece, as the manifest follows. Resolves with the number of bytes. */
async function appendWithoutEnd(
  file: FileHandle,
  archive: AsyncIterable<Uint8Array>,
  seen: (piece: Uint8Array) => void,
  rest: () => void,
): Promise<number> {
  let [bytes, flushed] = [0, 0];
  let held: Uint8Array = new Uint8Array(0);
  for await (const piece of archive) {
    seen(held);
    await writeWhole(file, held);
    bytes += held.length;
    held = piece;
    if (bytes - flushed < FLUSHED_BYTES) continue;
    await file.datasync();
    flushed = bytes;
    rest();
  }
  assert.equal(held.length, END_BYTES, 'an archive ends with two blocks of zeros');
  return bytes;
}

async function feed(
  archive: Pack,
  madeAt: Date,
  sources: AsyncIterable<ArchiveSource>,
  entries: BackupEntry[],
): Promise<void> {
  for await (const source of sources) {
    const entry = 'path' in source ? await feedFile(archive, madeAt, source) : feedBytes(archive, madeAt, source);
    if (entry !== null) entries.push(entry);
  }
  archive.finalize();
}

function feedBytes(
  archive: Pack,
  madeAt: Date,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): BackupEntry {
  archive.entry(headerOf(name, bytes.length, madeAt), Buffer.from(bytes));
  return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function feedFile(
  archive: Pack,
  madeAt: Date,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<BackupEntry | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size === 0) return feedBytes(archive, madeAt, { name, bytes: new Uint8Array(0) });
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(piece: Uint8Array, _encoding, done) {
        hash.update(piece);
        done(null, piece);
      },
    });
    // Never more than the header says, should the file grow.
    const content = file.createReadStream({ end: size - 1, highWaterMark: PIECE_BYTES, autoClose: false });
    await pipeline(content, hashing, archive.entry(headerOf(name, size, madeAt)));
    return { name, bytes: size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
