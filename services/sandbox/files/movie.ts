import type { ReadBytes } from './probe.ts';

export interface Movie {
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
}

/** A box of ISO 14496-12: `start` and `end` are of what it holds. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const MOST_BOXES = 10_000;

/** The boxes within [from, to), without what they hold; ends at the first that is no box. */
function* boxesIn(read: ReadBytes, from: number, to: number): Generator<Box> {
  let at = from;
  for (let count = 0; count < MOST_BOXES && at + 8 <= to; count++) {
    const head = read(at, at + 16);
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    if (head.length < 8) return;
    const short = view.getUint32(0);
    const long = short === 1;
    if (long && head.length < 16) return;
    const size = long ? Number(view.getBigUint64(8)) : short === 0 ? to - at : short;
    const headBytes = long ? 16 : 8;
    if (size < headBytes || at + size > to) return;
    yield { type: new TextDecoder('latin1').decode(head.subarray(4, 8)), start: at + headBytes, end: at + size };
    at += size;
  }
}

function boxAt(read: ReadBytes, within: Box, path: readonly string[]): Box | null {
  let box: Box | null = within;
  for (const type of path) box = box === null ? null : ([...boxesIn(read, box.start, box.end)].find((one) => one.type === type) ?? null);
  return box;
}

function viewOf(read: ReadBytes, { start, end }: Box): DataView {
  const bytes = read(start, Math.min(end, start + 128));
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Milliseconds, from a movie header box. */
function durationOf(view: DataView): number {
  const wide = view.getUint8(0) === 1;
  const timescale = view.getUint32(wide ? 20 : 12);
  const duration = wide ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return timescale === 0 ? 0 : Math.round((duration / timescale) * 1_000);
}

/** Pixels, from a track header box: fixed point at its end. */
function sizeOf(view: DataView): { readonly width: number; readonly height: number } {
  const at = view.getUint8(0) === 1 ? 88 : 76;
  return { width: view.getUint32(at) >>> 16, height: view.getUint32(at + 4) >>> 16 };
}

/** What the headers of an MP4 or MOV say; null where they are missing, cut off or without video. */
export function readMovie(read: ReadBytes, size: number): Movie | null {
  try {
    const moov = [...boxesIn(read, 0, size)].find(({ type }) => type === 'moov');
    if (moov === undefined) return null;
    const header = boxAt(read, moov, ['mvhd']);
    const tracks = [...boxesIn(read, moov.start, moov.end)].filter(({ type }) => type === 'trak');
    const kinds = tracks.map((track) => {
      const handler = boxAt(read, track, ['mdia', 'hdlr']);
      return handler === null ? '' : new TextDecoder('latin1').decode(read(handler.start + 8, handler.start + 12));
    });
    const picture = tracks[kinds.indexOf('vide')];
    const track = picture === undefined ? null : boxAt(read, picture, ['tkhd']);
    if (header === null || track === null) return null;
    return { ...sizeOf(viewOf(read, track)), durationMs: durationOf(viewOf(read, header)), hasAudio: kinds.includes('soun') };
  } catch (error) {
    // Reading behind the end of a box that lies about its size.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
