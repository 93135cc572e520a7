import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { blobStoreSuite } from '#port-suites/blob-store.ts';
import { createFilesystemBlobStore } from './blob-store.ts';

blobStoreSuite('filesystem blob store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const store = await createFilesystemBlobStore({ folder: join(folder, 'blobs') });
  return { store, close: async () => rmSync(folder, { recursive: true }) };
});

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crier-'));
  folder = join(root, 'data', 'blobs');
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

/** What all open files inherit from. */
async function fileHandles(): Promise<Pick<FileHandle, 'datasync' | 'write'>> {
  await using file = await open(join(root, 'any'), 'w');
  return Object.getPrototypeOf(file) as FileHandle;
}

const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('a crash in the middle of a put leaves no blob, and after the next start no file either', async () => {
  const crashed = await createFilesystemBlobStore({ folder });
  const source = new Readable({ read() {} });
  source.push(Buffer.alloc(100_000, 1));
  const unfinished = crashed.put('a/b', source, { maxBytes: 1_000_000 });
  await expect.poll(() => files().map((file) => statSync(join(file.parentPath, file.name)).size)).toEqual([100_000]);
  const restarted = await createFilesystemBlobStore({ folder });
  expect(await restarted.head('a/b')).toBeNull();
  expect(files()).toEqual([]);
  source.push(null);
  await expect(unfinished).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a large file reaches the disk piece by piece, so that a sync of the database waits for one piece of it', async () => {
  const prototype = await fileHandles();
  const done: ('written' | 'synced')[] = [];
  const { datasync, write } = prototype;
  prototype.datasync = async function (this: FileHandle) {
    done.push('synced');
    return datasync.call(this);
  };
  prototype.write = async function (this: FileHandle, ...args: unknown[]) {
    done.push('written');
    return Reflect.apply(write, this, args) as never;
  };
  try {
    const store = await createFilesystemBlobStore({ folder });
    const pieces = Array.from({ length: 100 }, () => Buffer.alloc(65_536, 1));
    await store.put('a', Readable.from(pieces), { maxBytes: 10_000_000 });
  } finally {
    Object.assign(prototype, { datasync, write });
  }
  const between = done
    .join(' ')
    .split('synced')
    .map((words) => words.split('written').length - 1);
  expect(between).toEqual([16, 16, 16, 16, 16, 16, 4, 0]);
});

test('of files that are stored at once, one is synced at a time', async () => {
  const prototype = await fileHandles();
  const { datasync } = prototype;
  let [under, most, all] = [0, 0, 0];
  prototype.datasync = async function (this: FileHandle) {
    most = Math.max(most, ++under);
    all += 1;
    await datasync.call(this).finally(() => under--);
  };
  try {
    const store = await createFilesystemBlobStore({ folder });
    const put = (name: string) =>
      store.put(name, Readable.from([1, 2, 3].map((byte) => Buffer.alloc(1_100_000, byte))), { maxBytes: 10_000_000 });
    await Promise.all(['a', 'b', 'c', 'd'].map(put));
  } finally {
    Object.assign(prototype, { datasync });
  }
  expect([most, all]).toEqual([1, 16]);
});

test('a source that fails before the file is open rejects the put, and ends no process', async () => {
  const store = await createFilesystemBlobStore({ folder });
  const source = new Readable({ read() {} });
  const put = store.put('a', source, { maxBytes: 1 });
  source.destroy(new Error('the sender is gone'));
  await expect(put).rejects.toThrow('the sender is gone');
  expect(files()).toEqual([]);
});

test('in a shared folder only a file that was not written to for long is unfinished', async () => {
  const crashed = await createFilesystemBlobStore({ folder, shared: true });
  const source = new Readable({ read() {} });
  source.push(Buffer.alloc(100_000, 1));
  const unfinished = crashed.put('a/b', source, { maxBytes: 1_000_000 });
  await expect.poll(() => files().map((file) => statSync(join(file.parentPath, file.name)).size)).toEqual([100_000]);
  const other = await createFilesystemBlobStore({ folder, shared: true });
  expect([await other.removeUnfinished(60_000), files().length]).toEqual([0, 1]);
  const [temporary] = files();
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(join(temporary!.parentPath, temporary!.name), longAgo, longAgo);
  expect([await other.removeUnfinished(60_000), files()]).toEqual([1, []]);
  source.push(null);
  await expect(unfinished).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a folder is removed with its last blob, and a blob is stored at its local path', async () => {
  const store = await createFilesystemBlobStore({ folder });
  await store.put('a/b/c', Readable.from([Buffer.from('x')]), { maxBytes: 1 });
  expect(readFileSync(store.localPath('a/b/c')!, 'utf8')).toBe('x');
  await store.delete('a/b/c');
  expect(readdirSync(folder)).toEqual(['.incoming']);
});

test('neither refused nor replaced blobs leave a file behind, and no other user may read them', async () => {
  const store = await createFilesystemBlobStore({ folder });
  for (let i = 0; i < 3; i++) await store.put('a', Readable.from([Buffer.from('x')]), { maxBytes: 1 });
  await expect(store.put('b', Readable.from([Buffer.from('xy')]), { maxBytes: 1 })).rejects.toMatchObject({
    kind: 'refused',
  });
  expect(files().map((file) => file.name)).toEqual(['a.blob']);
  expect(statSync(join(folder, 'a.blob')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a reader of a blob that is replaced or deleted meanwhile gets the old one whole', async () => {
  const store = await createFilesystemBlobStore({ folder });
  const old = Buffer.alloc(1_000_000, 1);
  await store.put('a', Readable.from([old]), { maxBytes: 1_000_000 });
  const [first, second] = [await store.get('a'), await store.get('a')];
  await store.put('a', Readable.from([Buffer.from('new')]), { maxBytes: 1_000_000 });
  expect((await buffer(first)).equals(old)).toBe(true);
  await store.delete('a');
  expect((await buffer(second)).equals(old)).toBe(true);
});

test('a file in the place of the folder is unavailable', async () => {
  writeFileSync(join(root, 'data'), 'x');
  await expect(createFilesystemBlobStore({ folder })).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
});

test('a put whose file may not grow further is unavailable and leaves nothing', async () => {
  const child = `
    import { Readable } from 'node:stream';
    import { createFilesystemBlobStore } from ${JSON.stringify(join(import.meta.dirname, 'blob-store.ts'))};
    process.on('SIGXFSZ', () => {});
    const store = await createFilesystemBlobStore({ folder: ${JSON.stringify(folder)} });
    const failure = await store.put('a', Readable.from([Buffer.alloc(2_000_000)]), { maxBytes: 3_000_000 }).catch((error) => error);
    console.log(failure.name, failure.kind, await store.head('a'));
  `;
  // The limit is half a megabyte for any file of this process, as a stand-in for a full disk.
  const run = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1024; exec "$0" --input-type=module -e "$1"', process.execPath, child],
    { encoding: 'utf8' },
  );
  expect(run.stdout.trim()).toBe('PortError unavailable null');
  expect(files()).toEqual([]);
});
