import { imageSize } from 'image-size';
import { readMovie } from './movie.ts';

/** What a look at a file tells: nothing is decoded. */
export interface Look {
  /** By its first bytes; '' for what no Network takes. */
  readonly contentType: string;
  /** 0 where there are none. */
  readonly width: number;
  readonly height: number;
  /** Of video; 0 elsewhere. */
  readonly durationMs: number;
  readonly hasAudio: boolean;
}

export type ReadBytes = (from: number, to: number) => Uint8Array;

/** Where every format that is known here has said its size. */
const IMAGE_HEAD_BYTES = 262_144;
const IMAGE_TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp', gif: 'image/gif' };
const NOTHING: Look = { contentType: '', width: 0, height: 0, durationMs: 0, hasAudio: false };

/** What a file of `size` bytes is. */
export function lookAt(read: ReadBytes, size: number): Look {
  const brand = new TextDecoder('latin1').decode(read(4, 12));
  if (brand.startsWith('ftyp')) {
    const movie = readMovie(read, size);
    return movie === null ? NOTHING : { contentType: brand === 'ftypqt  ' ? 'video/quicktime' : 'video/mp4', ...movie };
  }
  try {
    const { width, height, type = '' } = imageSize(read(0, Math.min(size, IMAGE_HEAD_BYTES)));
    const contentType = IMAGE_TYPES[type];
    return contentType === undefined ? NOTHING : { ...NOTHING, contentType, width, height };
  } catch {
    return NOTHING;
  }
}
