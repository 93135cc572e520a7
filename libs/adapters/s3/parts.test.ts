import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { partsOf } from './parts.ts';

async function cut(chunks: readonly string[], partBytes: number): Promise<string[]> {
  const parts: string[] = [];
  for await (const part of partsOf(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), partBytes))
    parts.push(part.toString());
  return parts;
}

test.each([
  [[], []],
  [['abc'], ['abc']],
  [['ab', 'cd'], ['abcd']],
  [
    ['a', 'bcde'],
    ['abcd', 'e'],
  ],
  [['abcdefghijkl'], ['abcd', 'efgh', 'ijkl']],
  [
    ['abcdefghij', 'k', 'lm'],
    ['abcd', 'efgh', 'ijkl', 'm'],
  ],
])('%j in parts of four is %j', async (chunks, parts) => {
  expect(await cut(chunks, 4)).toEqual(parts);
});

test('a part stays valid while the next one fills, and no longer', async () => {
  const parts = partsOf(Readable.from([Buffer.from('aaaabbbbcccc')]), 4);
  const first = (await parts.next()).value as Buffer;
  const second = (await parts.next()).value as Buffer;
  expect([first.toString(), second.toString()]).toEqual(['aaaa', 'bbbb']);
  const third = (await parts.next()).value as Buffer;
  expect([third.buffer === first.buffer, second.toString()]).toEqual([true, 'bbbb']);
});

test('a stream that fails makes the parts fail', async () => {
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from('abcde');
      throw new Error('gone');
    })(),
  );
  const parts = partsOf(failing, 4);
  expect((await parts.next()).value?.toString()).toBe('abcd');
  await expect(parts.next()).rejects.toThrow('gone');
});
