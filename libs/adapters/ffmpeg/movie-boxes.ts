import type { FileHandle } from 'node:fs/promises';

/** What the boxes of an MP4 or MOV say of it that ffprobe does not. */
export interface MovieBoxes {
  /** The index stands before the pictures, so that playing can begin with the first bytes. */
  readonly isFaststart: boolean;
  /** In pieces, or with boxes that no player needs: fit to be read, not to be handed on. */
  readonly isPlain: boolean;
  /** Some of what it shows is in other files. */
  readonly hasOutsideData: boolean;
  /** What is shown is not simply what is there, in order: an edit list skips, repeats or delays. `trivial`: only by an encoder's own padding. */
  readonly edits: 'none' | 'trivial' | 'real';
}

interface Box {
  readonly type: string;
  /** Of what it holds. */
  readonly start: number;
  readonly end: number;
}

/** An index is read whole: hours of video have some megabytes of it. */
const MOST_INDEX_BYTES = 64_000_000;
const MOST_BOXES = 100_000;
const PLAIN: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'free', 'wide']);
/** Beyond so many bytes, free space is somewhere to hide things. */
const MOST_FREE_BYTES = 4096;

/** null: no index can be found, or it breaks the rules of the format. */
export async function readMovieBoxes(file: FileHandle, bytes: number): Promise<MovieBoxes | null> {
  const top = await topBoxes(file, bytes);
  const moov = top?.find(({ type }) => type === 'moov');
  const mdat = top?.find(({ type }) => type === 'mdat');
  if (top === null || moov === undefined || moov.end - moov.start > MOST_INDEX_BYTES) return null;
  const index = Buffer.alloc(moov.end - moov.start);
  await file.read(index, 0, index.length, moov.start);
  const tracks = tracksOf(index);
  if (tracks === null) return null;
  return {
    isFaststart: mdat === undefined || moov.start < mdat.start,
    isPlain: top.every(({ type, start, end }) => PLAIN.has(type) && (type !== 'free' || end - start <= MOST_FREE_BYTES)) && top.filter(({ type }) => type === 'moov').length === 1,
    ...tracks,
  };
}

/** The boxes of the file itself; null where they do not follow each other to its end. */
async function topBoxes(file: FileHandle, bytes: number): Promise<readonly Box[] | null> {
  const boxes: Box[] = [];
  const head = Buffer.alloc(16);
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const box = boxFrom(head.subarray(0, bytesRead), at, bytes);
    if (box === null || boxes.length >= MOST_BOXES) return null;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

function boxFrom(head: Buffer, at: number, end: number): Box | null {
  if (head.length < 8) return null;
  const short = head.readUInt32BE(0);
  if (short === 1 && head.length < 16) return null;
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
  const start = at + (short === 1 ? 16 : 8);
  return at + size > end || at + size < start ? null : { type: head.toString('latin1', 4, 8), start, end: at + size };
}

/** The boxes within [start, end) of `index`, as far as they follow each other. */
function boxesIn(index: Buffer, start: number, end: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = start; at < end && boxes.length < MOST_BOXES; ) {
    const box = boxFrom(index.subarray(at, Math.min(end, at + 16)), at, end);
    if (box === null) break;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

function boxAt(index: Buffer, within: Box, path: readonly string[]): Box | undefined {
  return path.reduce<Box | undefined>((box, type) => (box === undefined ? undefined : boxesIn(index, box.start, box.end).find((one) => one.type === type)), within);
}

function tracksOf(index: Buffer): Pick<MovieBoxes, 'hasOutsideData' | 'edits'> | null {
  const whole: Box = { type: 'moov', start: 0, end: index.length };
  const tracks = boxesIn(index, 0, index.length).filter(({ type }) => type === 'trak');
  try {
    const edits = tracks.map((track) => editsOf(index, track));
    return {
      // A reference movie has no tracks, but addresses of others.
      hasOutsideData: tracks.some((track) => refersOutside(index, track)) || boxAt(index, whole, ['rmra']) !== undefined,
      edits: edits.includes('real') ? 'real' : edits.includes('trivial') ? 'trivial' : 'none',
    };
  } catch (error) {
    // Reading behind the end of a box that lies about its size.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const SELF_CONTAINED = 1;

function refersOutside(index: Buffer, track: Box): boolean {
  const references = boxAt(index, track, ['mdia', 'minf', 'dinf', 'dref']);
  if (references === undefined) return false;
  return boxesIn(index, references.start + 8, references.end).some(({ start }) => (index.readUInt32BE(start) & SELF_CONTAINED) === 0);
}

/** An encoder's own padding: up to 2,112 samples of sound, or the pictures that are stored ahead of their turn. In seconds, with room. */
const MOST_PADDING_S = 0.3;

function editsOf(index: Buffer, track: Box): MovieBoxes['edits'] {
  const list = boxAt(index, track, ['edts', 'elst']);
  if (list === undefined) return 'none';
  const count = index.readUInt32BE(list.start + 4);
  if (count === 0) return 'none';
  const media = clockAt(index, boxAt(index, track, ['mdia', 'mdhd']));
  const movie = clockAt(index, boxesIn(index, 0, index.length).find(({ type }) => type === 'mvhd'));
  if (count > 1 || media === null || movie === null) return 'real';
  const isWide = index.readUInt8(list.start) === 1;
  const lasts = isWide ? Number(index.readBigUInt64BE(list.start + 8)) : index.readUInt32BE(list.start + 8);
  const from = isWide ? Number(index.readBigInt64BE(list.start + 16)) : index.readInt32BE(list.start + 12);
  const rate = index.readUInt32BE(list.start + (isWide ? 24 : 16));
  if (from < 0 || rate !== 0x1_0000) return 'real';
  const skippedS = from / media.timescale;
  const leftOutS = media.duration / media.timescale - skippedS - lasts / movie.timescale;
  return skippedS > MOST_PADDING_S || leftOutS > MOST_PADDING_S ? 'real' : 'trivial';
}

/** Of a movie's or a track's header, which begin alike. */
function clockAt(index: Buffer, header: Box | undefined): { readonly timescale: number; readonly duration: number } | null {
  if (header === undefined) return null;
  const isWide = index.readUInt8(header.start) === 1;
  const timescale = index.readUInt32BE(header.start + (isWide ? 20 : 12));
  const duration = isWide ? Number(index.readBigUInt64BE(header.start + 24)) : index.readUInt32BE(header.start + 16);
  return timescale === 0 ? null : { timescale, duration };
}
