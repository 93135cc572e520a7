import { describe, expect, test } from 'vitest';
import { chunkEnd, chunksOf, lastChunkFrom, receivedOf } from './chunks.ts';

const MB = 1_000_000;
const MIB = 1024 * 1024;

test.each([
  1,
  999,
  5 * MB - 1,
  5 * MB,
  8 * MIB - 1,
  8 * MIB,
  16 * MIB - 1,
  16 * MIB,
  50 * MB + 123,
  64 * MB,
  64 * MB + 1,
  300 * MB,
  2_000 * MB,
  4_000 * MB,
])('a video of %i bytes goes in chunks as TikTok counts them', (bytes) => {
  const { chunkBytes, count } = chunksOf(bytes);
  expect(count).toBe(Math.floor(bytes / chunkBytes));
  expect(count).toBeLessThanOrEqual(1_000);
  if (bytes < 5 * MB) expect(chunkBytes).toBe(bytes);
  else expect(chunkBytes).toBeGreaterThanOrEqual(5 * MB);
  expect(chunkBytes).toBeLessThanOrEqual(64 * MB);
  if (bytes > 64 * MB) expect(count).toBeGreaterThan(1);
  const upload = { bytes, chunkBytes };
  const ends: number[] = [];
  for (let from = 0; from < bytes; from = ends.at(-1)!) ends.push(chunkEnd(upload, from));
  expect(ends).toHaveLength(count);
  expect(ends.at(-1)).toBe(bytes);
  expect(ends.at(-2) ?? 0).toBe(lastChunkFrom(upload));
  expect(bytes - lastChunkFrom(upload)).toBeLessThanOrEqual(128 * MB);
});

describe('how many bytes TikTok has', () => {
  const upload = { bytes: 2_500, chunkBytes: 1_000 };
  test.each([
    ['bytes 0-999/2500', 1_000],
    ['bytes 0-1000/2500', 1_000],
    ['bytes 0-1499/2500', 1_500],
    ['bytes 0-2499/2500', 2_500],
    ['bytes 0-2500/2500', 2_500],
    ['bytes 0-0/2500', 0],
    [' Bytes 0-999/* ', 1_000],
    ['bytes */2500', null],
    ['bytes 5-999/2500', null],
    ['', null],
  ])('%j', (range, received) => {
    expect(receivedOf({ 'content-range': range }, upload)).toBe(received);
  });

  test('no header says nothing', () => {
    expect(receivedOf({}, upload)).toBeNull();
  });
});
