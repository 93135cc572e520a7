import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { box, withBox, withOutsideData } from '#media/hostile-files.fixture.ts';
import { readMovieBoxes } from './movie-boxes.ts';

let folder: string;
let film: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crier-boxes-'));
  film = await readFile(new URL('../../testing/fixtures/reel.mp4', import.meta.url));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: Buffer) {
  const path = join(folder, 'movie');
  await writeFile(path, bytes);
  return readMovieBoxes(path);
}

test('a film as an encoder makes it is plain, and its edits are only its padding', async () => {
  // Its one note, which names the encoder, becomes free space.
  const note = film.indexOf('udta');
  expect(await read(film)).toEqual({
    kind: 'read',
    bytes: film.length,
    boxes: { isFaststart: true, isPlain: true, hasOutsideData: false, edits: 'trivial' },
    privateParts: [
      { at: note, bytes: 4, by: Buffer.from('free').toString('base64') },
      { at: note + 4, bytes: film.readUInt32BE(note - 4) - 8, by: '' },
    ],
  });
});

test.each<[string, (movie: Buffer) => Buffer, object]>([
  ['other data follows', (movie) => Buffer.concat([movie, box('uuid', 'a'.repeat(16))]), { isPlain: false }],
  ['much free space', (movie) => Buffer.concat([movie, box('free', Buffer.alloc(5_000))]), { isPlain: false }],
  ['pieces', (movie) => Buffer.concat([movie, box('moof')]), { isPlain: false }],
  ['two indexes', (movie) => Buffer.concat([movie, box('moov')]), { isPlain: false }],
  ['tracks elsewhere', withOutsideData, { hasOutsideData: true }],
  ['a delay', (movie) => withBox(movie, 'elst', (list) => list.writeInt32BE(-1, 12)), { edits: 'real' }],
  ['another speed', (movie) => withBox(movie, 'elst', (list) => list.writeUInt32BE(0x2_0000, 16)), { edits: 'real' }],
  ['a cut beginning', (movie) => withBox(movie, 'elst', (list) => list.writeInt32BE(60_000, 12)), { edits: 'real' }],
  ['a cut end', (movie) => withBox(movie, 'elst', (list) => list.writeUInt32BE(1_000, 8)), { edits: 'real' }],
])('%s: it is reported', async (_name, change, expected) => {
  expect(await read(change(film))).toMatchObject({ kind: 'read', boxes: expected });
});

test.each<[string, (movie: Buffer) => Buffer]>([
  ['no boxes', () => Buffer.from('no film at all, but longer than a box')],
  ['no data after the last box', (movie) => Buffer.concat([movie, Buffer.from([0, 0, 1])])],
  ['a box smaller than its own header', (movie) => Buffer.concat([movie, Buffer.from('0000000466726565', 'hex')])],
])('%s: it is reported as no film', async (_name, change) => {
  expect(await read(change(film))).toEqual({ kind: 'no index' });
});

test('thousands of samples of a sensor are found among thousands of boxes of media in a moment', async () => {
  const words = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
    return bytes;
  };
  const [chunks, media] = [40_000, 60_000];
  const start = 12;
  // The last of them, so that whoever looks from the first goes through all.
  const offset = start + 9 * (media - 1) + 8;
  const table = box(
    'stbl',
    box('stsz', words(0, 1, chunks)),
    box('stsc', words(0, 1, 1, 1, 1)),
    box('stco', words(0, chunks, ...new Array<number>(chunks).fill(offset))),
  );
  const track = box('trak', box('mdia', box('hdlr', words(0, 0), 'meta'), box('minf', table)));
  const one = box('mdat', 'x');
  const movie = Buffer.concat([box('ftyp', 'isom'), ...new Array<Buffer>(media).fill(one), box('moov', track)]);
  const before = process.threadCpuUsage();
  const answer = await read(movie);
  const { user, system } = process.threadCpuUsage(before);
  expect(answer.kind === 'read' && answer.privateParts.some(({ at, bytes }) => at === offset && bytes === 1)).toBe(
    true,
  );
  // Comparing each with each takes ten times as long.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});

test('reading ends with an answer, whatever the bytes of the index are', async () => {
  const at = film.indexOf('moov') + 4;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(1_500), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 }),
      async (changes) => {
        const broken = Buffer.from(film);
        for (const [offset, value] of changes) broken[at + offset] = value;
        const answer = await read(broken);
        expect(answer.kind !== 'read' || ['none', 'trivial', 'real'].includes(answer.boxes.edits)).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});
