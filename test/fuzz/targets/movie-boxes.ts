import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import { readMovieBoxes } from '#adapters/ffmpeg/movie-boxes.ts';
import { box } from '#media/hostile-files.fixture.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBytes } from '../mutations.ts';
import { assertParts } from './picture-parts.ts';

/** A box with what is in it: further boxes, or bytes. */
interface MovieBox {
  readonly type: string;
  readonly content: readonly MovieBox[] | Buffer;
}

const CONTAINERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'udta']);
const TYPES = 'ftyp moov trak mvhd edts elst mdia mdhd hdlr minf dinf dref stbl stsz stsc stco co64 mdat free'.split(
  ' ',
);
const MORE_TYPES = ['uuid', 'meta', 'udta', 'rmra', 'skip', 'moof', 'wide', '\0\0\0\0'];

function boxesOf(bytes: Buffer): readonly MovieBox[] {
  const boxes: MovieBox[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const [size, type] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    const content = bytes.subarray(at + 8, at + size);
    boxes.push({ type, content: CONTAINERS.has(type) ? boxesOf(content) : content });
    at += Math.max(8, size);
  }
  return boxes;
}

function bytesOf(boxes: readonly MovieBox[]): Buffer {
  return Buffer.concat(
    boxes.map(({ type, content }) => box(type, Buffer.isBuffer(content) ? content : bytesOf(content as MovieBox[]))),
  );
}

const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value >>> 0, 4 * at));
  return bytes;
};

/** A track of what a sensor said, whose samples are to be overwritten: so many chunks of so many samples. */
function sensorTrack(chunks: number, samples: number): Buffer {
  const table = box(
    'stbl',
    box('stsz', u32(0, 1, samples)),
    box('stsc', u32(0, 1, 1, samples, 1)),
    box('stco', u32(0, chunks), u32(...Array.from({ length: chunks }, (_, at) => 40 + at))),
  );
  return box('trak', box('mdia', box('hdlr', u32(0, 0), 'meta'), box('minf', table)));
}

/** Movies whose parts are the same, and whose pictures are left out: the reader never looks at them. */
function samples(): readonly Buffer[] {
  const film = boxesOf(readFileSync(new URL('../../../libs/testing/fixtures/reel.mp4', import.meta.url)));
  const index = film.find(({ type }) => type === 'moov')!;
  const data = { type: 'mdat', content: Buffer.alloc(64, 1) };
  const withSensor: MovieBox = {
    ...index,
    content: [...(index.content as MovieBox[]), ...boxesOf(sensorTrack(5, 3)), { type: 'udta', content: [] }],
  };
  const start = { type: 'ftyp', content: Buffer.from('isom\0\0\0\0isom') };
  return [
    bytesOf([start, index, data]),
    bytesOf([start, data, withSensor, { type: 'free', content: Buffer.alloc(20, 7) }]),
  ];
}

const boxEdit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('repeat', 'remove', 'rename', 'number'),
  times: fc.oneof({ weight: 6, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: fc.nat(3_000) }),
  type: fc.constantFrom(...TYPES, ...MORE_TYPES),
  word: fc.nat(40),
  value: fc.constantFrom(0, 1, 2, 1_000, 50_000, 2_000_000, 0x7fffffff, 0xffffffff),
});
type BoxEdit = typeof boxEdit extends Arbitrary<infer Edit> ? Edit : never;

function editedBoxes(boxes: readonly MovieBox[], edit: BoxEdit): readonly MovieBox[] {
  let left = edit.at % Math.max(1, countOf(boxes));
  const visit = (each: MovieBox): readonly MovieBox[] => {
    if (left-- === 0) return editedBox(each, edit);
    if (Buffer.isBuffer(each.content)) return [each];
    return [{ ...each, content: (each.content as readonly MovieBox[]).flatMap(visit) }];
  };
  return boxes.flatMap(visit);
}

function countOf(boxes: readonly MovieBox[]): number {
  return boxes.reduce(
    (sum, { content }) => sum + 1 + (Buffer.isBuffer(content) ? 0 : countOf(content as MovieBox[])),
    0,
  );
}

function editedBox(each: MovieBox, { kind, times, type, word, value }: BoxEdit): readonly MovieBox[] {
  if (kind === 'remove') return [];
  if (kind === 'repeat') return Array.from({ length: 1 + times }, () => each);
  if (kind === 'rename') return [{ ...each, type }];
  if (!Buffer.isBuffer(each.content) || each.content.length < 4) return [each];
  const content = Buffer.from(each.content);
  content.writeUInt32BE(value, Math.min(word * 4, content.length - 4));
  return [{ ...each, content }];
}

const KINDS = ['read', 'no index', 'too many tracks', 'too many boxes', 'too large an index'];
/** A file takes no more than this where a million bytes would take much more. */
const MOST_BYTES = 2_000_000;

export const movieBoxes = fuzzTarget<Buffer>({
  name: 'movie-boxes',
  holds: 'the boxes of a movie are read or refused, and its private parts lie in the file, in order',
  cases: 600,
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-fuzz-boxes-'));
    const path = join(folder, 'movie');
    const movies = fc.constantFrom(...samples());
    const restructured = fc
      .tuple(movies, fc.array(boxEdit, { minLength: 1, maxLength: 6 }))
      .map(([movie, edits]) => bytesOf(edits.reduce(editedBoxes, boxesOf(movie))))
      .filter(({ length }) => length <= MOST_BYTES);
    return {
      inputs: fc.oneof(mutatedBytes(movies), mutatedBytes(restructured), restructured),
      crashes: {},
      sizeOf: (movie) => movie.length,
      // Boxes are read in a process of its own, which is killed after seconds.
      allowedMs: 500,
      check: (movie) => {
        writeFileSync(path, movie);
        const read = readMovieBoxes(path);
        assert(KINDS.includes(read.kind), `its kind is ${read.kind}`);
        if (read.kind === 'read') assertParts(read.privateParts, movie.length);
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});
