import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { PortError } from '#ports/errors.ts';
import { MANIFEST, readManifest, type BackupEntry, type Manifest } from './manifest.ts';
import { packedManifest, writeWhole } from './write-archive.ts';

const BLOCK_BYTES = 512;
const SEARCHED_BYTES = 2_048 * BLOCK_BYTES;
/** A header begins with the name and a zero, which no text of a manifest has. */
const HEADER_START = Buffer.from(`${MANIFEST}\0`);
const IS_NONE = 'it is cut short, or it is no backup of Crier';

export interface ReadArchiveOptions {
  readonly path: string;
  readonly manifest: Manifest;
  /** Where entries with these names are written to, in files readable by this user alone; others are only checked. */
  readonly into: string;
  readonly wanted: (name: string) => boolean;
}

/**
 * The manifest of the backup at `path`, which says what all else in it must be. Rejects with `PortError` `refused` with
 * one sentence when there is none, or it is damaged, and with the errors of the file system.
 */
export async function openManifest(path: string): Promise<Manifest> {
  const file = await open(path, 'r');
  try {
    const at = await findManifest(file);
    const end = at === null ? Buffer.alloc(0) : await rest(file, at);
    if (at === null || end.length <= 2 * BLOCK_BYTES) throw new PortError('refused', IS_NONE);
    // From behind its header to its last brace: what fills its last block, and the end of the archive, are zeros.
    const text = end.subarray(BLOCK_BYTES, end.lastIndexOf('}\n') + 2).toString('utf8');
    const manifest = readManifest(text);
    if (!end.equals(await packedManifest(text, new Date(manifest.madeAt))))
      throw new PortError('refused', `the end of the file, behind the text of ${MANIFEST}, is damaged or cut short`);
    if (manifest.before.bytes !== at)
      throw new PortError(
        'refused',
        `it has ${at} bytes before its manifest, and should have ${manifest.before.bytes}`,
      );
    return manifest;
  } finally {
    await file.close();
  }
}

/**
 * Reads all of the archive before the manifest, and compares it with that. Resolves with what is wrong, one sentence
 * each. Rejects with the errors of the file system.
 */
export async function readArchive(options: ReadArchiveOptions): Promise<readonly string[]> {
  const { path, manifest } = options;
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      hash.update(piece);
      done(null, piece);
    },
  });
  const found = new Found(manifest.entries);
  const archive = extract();
  const trouble: { unreadable?: string } = {};
  // The archive counts as read when its last piece was taken, before its last entry is written.
  let received: Promise<void> = Promise.resolve();
  archive.on('entry', (header, content, next) => {
    content.on('error', () => undefined);
    received = receive(content as AsyncIterable<Uint8Array>, header.name, options, found);
    received.then(() => next(), next);
  });
  await pipeline(createReadStream(path, { end: manifest.before.bytes - 1 }), hashing, archive).catch(
    (error: NodeJS.ErrnoException) => {
      // An error of the system names its call; one of the archive does not.
      if (error.syscall !== undefined || error instanceof PortError) throw error;
      trouble.unreadable = `it can not be read behind ${found.last ?? 'its beginning'}: the header of an entry is damaged`;
    },
  );
  await received.catch((error: unknown) => {
    if (trouble.unreadable === undefined) throw error;
  });
  if (trouble.unreadable !== undefined) return [...found.troubles(), trouble.unreadable];
  const troubles = [...found.troubles(), ...found.missing()];
  if (troubles.length === 0 && hash.digest('hex') !== manifest.before.sha256)
    return ['it is damaged between its entries: the SHA-256 of the archive differs'];
  return troubles;
}

/** What was met of the entries that a manifest lists. */
class Found {
  readonly #listed: ReadonlyMap<string, BackupEntry>;
  readonly #met = new Set<string>();
  readonly #troubles: string[] = [];
  last: string | null = null;

  constructor(entries: readonly BackupEntry[]) {
    this.#listed = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** Whether the manifest lists an entry of this name, for the first time that it is met. */
  begin(name: string): boolean {
    this.last = name;
    if (!this.#listed.has(name) || this.#met.has(name)) {
      this.#troubles.push(`${name} is in it, and its manifest does not list it`);
      return false;
    }
    this.#met.add(name);
    return true;
  }

  end({ name, bytes, sha256 }: BackupEntry): void {
    const listed = this.#listed.get(name)!;
    if (bytes !== listed.bytes)
      this.#troubles.push(`${name} has ${bytes} bytes, and its manifest says ${listed.bytes}`);
    else if (sha256 !== listed.sha256) this.#troubles.push(`${name} is damaged: its SHA-256 differs`);
  }

  troubles(): readonly string[] {
    return this.#troubles;
  }

  missing(): readonly string[] {
    return [...this.#listed.keys()].filter((name) => !this.#met.has(name)).map((name) => `${name} is missing from it`);
  }
}

async function receive(
  content: AsyncIterable<Uint8Array>,
  name: string,
  { into, wanted }: ReadArchiveOptions,
  found: Found,
): Promise<void> {
  const isListed = found.begin(name);
  const file = isListed && wanted(name) ? await openUnder(into, name) : null;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.length;
      if (file !== null) await writeWhole(file, piece);
    }
    await file?.sync();
  } finally {
    await file?.close();
  }
  if (isListed) found.end({ name, bytes, sha256: hash.digest('hex') });
}

/** Names come from an archive that anybody may have made: none leads out of the folder. */
async function openUnder(folder: string, name: string): Promise<FileHandle> {
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw new PortError('refused', `${name} is no name of an entry`);
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, 'wx', 0o600);
}

/** Where the header of the manifest begins, searched from the end; null: nowhere. */
async function findManifest(file: FileHandle): Promise<number | null> {
  const { size } = await file.stat();
  if (size % BLOCK_BYTES !== 0) return null;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - SEARCHED_BYTES);
    const piece = Buffer.alloc(end - start);
    await readWhole(file, piece, start);
    for (let at = piece.length - BLOCK_BYTES; at >= 0; at -= BLOCK_BYTES)
      if (piece.subarray(at, at + HEADER_START.length).equals(HEADER_START)) return start + at;
    end = start;
  }
  return null;
}

async function rest(file: FileHandle, from: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size - from);
  await readWhole(file, bytes, from);
  return bytes;
}

async function readWhole(file: FileHandle, into: Buffer, from: number): Promise<void> {
  for (let read = 0; read < into.length;) {
    const { bytesRead } = await file.read(into, read, into.length - read, from + read);
    if (bytesRead === 0) throw new PortError('refused', IS_NONE);
    read += bytesRead;
  }
}
