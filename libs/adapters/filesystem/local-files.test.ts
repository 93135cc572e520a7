import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '#ports/blob-store.ts';
import { createFilesystemBlobStore } from './blob-store.ts';
import { createLocalFiles } from './local-files.ts';

let root: string;
let blobs: BlobStore;
const folder = () => join(root, 'copies');

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'crier-'));
  blobs = await createFilesystemBlobStore({ folder: join(root, 'blobs') });
  await blobs.put('a/b', Readable.from([Buffer.from('content')]), { maxBytes: 100 });
});
afterEach(() => rmSync(root, { recursive: true }));

/** A blob store on another machine: it has no local paths. */
const remote = (): BlobStore =>
  Object.assign(Object.create(blobs) as BlobStore, {
    ...Object.fromEntries((['get', 'head'] as const).map((name) => [name, blobs[name].bind(blobs)])),
    localPath: () => null,
  });

test('a blob that is a file of this machine is used where it is stored', async () => {
  const files = createLocalFiles({ blobs, folder: folder() });
  expect(await files.use('a/b', async (path) => [path, readFileSync(path, 'utf8')])).toEqual([
    blobs.localPath('a/b'),
    'content',
  ]);
});

test('a blob from elsewhere is copied, and the copy is removed when the work has ended or failed', async () => {
  mkdirSync(folder());
  writeFileSync(join(folder(), 'left-by-a-crash'), 'x');
  const files = createLocalFiles({ blobs: remote(), folder: folder() });
  const both = Promise.all([1, 2].map(() => files.use('a/b', async (path) => readFileSync(path, 'utf8'))));
  expect(await both).toEqual(['content', 'content']);
  await expect(files.use('a/b', async () => Promise.reject(new Error('the work failed')))).rejects.toThrow(
    'the work failed',
  );
  expect(readdirSync(folder())).toEqual([]);
});

test.each(['here', 'elsewhere'])('a blob that does not exist is refused, %s', async (where) => {
  const files = createLocalFiles({ blobs: where === 'here' ? blobs : remote(), folder: folder() });
  await expect(files.use('a/c', async () => 1)).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
});

test('a folder that can not be made is unavailable, and is tried again by the next call', async () => {
  writeFileSync(folder(), 'in the way');
  const files = createLocalFiles({ blobs: remote(), folder: join(folder(), 'deep') });
  await expect(files.use('a/b', async () => 1)).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
  rmSync(folder());
  expect(await files.use('a/b', async () => 1)).toBe(1);
});
