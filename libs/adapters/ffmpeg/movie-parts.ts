import type { PrivatePart } from '#ports/media-tools.ts';
import { Beyond, type Box, type BoxReader } from './movie-box-reader.ts';

/** What a player needs of a file. All else at this level is notes of cameras and programs, or free space. */
const SHOWN = new Set('ftyp styp moov moof mdat sidx ssix mfra emsg prft pdin wide'.split(' '));
/** In the index and in its tracks: where, when and with what it was filmed, titles, remains of what was cut. */
const NOTES = new Set(['udta', 'meta', 'uuid', 'free', 'skip']);
/** Handlers of tracks that are seen, heard or read. Others hold what sensors said, the place among it. */
const PLAYED = new Set('vide soun auxv subt sbtl text clcp tmcd hint'.split(' '));
/** More than hours of a sensor's samples. */
const MAX_PARTS = 50_000;

/**
 * Where a movie says more than it shows. Overwriting the parts moves nothing: boxes become free space, and samples of
 * sensors become zeros. In a fragmented movie the samples of sensors are left; no camera writes such a file.
 */
export function privatePartsOfMovie(reader: BoxReader, top: readonly Box[]): readonly PrivatePart[] {
  const parts: PrivatePart[] = [];
  const media = top.filter(({ type }) => type === 'mdat');
  for (const box of top) {
    if (!SHOWN.has(box.type)) parts.push(...freed(reader, box));
    if (box.type !== 'moov') continue;
    for (const inner of reader.boxesIn(box)) {
      if (NOTES.has(inner.type)) parts.push(...freed(reader, inner));
      if (inner.type === 'trak') parts.push(...partsOfTrack(reader, inner, media));
      if (parts.length > MAX_PARTS) throw new Beyond('too many boxes');
    }
  }
  return disjoint(parts.toSorted((one, other) => one.at - other.at));
}

/** A table may name the same bytes twice. */
function disjoint(parts: readonly PrivatePart[]): readonly PrivatePart[] {
  let end = 0;
  return parts.flatMap(({ at, bytes, by }) => {
    const from = Math.max(at, end);
    const left = at + bytes - from;
    end = Math.max(end, at + bytes);
    if (left <= 0 || (from > at && by !== '')) return [];
    return [{ at: from, bytes: left, by }];
  });
}

function partsOfTrack(reader: BoxReader, track: Box, media: readonly Box[]): readonly PrivatePart[] {
  const handler = reader.find(track, ['mdia', 'hdlr']);
  if (handler !== undefined && !PLAYED.has(reader.beginningOf(handler).toString('latin1', 8, 12)))
    return [...freed(reader, track), ...samplesOf(reader, track, media)];
  return [...reader.boxesIn(track)].flatMap((box) => (NOTES.has(box.type) ? freed(reader, box) : []));
}

const FREE = Buffer.from('free', 'latin1').toString('base64');
const TYPE_BYTES = 4;

/** Its type and its content; its size stays as it is. Nothing of free space that is empty already. */
function freed(reader: BoxReader, box: Box): readonly PrivatePart[] {
  const { at, start, end } = box;
  if (box.type === 'free' && isEmpty(reader, box)) return [];
  if (box.type === 'udta' && namesProgramAlone(reader, box)) return [];
  const type = { at: at + TYPE_BYTES, bytes: TYPE_BYTES, by: FREE };
  return end > start ? [type, { at: start, bytes: end - start, by: '' }] : [type];
}

/** What ffmpeg writes into every movie, in the forms of QuickTime and of MP4: its own version, and nothing else. */
const PROGRAM_ALONE =
  /^.{4}(?:\xa9swr.{4}|meta\0{4}.{4}hdlr\0{8}mdirappl\0{9}.{4}ilst.{4}\xa9too.{4}data\0{3}\x01\0{4})Lavf[\d.]+$/s;
const MAX_PROGRAM_BYTES = 256;

/** Such a movie is kept as it was sent: a version says nothing of a person. */
function namesProgramAlone(reader: BoxReader, box: Box): boolean {
  if (box.end - box.start > MAX_PROGRAM_BYTES) return false;
  return PROGRAM_ALONE.test(reader.beginningOf(box, MAX_PROGRAM_BYTES).toString('latin1'));
}

const MAX_LOOKED_AT = 1_000_000;

function isEmpty(reader: BoxReader, box: Box): boolean {
  return box.end - box.start <= MAX_LOOKED_AT && reader.beginningOf(box, MAX_LOOKED_AT).every((byte) => byte === 0);
}

/** The bytes of each chunk of the track, as far as they are media. */
function samplesOf(reader: BoxReader, track: Box, media: readonly Box[]): readonly PrivatePart[] {
  const table = reader.find(track, ['mdia', 'minf', 'stbl']);
  if (table === undefined) return [];
  const wide = reader.find(table, ['co64']);
  const chunks = wide ?? reader.find(table, ['stco']);
  const runs = reader.find(table, ['stsc']);
  const sizes = reader.find(table, ['stsz']);
  if (chunks === undefined || runs === undefined || sizes === undefined) return [];
  const [offsets, samples, bytes] = [chunks, runs, sizes].map((box) => reader.beginningOf(box, MAX_TABLE_BYTES)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const sizeOf = sizesIn(bytes);
  const parts: PrivatePart[] = [];
  let sample = 0;
  let run = 0;
  const count = offsets.readUInt32BE(4);
  if (count > MAX_PARTS) throw new Beyond('too many boxes');
  for (let chunk = 0; chunk < count; chunk++) {
    const at =
      wide === undefined ? offsets.readUInt32BE(8 + chunk * 4) : Number(offsets.readBigUInt64BE(8 + chunk * 8));
    while (run + 1 < samples.readUInt32BE(4) && samples.readUInt32BE(8 + (run + 1) * RUN_BYTES) <= chunk + 1) run += 1;
    const inChunk = samples.readUInt32BE(8 + run * RUN_BYTES + 4);
    if (sample + inChunk > MAX_SAMPLES) throw new Beyond('too many boxes');
    let length = 0;
    for (let each = 0; each < inChunk; each++) length += sizeOf(sample + each);
    sample += inChunk;
    if (length > 0 && isWithin(media, at, at + length)) parts.push({ at, bytes: length, by: '' });
  }
  return parts;
}

/** Whether one of the boxes, which stand in the order of the file, has all of these bytes. Either may be thousands. */
function isWithin(boxes: readonly Box[], at: number, end: number): boolean {
  let [low, high] = [0, boxes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle]!.start <= at) low = middle + 1;
    else high = middle;
  }
  const last = boxes[low - 1];
  return last !== undefined && end <= last.end;
}

const RUN_BYTES = 12;
/** A table is read as a whole; its samples are counted one by one. */
const MAX_TABLE_BYTES = 8_000_000;
const MAX_SAMPLES = 2_000_000;

/** All samples have one size, or each has its own. */
function sizesIn(table: Buffer): (sample: number) => number {
  const same = table.readUInt32BE(4);
  return (sample) => (same > 0 ? same : table.readUInt32BE(12 + sample * 4));
}
