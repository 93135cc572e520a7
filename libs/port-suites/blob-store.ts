import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '#ports/blob-store.ts';

export interface BlobStoreUnderTest {
  readonly store: BlobStore;
  close(): Promise<void>;
}

const LIMIT = { maxBytes: 50_000_000 };
const CONTENT = Buffer.from('0123456789');

/** What every blob store must do. Every test uses names of its own, so a store may be shared with earlier runs. */
export function blobStoreSuite(name: string, open: () => Promise<BlobStoreUnderTest>): void {
  describe(name, () => {
    let opened: BlobStoreUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());
    const store = () => opened.store;

    wholeBlobs(store);
    ranges(store);
    refusals(store);
    listings(store);
  });
}

const freshName = () => `suite/${randomBytes(12).toString('hex')}`;
const put = (store: BlobStore, name: string, content: Buffer, options = LIMIT) =>
  store.put(name, Readable.from([content]), options);
const read = async (store: BlobStore, name: string, range?: { start: number; end: number }) =>
  buffer(await store.get(name, range));
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The content as a stream of pieces of odd sizes. */
function pieces(content: Buffer): Readable {
  const cut: Buffer[] = [];
  for (let at = 0, size = 1; at < content.length; at += size, size = (size * 7 + 3) % 200_003)
    cut.push(content.subarray(at, at + Math.max(size, 1)));
  return Readable.from(cut);
}

/** A stream that gives some bytes and then fails, like an upload whose client disconnects. */
function failing(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.alloc(100_000, 1);
      throw new Error('the client disconnected');
    })(),
  );
}

const expectRefused = (call: Promise<unknown>) =>
  expect(call).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });

function wholeBlobs(store: () => BlobStore): void {
  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['every byte', Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i))],
    ['megabytes in pieces of odd sizes', randomBytes(12_000_001)],
  ])('a blob of %s is read back whole, with its length and SHA-256', async (_, content) => {
    const name = freshName();
    expect(await store().put(name, pieces(content), LIMIT)).toEqual({ bytes: content.length, sha256: sha256(content) });
    expect(await store().head(name)).toEqual({ bytes: content.length });
    expect((await read(store(), name)).equals(content)).toBe(true);
  });

  test('the pieces of a put that frees them are empty afterwards, but for parts of something larger', async () => {
    const [name, whole, larger] = [freshName(), Buffer.alloc(70_000, 1), Buffer.alloc(70_000, 2)];
    const part = larger.subarray(10);
    const content = Buffer.concat([whole, part]);
    await store().put(name, Readable.from([whole, part]), { ...LIMIT, freesPieces: true });
    expect((await read(store(), name)).equals(content)).toBe(true);
    expect([whole.length, part.length]).toEqual([0, 69_990]);
  });

  test('of a put that does not, they stay as they are', async () => {
    const [name, whole] = [freshName(), Buffer.alloc(70_000, 1)];
    await put(store(), name, whole);
    expect(whole.equals(Buffer.alloc(70_000, 1))).toBe(true);
  });

  test('a blob put again is replaced, longer or shorter', async () => {
    const name = freshName();
    for (const content of ['middling', 'short', 'the longest of them all']) {
      await put(store(), name, Buffer.from(content));
      expect((await read(store(), name)).toString()).toBe(content);
    }
  });

  test('of blobs put at the same time under one name, one is stored, whole', async () => {
    const name = freshName();
    const contents = [1, 2, 3, 4, 5].map((n) => Buffer.alloc(300_000 + n, n));
    await Promise.all(contents.map((content) => store().put(name, pieces(content), LIMIT)));
    const winner = await read(store(), name);
    expect(contents.some((content) => content.equals(winner))).toBe(true);
  });

  test('a name below another name is a blob of its own', async () => {
    const name = freshName();
    await Promise.all(
      [name, `${name}/part`, `${name}/part/deep_er-1`].map((each) => put(store(), each, Buffer.from(each))),
    );
    await store().delete(`${name}/part`);
    expect((await read(store(), name)).toString()).toBe(name);
    expect(await store().head(`${name}/part`)).toBeNull();
    expect((await read(store(), `${name}/part/deep_er-1`)).toString()).toBe(`${name}/part/deep_er-1`);
  });

  test('a deleted blob is gone, and deleting a missing one is harmless', async () => {
    const name = freshName();
    await put(store(), name, CONTENT);
    await store().delete(name);
    await store().delete(name);
    expect(await store().head(name)).toBeNull();
    await expectRefused(store().get(name));
  });
}

function ranges(store: () => BlobStore): void {
  test.each([
    ['the first byte', 0, 0, '0'],
    ['the middle', 3, 6, '3456'],
    ['the last byte', 9, 9, '9'],
    ['all of it', 0, 9, '0123456789'],
    ['beyond the end', 8, 100, '89'],
  ])('a range gives %s', async (_, start, end, expected) => {
    const name = freshName();
    await put(store(), name, CONTENT);
    expect((await read(store(), name, { start, end })).toString()).toBe(expected);
  });

  test.each([
    ['starts after the end of the blob', 10, 12],
    ['ends before it starts', 5, 4],
    ['starts before 0', -1, 4],
    ['is not of whole bytes', 0.5, 4],
  ])('a range that %s is refused', async (_, start, end) => {
    const name = freshName();
    await put(store(), name, CONTENT);
    await expectRefused(store().get(name, { start, end }));
  });
}

