import type { Size } from './size.ts';

/**
 * Everything that decides how a rendition of one file comes out: renditions of the same bytes for equal targets are
 * interchangeable, whichever Networks they are for. What the rules make of this file is worked out, so that targets
 * are equal more often than rules are.
 */
export type Target = ImageTarget | VideoTarget | StillTarget | OriginalTarget;

interface Framed {
  /** What comes out. */
  readonly canvas: Size;
  /** The picture within it, in the middle; smaller than the canvas where it is padded. */
  readonly picture: Size;
  /** Of the padding. */
  readonly background: 'white' | 'black';
  /** A larger file does not count as a result, and a larger original is not used as it is. */
  readonly maxBytes: number;
}

export interface ImageTarget extends Framed {
  readonly kind: 'image';
  /**
   * `png-when-apt`: a PNG where the picture is see-through, or so flat that JPEG would be no smaller, and it fits; else
   * a JPEG.
   */
  readonly format: 'jpeg' | 'png-when-apt';
  /** Of JPEG, tried in this order until one fits. */
  readonly qualities: readonly number[];
}

/** An MP4 with H.264 and AAC, and with a silent track where there is no sound. */
export interface VideoTarget extends Framed {
  readonly kind: 'video';
  /** Pictures a second. */
  readonly frameRate: { readonly least: number; readonly most: number };
  /** Bits a second of the picture: at most so many in the long run, and in any two seconds. */
  readonly bitrate: number;
  readonly peakBitrate: number;
  /** Where the file is so near the limit that an encoder's padding could pass it; else null. */
  readonly maxDurationMs: number | null;
}

/** The picture of a video at an instant, as an image. */
export interface StillTarget extends Omit<ImageTarget, 'kind'> {
  readonly kind: 'still';
  /** From the start of the video; at or after its end, its last picture is meant. */
  readonly atMs: number;
}

/** The file as the Member gave it. */
export interface OriginalTarget {
  readonly kind: 'original';
}

/** Raised whenever the same target would come out differently, so that older renditions are not used for it. */
const VERSION = 1;

/** A name of [a-z0-9-] for a rendition: equal exactly for equal targets. */
export function renditionKey(target: Target): string {
  return [`${target.kind}${VERSION}`, ...partsOf(target)].join('-');
}

/** `image`: what is made of the picture. `atMs`: a whole number. */
export function stillTarget(image: ImageTarget, atMs: number): StillTarget {
  return { ...image, kind: 'still', atMs };
}

function partsOf(target: Target): readonly (string | number)[] {
  switch (target.kind) {
    case 'original':
      return [];
    case 'image':
      return imagePartsOf(target);
    case 'still':
      return [`at${target.atMs}ms`, ...imagePartsOf(target)];
    case 'video': {
      const { frameRate, bitrate, peakBitrate, maxDurationMs } = target;
      return [
        ...frameOf(target),
        `${frameRate.least}to${frameRate.most}fps`,
        bitrate,
        peakBitrate,
        ...(maxDurationMs === null ? [] : [`${maxDurationMs}ms`]),
      ];
    }
  }
}

function imagePartsOf(target: ImageTarget | StillTarget): readonly (string | number)[] {
  return [...frameOf(target), target.format === 'jpeg' ? 'jpeg' : 'png', ...target.qualities];
}

function frameOf({ canvas, picture, background, maxBytes }: Framed): readonly string[] {
  const isFilled = picture.width === canvas.width && picture.height === canvas.height;
  return [nameOf(canvas), ...(isFilled ? [] : [`${background}${nameOf(picture)}`]), `${maxBytes}b`];
}

function nameOf({ width, height }: Size): string {
  return `${width}x${height}`;
}
