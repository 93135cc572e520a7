import type { ImageTarget } from '#domain/media/target.ts';
import type { PictureType } from '#ports/media-tools.ts';

/** A job for a worker; plain data, because it travels between processes. */
export type PictureJob =
  | { readonly kind: 'look'; readonly path: string; readonly contentType: PictureType }
  | {
      readonly kind: 'make';
      readonly path: string;
      readonly contentType: PictureType;
      readonly bytes: number;
      readonly target: ImageTarget;
      readonly into: string;
    };

export type PictureAnswer =
  | { readonly kind: 'seen'; readonly width: number; readonly height: number }
  /** The file already fits; nothing was written. */
  | { readonly kind: 'fits' }
  | {
      readonly kind: 'made';
      readonly contentType: 'image/jpeg' | 'image/png';
      readonly bytes: number;
      readonly sha256: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: 'refused'; readonly words: string }
  /** A failure that the file did not cause. */
  | { readonly kind: 'trouble'; readonly message: string };