function refusals(store: () => BlobStore): void {
  test('a blob of maxBytes is accepted, one byte more is refused and leaves nothing', async () => {
    const name = freshName();
    await put(store(), name, CONTENT, { maxBytes: 10 });
    await store().delete(name);
    await expectRefused(put(store(), name, CONTENT, { maxBytes: 9 }));
    await expectRefused(store().put(name, pieces(Buffer.alloc(7_000_000)), { maxBytes: 6_000_000 }));
    expect(await store().head(name)).toBeNull();
  });

  test('a source that fails rejects, and the former blob stays', async () => {
    const name = freshName();
    await expect(store().put(name, failing(), LIMIT)).rejects.toThrow('the client disconnected');
    expect(await store().head(name)).toBeNull();
    await put(store(), name, CONTENT);
    await expect(store().put(name, failing(), LIMIT)).rejects.toThrow('the client disconnected');
    await expectRefused(put(store(), name, Buffer.alloc(11), { maxBytes: 10 }));
    expect(await read(store(), name)).toEqual(CONTENT);
  });

  test('a source is closed when its blob is refused', async () => {
    const source = pieces(Buffer.alloc(1_000_000));
    await expectRefused(store().put(freshName(), source, { maxBytes: 10 }));
    expect(source.destroyed).toBe(true);
  });

  test.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '..',
    'a/../b',
    './a',
    'a.txt',
    'A',
    'ä',
    'a b',
    'a\0',
    'a\\b',
    `a${'b'.repeat(200)}`,
    'a\n',
  ])('the name %j is refused by every call', async (name) => {
    await expectRefused(put(store(), name, CONTENT));
    await expectRefused(store().get(name));
    await expectRefused(store().head(name));
    await expectRefused(store().delete(name));
  });

  test('a name that was never put has no blob', async () => {
    expect(await store().head(freshName())).toBeNull();
    await expectRefused(store().get(freshName()));
  });
}

function listings(store: () => BlobStore): void {
  const named = async (prefix: string, page: { after: string | null; limit: number }) =>
    (await store().list(prefix, page)).map(({ name }) => name);

  test('a listing has the blobs with the prefix, in the order of their names, page by page', async () => {
    const room = `${freshName()}/`;
    // In the order of their bytes: a dash, a slash, digits, an underscore, letters.
    const names = ['a', 'a-1', 'a/1', 'a/b/c', 'a0', 'a_1', 'ab', 'b/1', 'b/2', 'c'].map((name) => room + name);
    for (const name of names.toReversed()) await put(store(), name, CONTENT);
    await put(store(), `${room.slice(0, -1)}0`, CONTENT);
    expect(await named(room, { after: null, limit: 1000 })).toEqual(names);
    for (const limit of [1, 3, 10]) {
      const paged: string[] = [];
      for (let after: string | null = null; ;) {
        const page: string[] = await named(room, { after, limit });
        paged.push(...page);
        if (page.length < limit) break;
        after = page.at(-1)!;
      }
      expect(paged).toEqual(names);
    }
    expect(await named(`${room}a/`, { after: null, limit: 10 })).toEqual([`${room}a/1`, `${room}a/b/c`]);
    expect(await named(`${room}a`, { after: `${room}a/1`, limit: 2 })).toEqual([`${room}a/b/c`, `${room}a0`]);
    expect(await named(`${room}d`, { after: null, limit: 10 })).toEqual([]);
  });

  test('a listing states length and age, and has no blob that was deleted or incomplete', async () => {
    const room = `${freshName()}/`;
    await put(store(), `${room}kept`, CONTENT);
    await put(store(), `${room}gone`, CONTENT);
    await store().delete(`${room}gone`);
    await expect(store().put(`${room}broken`, failing(), LIMIT)).rejects.toThrow('the client disconnected');
    const [only, ...more] = await store().list(room, { after: null, limit: 10 });
    expect([only?.name, only?.bytes, more]).toEqual([`${room}kept`, CONTENT.length, []]);
    expect(only!.ageMs).toBeGreaterThanOrEqual(0);
    expect(only!.ageMs).toBeLessThan(600_000);
  });

  test.each([
    ['../', 10],
    ['/', 10],
    ['a//', 10],
    ['A', 10],
    ['a', 0],
    ['a', 1001],
    ['a', 1.5],
  ])('a listing of %j with a page of %d is refused', async (prefix, limit) => {
    await expectRefused(store().list(prefix, { after: null, limit }));
  });

  test('blobs put and deleted at the same time in one folder do not disturb each other', async () => {
    const room = freshName();
    const rounds = Array.from({ length: 20 }, (_, index) => `${room}/${index % 4}/${index}`);
    await Promise.all(
      rounds.map(async (name) => {
        await put(store(), name, CONTENT);
        await store().delete(name);
        await put(store(), name, CONTENT);
      }),
    );
    expect(await named(`${room}/`, { after: null, limit: 100 })).toEqual(rounds.toSorted());
  });

  test('a put in progress is not removed as unfinished', async () => {
    const name = freshName();
    const source = new Readable({ read() {} });
    const putting = store().put(name, source, LIMIT);
    source.push(CONTENT);
    await store().removeUnfinished(60_000);
    source.push(null);
    await putting;
    expect(await read(store(), name)).toEqual(CONTENT);
  });
}
