import { closeSync, fstatSync, openSync } from 'node:fs';
import type { PrivatePart } from '#ports/media-tools.ts';
import { Beyond, BoxReader, type Bound, type Box } from './movie-box-reader.ts';
import { privatePartsOfMovie } from './movie-parts.ts';

/** Facts in the boxes of an MP4 or MOV that ffprobe does not report. */
export interface MovieBoxes {
  /** The index stands before the pictures, so that a player can begin after the first bytes. */
  readonly isFaststart: boolean;
  /** The file is fragmented, or has boxes that no player needs: it may be read, but not passed on as it is. */
  readonly isPlain: boolean;
  /** Some of its tracks refer to other files. */
  readonly hasOutsideData: boolean;
  /**
   * The edit list plays something other than all samples in order: it skips, repeats or delays some. `trivial`: only
   * the encoder's own padding is skipped.
   */
  readonly edits: 'none' | 'trivial' | 'real';
}

/**
 * `no index`: there is none, or it breaks the rules of the format. The others are limits that no camera or program
 * reaches.
 */
export type BoxesRead =
  | {
      readonly kind: 'read';
      readonly boxes: MovieBoxes;
      readonly bytes: number;
      readonly privateParts: readonly PrivatePart[];
    }
  | { readonly kind: Bound };

/** Hours of video have an index of some megabytes. ffprobe reads all of it. */
const MAX_INDEX_BYTES = 64_000_000;
export const MAX_TRACKS = 32;
/** Entries of one edit list. Editing programs make one for each cut; ffprobe goes through all samples for each. */
const MAX_EDITS = 1_000;
const PLAIN: ReadonlySet<string> = new Set(['ftyp', 'moov', 'mdat', 'free', 'wide']);
/** Free space above this size could hide other data. */
const MAX_FREE_BYTES = 4096;

/**
 * The boxes of the file at `path`. It reads headers of boxes and the needed contents of a few, and blocks meanwhile:
 * the server runs it in a separate process.
 */
export function readMovieBoxes(path: string): BoxesRead {
  const file = openSync(path, 'r');
  try {
    return readWhole(new BoxReader(file), fstatSync(file).size);
  } catch (error) {
    if (error instanceof Beyond) return { kind: error.bound };
    // A read past the end of a box whose stated size is wrong.
    if (error instanceof RangeError) return { kind: 'no index' };
    throw error;
  } finally {
    closeSync(file);
  }
}

function readWhole(reader: BoxReader, bytes: number): BoxesRead {
  const top = topBoxes(reader, bytes);
  const moov = top?.find(({ type }) => type === 'moov');
  const mdat = top?.find(({ type }) => type === 'mdat');
  if (top === null || moov === undefined) return { kind: 'no index' };
  if (moov.end - moov.start > MAX_INDEX_BYTES) return { kind: 'too large an index' };
  const boxes: MovieBoxes = {
    isFaststart: mdat === undefined || moov.start < mdat.start,
    isPlain:
      top.every(({ type, start, end }) => PLAIN.has(type) && (type !== 'free' || end - start <= MAX_FREE_BYTES)) &&
      top.filter(({ type }) => type === 'moov').length === 1,
    ...ofIndex(reader, moov),
  };
  return { kind: 'read', boxes, bytes, privateParts: privatePartsOfMovie(reader, top) };
}

/** The top-level boxes of the file; null where they do not follow each other to its end. */
function topBoxes(reader: BoxReader, bytes: number): readonly Box[] | null {
  const boxes = [...reader.boxesIn({ start: 0, end: bytes })];
  return (boxes.at(-1)?.end ?? 0) === bytes ? boxes : null;
}

function ofIndex(reader: BoxReader, moov: Box): Pick<MovieBoxes, 'hasOutsideData' | 'edits'> {
  const tracks: Box[] = [];
  let header: Box | undefined;
  let isReference = false;
  for (const box of reader.boxesIn(moov)) {
    if (box.type === 'trak') tracks.push(box);
    if (tracks.length > MAX_TRACKS) throw new Beyond('too many tracks');
    if (box.type === 'mvhd') header ??= box;
    // A reference movie has no tracks, only addresses of other files.
    if (box.type === 'rmra') isReference = true;
  }
  const movie = clockAt(reader, header);
  const edits = tracks.map((track) => editsOf(reader, track, movie));
  return {
    hasOutsideData: tracks.some((track) => refersOutside(reader, track)) || isReference,
    edits: edits.includes('real') ? 'real' : edits.includes('trivial') ? 'trivial' : 'none',
  };
}

const SELF_CONTAINED = 1;

function refersOutside(reader: BoxReader, track: Box): boolean {
  const references = reader.find(track, ['mdia', 'minf', 'dinf', 'dref']);
  if (references === undefined) return false;
  return [...reader.boxesIn({ start: references.start + 8, end: references.end })].some(
    (box) => (reader.beginningOf(box).readUInt32BE(0) & SELF_CONTAINED) === 0,
  );
}

interface MovieClock {
  readonly timescale: number;
  readonly duration: number;
}

/**
 * The longest padding of an encoder: up to 2,112 samples of sound, or the pictures that are stored before the order
 * they are shown in. In seconds, with a margin.
 */
const MAX_PADDING_S = 0.3;

function editsOf(reader: BoxReader, track: Box, movie: MovieClock | null): MovieBoxes['edits'] {
  const box = reader.find(track, ['edts', 'elst']);
  if (box === undefined) return 'none';
  const list = reader.beginningOf(box);
  const count = list.readUInt32BE(4);
  if (count === 0) return 'none';
  if (count > MAX_EDITS) throw new Beyond('too many boxes');
  const media = clockAt(reader, reader.find(track, ['mdia', 'mdhd']));
  if (count > 1 || media === null || movie === null) return 'real';
  const isWide = list.readUInt8(0) === 1;
  const lasts = isWide ? Number(list.readBigUInt64BE(8)) : list.readUInt32BE(8);
  const from = isWide ? Number(list.readBigInt64BE(16)) : list.readInt32BE(12);
  const rate = list.readUInt32BE(isWide ? 24 : 16);
  if (from < 0 || rate !== 0x1_0000) return 'real';
  const skippedS = from / media.timescale;
  const leftOutS = media.duration / media.timescale - skippedS - lasts / movie.timescale;
  return skippedS > MAX_PADDING_S || leftOutS > MAX_PADDING_S ? 'real' : 'trivial';
}

/** Reads a movie's or a track's header, which begin alike. */
function clockAt(reader: BoxReader, box: Box | undefined): MovieClock | null {
  if (box === undefined) return null;
  const header = reader.beginningOf(box);
  const isWide = header.readUInt8(0) === 1;
  const timescale = header.readUInt32BE(isWide ? 20 : 12);
  const duration = isWide ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return timescale === 0 ? null : { timescale, duration };
}
