import type { ImageTarget } from '#domain/media/target.ts';
import type { PictureType } from '#ports/media-tools.ts';

/** What a worker is asked to do; plain data, as it travels between processes. */
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
  /** The file fits as it is; nothing was written. */
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
  /** Not the file's fault. */
  | { readonly kind: 'trouble'; readonly message: string };
