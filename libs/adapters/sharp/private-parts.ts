import { crc32 } from 'node:zlib';
import type { PrivatePart } from '#ports/media-tools.ts';

/**
 * Where a JPEG, PNG or WebP says more than what it shows: when, where, with which device and by whom it was made, its
 * thumbnails of before it was cut, and all that follows it. The pixels, the colour profile and the orientation are left
 * alone. Overwriting the parts leaves a picture of the same length.
 */
export function privatePartsOf(file: Buffer, contentType: string): readonly PrivatePart[] {
  if (contentType === 'image/jpeg') return jpegParts(file);
  return contentType === 'image/png' ? pngParts(file) : webpParts(file);
}

/** The rest of the stretch is zeros. */
function part(at: number, bytes: number, by: Buffer = NOTHING): PrivatePart {
  return { at, bytes, by: by.toString('base64') };
}
const NOTHING = Buffer.alloc(0);

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const COMMENT = 0xfe;
/** Application segments; 0 is JFIF, 2 may be the colour profile and 14 says what the channels mean. */
const [FIRST_APP, LAST_APP, EXIF, PROFILE, ADOBE] = [0xe0, 0xef, 0xe1, 0xe2, 0xee];
/** Comments that programs write into every picture: a version says nothing of a person. */
const PROGRAM_ALONE = /^(?:Lavc[\d.]+|CREATOR: gd-jpeg v[^\0]{1,60})[\0\n]?$/;
const EXIF_MARK = Buffer.from('Exif\0\0', 'latin1');

function jpegParts(file: Buffer): readonly PrivatePart[] {
  const parts: PrivatePart[] = [];
  let at = 2;
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) return [...parts, ...behind(file, at + 2)];
    const content = file.subarray(at + 4, at + 2 + file.readUInt16BE(at + 2));
    if (isPrivateSegment(marker, content)) parts.push(part(at + 4, content.length, keptOf(marker, content)));
    at += 2 + file.readUInt16BE(at + 2);
    if (marker === START_OF_SCAN) at = endOfScan(file, at);
  }
  return [...parts, ...(at + 2 <= file.length && file[at + 1] === END_OF_IMAGE ? behind(file, at + 2) : [])];
}

function isPrivateSegment(marker: number, content: Buffer): boolean {
  if (marker === COMMENT) return !PROGRAM_ALONE.test(content.toString('latin1'));
  if (marker < FIRST_APP || marker > LAST_APP || marker === ADOBE) return false;
  const begins = (text: string): boolean => content.toString('latin1', 0, text.length) === text;
  if (marker === FIRST_APP) return !begins('JFIF\0');
  return marker !== PROFILE || !begins('ICC_PROFILE\0');
}

function keptOf(marker: number, content: Buffer): Buffer {
  if (marker !== EXIF || !content.subarray(0, EXIF_MARK.length).equals(EXIF_MARK)) return NOTHING;
  const kept = Buffer.concat([EXIF_MARK, orientationAlone(content.subarray(EXIF_MARK.length))]);
  return kept.length <= content.length ? kept : NOTHING;
}

/** In a scan every byte 255 is followed by a 0, or by the number of a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length;
}

/** So few bytes behind the end hold no picture and no notes. */
const MAX_STRAY_BYTES = 64;

function behind(file: Buffer, end: number): readonly PrivatePart[] {
  return end + MAX_STRAY_BYTES < file.length ? [part(end, file.length - end)] : [];
}

const ORIENTATION = 0x0112;
const [SHORT, ENTRY_BYTES] = [3, 12];

/** Exif data with no entry but the orientation; empty where it has none, or says that the picture is upright. */
function orientationAlone(tiff: Buffer): Buffer {
  const orientation = orientationIn(tiff);
  if (orientation <= 1 || orientation > 8) return NOTHING;
  const kept = Buffer.alloc(26);
  kept.write('MM\0*', 'latin1');
  kept.writeUInt32BE(8, 4);
  kept.writeUInt16BE(1, 8);
  kept.writeUInt16BE(ORIENTATION, 10);
  kept.writeUInt16BE(SHORT, 12);
  kept.writeUInt32BE(1, 14);
  kept.writeUInt16BE(orientation, 18);
  return kept;
}

function orientationIn(tiff: Buffer): number {
  if (tiff.length < 14) return 0;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 0;
  const entries = short(start);
  for (let entry = 0; entry < entries; entry++) {
    const at = start + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return 0;
    if (short(at) === ORIENTATION) return short(at + 8);
  }
  return 0;
}

/** Chunks without which a PNG would look otherwise. */
const SHOWN: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS sRGB gAMA cHRM iCCP cICP mDCV cLLI pHYs sBIT bKGD hIST sPLT'.split(' '),
);
const PNG_SIGNATURE_BYTES = 8;
/** A chunk that every program passes over: ancillary, private, to be copied. */
const EMPTY_CHUNK = Buffer.from('voId', 'latin1');

function pngParts(file: Buffer): readonly PrivatePart[] {
  const parts: PrivatePart[] = [];
  for (let at = PNG_SIGNATURE_BYTES; at + 12 <= file.length;) {
    const end = at + 12 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return [...parts, ...behind(file, end)];
    if (end > file.length) return parts;
    if (!SHOWN.has(type)) parts.push(part(at + 4, end - at - 4, emptied(type, file.subarray(at + 8, end - 4))));
    at = end;
  }
  return parts;
}

/** Type, content and check sum of a chunk of the same length. */
function emptied(type: string, content: Buffer): Buffer {
  const kept = type === 'eXIf' ? orientationAlone(content) : NOTHING;
  const isKept = kept.length > 0 && kept.length <= content.length;
  const whole = Buffer.alloc(4 + content.length + 4);
  (isKept ? Buffer.from(type, 'latin1') : EMPTY_CHUNK).copy(whole);
  if (isKept) kept.copy(whole, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 4 + content.length)), 4 + content.length);
  return whole;
}

/** Some programs write the mark of a JPEG's Exif here too. */
function withoutMark(exif: Buffer): Buffer {
  return exif.subarray(0, EXIF_MARK.length).equals(EXIF_MARK) ? exif.subarray(EXIF_MARK.length) : exif;
}

const WEBP_SHOWN: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP', 'ANIM', 'ANMF']);
const RIFF_HEAD_BYTES = 12;

function webpParts(file: Buffer): readonly PrivatePart[] {
  const parts: PrivatePart[] = [];
  if (file.length < RIFF_HEAD_BYTES) return parts;
  const riffEnd = Math.min(file.length, 8 + file.readUInt32LE(4));
  let at = RIFF_HEAD_BYTES;
  while (at + 8 <= riffEnd) {
    const bytes = file.readUInt32LE(at + 4);
    const type = file.toString('latin1', at, at + 4);
    const content = file.subarray(at + 8, at + 8 + bytes);
    if (!WEBP_SHOWN.has(type)) {
      const kept = type === 'EXIF' ? orientationAlone(withoutMark(content)) : NOTHING;
      parts.push(part(at + 8, content.length, kept.length <= content.length ? kept : NOTHING));
    }
    // Each chunk begins at an even byte.
    at += 8 + bytes + (bytes % 2);
  }
  // The last chunk may claim more than the picture does.
  return [...parts, ...behind(file, Math.max(at, riffEnd))];
}
