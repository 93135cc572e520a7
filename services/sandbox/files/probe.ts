import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import type { ReadBytes } from './read-bytes.ts';
import { readMovie } from './movie.ts';

/** The facts of a file: nothing is decoded. */
export interface Look {
  /** By its first bytes; '' for a type that no Network accepts. */
  readonly contentType: string;
  /** 0 where there are none. */
  readonly width: number;
  readonly height: number;
  /** Of video; 0 elsewhere. */
  readonly durationMs: number;
  readonly hasAudio: boolean;
}

/** The bytes within which every known format states its size. */
const IMAGE_HEAD_BYTES = 262_144;
/**
 * One format at a time: asked for any format, the library would run all its parsers, some for text, on files from
 * strangers.
 */
const IMAGE_TYPES = [
  ['image/jpeg', JPG],
  ['image/png', PNG],
  ['image/webp', WEBP],
  ['image/gif', GIF],
] as const;
const NOTHING: Look = { contentType: '', width: 0, height: 0, durationMs: 0, hasAudio: false };

/** The facts of a file of `size` bytes. */
export function lookAt(read: ReadBytes, size: number): Look {
  const brand = new TextDecoder('latin1').decode(read(4, 12));
  if (brand.startsWith('ftyp')) {
    const movie = readMovie(read, size);
    return movie === null ? NOTHING : { contentType: brand === 'ftypqt  ' ? 'video/quicktime' : 'video/mp4', ...movie };
  }
  try {
    const head = read(0, Math.min(size, IMAGE_HEAD_BYTES));
    const [contentType, reader] = IMAGE_TYPES.find(([, one]) => one.validate(head)) ?? [];
    if (reader === undefined || contentType === undefined) return NOTHING;
    const { width, height } = reader.calculate(head);
    return { ...NOTHING, contentType, width, height };
  } catch {
    return NOTHING;
  }
}
