import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pack } from 'tar-stream';
import { PortError } from '#ports/errors.ts';
import { BACKUP_FORMAT, readManifest, writeManifest, type Manifest } from './manifest.ts';
import { openManifest, readArchive } from './read-archive.ts';
import { packedManifest, writeArchive, type ArchiveSource } from './write-archive.ts';

const MADE_AT = new Date('2026-03-04T05:06:07Z');
const FACTS = {
  format: BACKUP_FORMAT,
  madeAt: MADE_AT.toISOString(),
  snapshotAt: MADE_AT.toISOString(),
  release: '0.1.0',
  schemaVersion: 1,
  engine: 'embedded',
  secrets: 'included',
  files: 'included',
  rows: { posts: 3 },
} as const;
/** Longer than the names of a plain header may be. */
const LONG = `blobs/${'a-long-folder/'.repeat(12)}${'b'.repeat(120)}.blob`;
const CONTENT: readonly { readonly name: string; readonly bytes: Buffer }[] = [
  { name: 'crier.db', bytes: Buffer.from('not whole blocks '.repeat(50)) },
  { name: 'secrets.json', bytes: Buffer.from('{}') },
  { name: 'blobs/empty.blob', bytes: Buffer.alloc(0) },
  { name: LONG, bytes: Buffer.alloc(1024, 7) },
];

let folder: string;
let whole: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-archive-'));
  const path = join(folder, 'whole.tar');
  for (const { name, bytes } of CONTENT) writeFileSync(join(folder, name.replaceAll('/', '_').slice(-60)), bytes);
  const gone: ArchiveSource = { name: 'demo.json', path: join(folder, 'was never there') };
  const sources = [
    ...CONTENT.map(({ name }) => ({ name, path: join(folder, name.replaceAll('/', '_').slice(-60)) })),
    gone,
  ];
  await writeArchive({
    path,
    madeAt: MADE_AT,
    sources: each(sources),
    describe: (found) => ({ ...FACTS, ...found }),
    rest: () => {},
  });
  whole = readFileSync(path);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** What is wrong with an archive of these bytes. */
async function troublesOf(bytes: Uint8Array, cutTo?: number): Promise<readonly string[]> {
  const path = join(folder, 'looked-at.tar');
  writeFileSync(path, bytes);
  if (cutTo !== undefined) truncateSync(path, cutTo);
  try {
    const manifest = await openManifest(path);
    return await readArchive({ path, manifest, into: folder, wanted: () => false });
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'refused') throw error;
    return [error.message];
  }
}

/** An archive of other entries, under the manifest that `change` makes of the right one. */
async function rewritten(
  entries: readonly { readonly name: string; readonly bytes: Buffer }[],
  change: (manifest: Manifest) => Manifest = (manifest) => manifest,
): Promise<Buffer> {
  const archive = pack();
  for (const { name, bytes } of entries)
    archive.entry({ name, size: bytes.length, mode: 0o600, mtime: MADE_AT, type: 'file' }, bytes);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece);
  const before = Buffer.concat(pieces).subarray(0, -1024);
  const manifest = await openManifest(join(folder, 'whole.tar'));
  const text = writeManifest(change({ ...manifest, before: { ...manifest.before, bytes: before.length } }));
  return Buffer.concat([before, await packedManifest(text, MADE_AT)]);
}

test('a whole archive has no troubles, lists its entries in order, and leaves out what was gone', async () => {
  expect(await troublesOf(whole)).toEqual([]);
  const { entries } = await openManifest(join(folder, 'whole.tar'));
  expect(entries.map(({ name, bytes }) => [name, bytes])).toEqual(
    CONTENT.map(({ name, bytes }) => [name, bytes.length]),
  );
});

test('a disk that takes a part of what is written at first gets all of the archive', async () => {
  const path = join(folder, 'in-parts.tar');
  const file = await open(join(folder, 'whole.tar'), 'r');
  const handles = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  const write = handles.write as (bytes: Uint8Array, from: number, length: number) => ReturnType<FileHandle['write']>;
  const inParts = function (this: FileHandle, bytes: Uint8Array, from = 0) {
    return write.call(this, bytes, from, Math.ceil((bytes.length - from) / 2));
  };
  const spy = vi.spyOn(handles, 'write').mockImplementation(inParts as FileHandle['write']);
  const describe = (found: Pick<Manifest, 'entries' | 'before'>) => ({ ...FACTS, ...found });
  await writeArchive({ path, madeAt: MADE_AT, sources: each(CONTENT), describe, rest: () => {} });
  spy.mockRestore();
  expect(await troublesOf(readFileSync(path))).toEqual([]);
});

test('a flipped byte anywhere is reported in sentences', { timeout: 300_000 }, async () => {
  const silent: number[] = [];
  // The stride is prime to the length of a block, so that all places of headers and padding are met.
  for (let at = 0; at < whole.length; at += 13) {
    const damaged = Buffer.from(whole);
    damaged[at] = damaged[at]! ^ 0x41;
    const troubles = await troublesOf(damaged);
    if (troubles.length === 0 || troubles.some((line) => line.length < 20)) silent.push(at);
  }
  expect(silent).toEqual([]);
});

test('a flipped byte of content names its entry', async () => {
  const damaged = Buffer.from(whole);
  damaged[600] = damaged[600]! ^ 1;
  expect(await troublesOf(damaged)).toEqual(['crier.db is damaged: its SHA-256 differs']);
});

test('an archive cut anywhere is reported', async () => {
  for (const left of [0, 1, 511, 512, 1024, whole.length - 5_000, whole.length - 1024, whole.length - 1])
    expect(await troublesOf(whole, Math.max(0, left)), `cut to ${left}`).toEqual([
      expect.stringMatching(/cut short|damaged/),
    ]);
});

test('a missing entry, one too many, one twice, and one of another length are reported by name', async () => {
  expect(await troublesOf(await rewritten(CONTENT.filter(({ name }) => name !== 'secrets.json')))).toEqual([
    'secrets.json is missing from it',
  ]);
  const extra = { name: 'running.json', bytes: Buffer.from('{}') };
  expect(await troublesOf(await rewritten([...CONTENT, extra]))).toEqual([
    'running.json is in it, and its manifest does not list it',
  ]);
  expect(await troublesOf(await rewritten([...CONTENT, CONTENT[1]!]))).toEqual([
    'secrets.json is in it, and its manifest does not list it',
  ]);
  const longer = CONTENT.map((entry) => (entry.name === 'crier.db' ? { ...entry, bytes: Buffer.alloc(900) } : entry));
  expect(await troublesOf(await rewritten(longer))).toEqual(['crier.db has 900 bytes, and its manifest says 850']);
});

test('an archive of format 2 is told to be for a newer release', async () => {
  const newer = await rewritten(CONTENT, (manifest) => ({ ...manifest, format: 2 }) as unknown as Manifest);
  expect(await troublesOf(newer)).toEqual([
    'it has format 2, and this release reads format 1: use the release that made it, or a newer one',
  ]);
});

test('a file that is no archive, and a manifest whose digest is not its own, are reported', async () => {
  expect(await troublesOf(Buffer.from('not a backup'))).toEqual(['it is cut short, or it is no backup of Crier']);
  expect(await troublesOf(Buffer.alloc(10_240))).toEqual(['it is cut short, or it is no backup of Crier']);
  const text = writeManifest({ ...FACTS, entries: [], before: { bytes: 0, sha256: '' } });
  expect(() => readManifest(text.replace('0.1.0', '0.1.1'))).toThrow(/manifest\.json is damaged/);
});
