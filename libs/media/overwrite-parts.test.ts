import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { overwriting, storeWithoutParts } from './overwrite-parts.ts';

const CONTENT = 'abcdefghijklmnopqrst';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const PARTS = [
  { at: 2, bytes: 3, by: base64('XY') },
  { at: 3, bytes: 9, by: base64('Z') },
  { at: 9, bytes: 1, by: base64('W') },
  { at: 18, bytes: 100, by: '' },
];
const BARE = 'abXY\0fghiWklmnopqr\0\0';

test.each([1, 2, 3, 5, 7, 100])('parts are overwritten however the bytes come: %i at a time', async (size) => {
  const pieces = CONTENT.match(new RegExp(`.{1,${size}}`, 'g'))!.map((piece) => Buffer.from(piece));
  expect((await buffer(Readable.from(pieces).pipe(overwriting(PARTS)))).toString()).toBe(BARE);
  expect(Buffer.concat(pieces).toString()).toBe(CONTENT);
});

test('a copy without the parts is stored beside the original, with facts of its own', async () => {
  const blobs = createMemoryBlobStore();
  const original = await blobs.put('a', Readable.from([Buffer.from(CONTENT)]), { maxBytes: 100 });
  const bare = await storeWithoutParts(blobs, { blob: 'a', bytes: original.bytes, into: 'b' }, PARTS);
  expect(bare.bytes).toBe(original.bytes);
  expect(bare.sha256).not.toBe(original.sha256);
  expect((await buffer(await blobs.get('b'))).toString()).toBe(BARE);
  await expect(storeWithoutParts(blobs, { blob: 'none', bytes: 1, into: 'c' }, PARTS)).rejects.toThrow();
});
