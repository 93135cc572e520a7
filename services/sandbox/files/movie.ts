import type { ReadBytes } from './read-bytes.ts';

export interface Movie {
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
}

/** A box of ISO 14496-12: `start` and `end` are those of its content. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The most boxes that are read of a file, wherever they are: each is a read of the file, for which all other requests
 * to this process wait. Videos have fewer than a hundred before the needed ones.
 */
const MAX_BOXES = 1_000;

/** The boxes of a file, of which it returns a limited number: further ones count as missing. */
class BoxReader {
  readonly #read: ReadBytes;
  #boxesLeft = MAX_BOXES;

  constructor(read: ReadBytes) {
    this.#read = read;
  }

  /** The boxes within [start, end), without their contents; ends at the first bytes that are no box. */
  *boxesIn({ start: from, end: to }: Pick<Box, 'start' | 'end'>): Generator<Box> {
    for (let at = from; at + 8 <= to && this.#boxesLeft > 0; this.#boxesLeft--) {
      const head = this.#read(at, at + 16);
      const view = new DataView(head.buffer, head.byteOffset, head.length);
      if (head.length < 8) return;
      const short = view.getUint32(0);
      const long = short === 1;
      if (long && head.length < 16) return;
      const size = long ? Number(view.getBigUint64(8)) : short === 0 ? to - at : short;
      const headBytes = long ? 16 : 8;
      if (size < headBytes || at + size > to) return;
      at += size;
      yield { type: new TextDecoder('latin1').decode(head.subarray(4, 8)), start: at - size + headBytes, end: at };
    }
  }

  find(within: Pick<Box, 'start' | 'end'>, path: readonly string[]): Box | null {
    let box: Pick<Box, 'start' | 'end'> | null = within;
    for (const type of path) box = box === null ? null : this.#first(box, type);
    return box as Box | null;
  }

  #first(within: Pick<Box, 'start' | 'end'>, type: string): Box | null {
    for (const box of this.boxesIn(within)) if (box.type === type) return box;
    return null;
  }
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

/**
 * The facts in the headers of an MP4 or MOV; null where they are missing, cut off, after more boxes than a video has,
 * or without video.
 */
export function readMovie(read: ReadBytes, size: number): Movie | null {
  const reader = new BoxReader(read);
  try {
    const moov = reader.find({ start: 0, end: size }, ['moov']);
    if (moov === null) return null;
    const parts = [...reader.boxesIn(moov)];
    const header = parts.find(({ type }) => type === 'mvhd');
    const tracks = parts.filter(({ type }) => type === 'trak');
    const kinds = tracks.map((track) => {
      const handler = reader.find(track, ['mdia', 'hdlr']);
      return handler === null ? '' : new TextDecoder('latin1').decode(read(handler.start + 8, handler.start + 12));
    });
    const picture = tracks[kinds.indexOf('vide')];
    const track = picture === undefined ? null : reader.find(picture, ['tkhd']);
    if (header === undefined || track === null) return null;
    return {
      ...sizeOf(viewOf(read, track)),
      durationMs: durationOf(viewOf(read, header)),
      hasAudio: kinds.includes('soun'),
    };
  } catch (error) {
    // A read past the end of a box whose stated size is wrong.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
