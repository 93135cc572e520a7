import { constants, crc32, deflateSync, gzipSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour that claims, and where `rows` are given holds, so many pixels: a few bytes for each row. */
export function pngBomb(width: number, height: number, rows = 1): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const row = Buffer.alloc(1 + Math.ceil(width / 8));
  const pixels = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)), { level: 9 });
  return Buffer.concat([PNG_SIGNATURE, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

const MEGABYTE = 1_048_576;

/** So many zeros, as zlib stores them: made of one block that is repeated, as making them all would take seconds. */
function deflatedZeros(bytes: number): Buffer {
  // Without the two bytes in front of it, and what follows does not look back into it.
  const block = deflateSync(Buffer.alloc(MEGABYTE), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const rest = deflateSync(Buffer.alloc(bytes % MEGABYTE), { level: 9 });
  const check = Buffer.alloc(4);
  check.writeUInt32BE((bytes % 65_521) * 65_536 + 1);
  const blocks = Array.from({ length: Math.floor(bytes / MEGABYTE) }, () => block.subarray(2));
  return Buffer.concat([block.subarray(0, 2), ...blocks, rest.subarray(2, -4), check]);
}

/** First column, first row, and the steps to the next, of each of the seven passes. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * A black PNG of 16 bits in each of three colours, whole, its rows in an order by which none is complete before the
 * last pass.
 */
export function interlacedPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 2, 0, 0, 1], 8);
  const bytes = ADAM7.reduce(
    (sum, [x, y, right, down]) => sum + Math.ceil((height - y) / down) * (1 + 6 * Math.ceil((width - x) / right)),
    0,
  );
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflatedZeros(bytes)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * A progressive JPEG with one of its scans repeated, which nothing in the format forbids: a decoder goes through all of
 * the picture for each.
 */
export function jpegOfScans(jpeg: Buffer, scans: number): Buffer {
  // Of one channel, and of more than its average: those can be left out or repeated.
  const start = startsOfScans(jpeg).find((at) => jpeg[at + 4] === 1 && jpeg[at + 7]! > 0 && jpeg[at + 9]! < 16);
  if (start === undefined) throw new Error('the JPEG is not progressive');
  let end = start + 2;
  while (jpeg[end] !== 0xff || jpeg[end + 1] === 0) end += 1;
  const scan = Buffer.from(jpeg.subarray(start, end));
  // All bits of the numbers at once: one that is refined later is to be refined in order.
  scan[9] = 0;
  return Buffer.concat([jpeg.subarray(0, start), ...Array.from({ length: scans }, () => scan), jpeg.subarray(-2)]);
}

function startsOfScans(jpeg: Buffer): readonly number[] {
  const starts: number[] = [];
  for (let at = jpeg.indexOf(START_OF_SCAN); at >= 0; at = jpeg.indexOf(START_OF_SCAN, at + 2)) starts.push(at);
  return starts;
}

const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/** A still PNG that says it moves, as animated ones do. */
export function movingPng(still: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  const afterHeader = PNG_SIGNATURE.length + 12 + 13;
  return Buffer.concat([still.subarray(0, afterHeader), chunk('acTL', control), still.subarray(afterHeader)]);
}

/**
 * A progressive JPEG that claims another size: its decoder makes room for all of it before it sees that there is less.
 */
export function jpegClaiming(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = copy.indexOf(Buffer.from([0xff, 0xc2]));
  if (frame < 0) throw new Error('the JPEG is not progressive');
  copy.writeUInt16BE(height, frame + 5);
  copy.writeUInt16BE(width, frame + 7);
  return copy;
}

/** A lossless WebP whose header claims 16383 by 16383 pixels. */
export function webpBomb(): Buffer {
  const bits = (16_382 | (16_382 << 14)) >>> 0;
  const data = Buffer.alloc(5 + 63);
  data[0] = 0x2f;
  data.writeUInt32LE(bits, 1);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const body = Buffer.concat([Buffer.from('WEBPVP8L'), size, data]);
  const whole = Buffer.alloc(4);
  whole.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), whole, body]);
}

/** A lossless WebP of one colour, which claims another size, and is whole: of one colour no pixel takes a bit. */
export function webpOfSize(webp: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(webp);
  const at = copy.indexOf('VP8L') + 9;
  const flags = copy.readUInt32LE(at) & 0xf000_0000;
  copy.writeUInt32LE(((width - 1) | ((height - 1) << 14) | flags) >>> 0, at);
  return copy;
}

export function box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const data = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data]);
}

/**
 * `ftyp`, an index of so many tracks that hold nothing but an edit of one part, and a byte of data: some tens of bytes
 * for each track.
 */
export function movieOfTracks(tracks: number): Buffer {
  const edit = box('trak', box('edts', box('elst', Buffer.from('0000000000000001000000000000000000010000', 'hex'))));
  return Buffer.concat([
    box('ftyp', 'isom'),
    box('moov', ...Array.from({ length: tracks }, () => edit)),
    box('mdat', 'x'),
  ]);
}

/** `movie` with the first box of `type` changed in place. */
export function withBox(movie: Buffer, type: string, change: (data: Buffer) => void): Buffer {
  const copy = Buffer.from(movie);
  const at = copy.indexOf(type, 4, 'latin1') - 4;
  if (at < 0) throw new Error(`there is no ${type}`);
  change(copy.subarray(at + 8, at + copy.readUInt32BE(at)));
  return copy;
}

/** `movie` whose tracks say that their data is in another file. */
export function withOutsideData(movie: Buffer): Buffer {
  let copy: Buffer = Buffer.from(movie);
  for (let at = copy.indexOf('dref'); at >= 0; at = copy.indexOf('dref', at + 4)) copy.writeUInt32BE(0, at + 4 + 8 + 8);
  return copy;
}

export const DISGUISES: Readonly<Record<string, Buffer>> = {
  'a web page': Buffer.from('<!doctype html><script>alert(1)</script>'),
  'a drawing': Buffer.from(
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  ),
  'a GIF': Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
  'a HEIC picture': Buffer.concat([box('ftyp', 'heic', '\0\0\0\0', 'mif1heic'), box('mdat')]),
  'an AVIF picture': Buffer.concat([box('ftyp', 'avif', '\0\0\0\0', 'avifmif1'), box('mdat')]),
  'a playlist of ffmpeg': Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
  'a playlist of a stream': Buffer.from(
    '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
  ),
  'a Matroska video': Buffer.from('1a45dfa3', 'hex'),
  'an archive': gzipSync('many files'),
  'a program': Buffer.from('#!/bin/sh\nrm -rf /\n'),
  nothing: Buffer.alloc(0),
};
