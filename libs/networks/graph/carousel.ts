import type { Rendition } from '#ports/rendition-source.ts';

/** What is known of the containers of a publication, of instagram and of threads. */
export interface CarouselHandle {
  /** The containers of a carousel's files, in order. */
  readonly children: readonly string[];
  /** How many of them, from the first, are ready. */
  readonly finished: number;
  /** The one to publish; null until it is made. */
  readonly container: string | null;
}

export type CarouselStep =
  | { readonly kind: 'look'; readonly container: string }
  | { readonly kind: 'make child'; readonly file: Rendition }
  | { readonly kind: 'make whole' };

/**
 * What comes next: the containers of a carousel's files are all made, then looked at until each is ready, then the
 * whole is made of them and looked at. A publication of fewer than two files has the whole only.
 */
export function nextStep({ children, finished, container }: CarouselHandle, media: readonly Rendition[]): CarouselStep {
  if (container !== null) return { kind: 'look', container };
  if (media.length < 2) return { kind: 'make whole' };
  const file = media[children.length];
  if (file !== undefined) return { kind: 'make child', file };
  const child = children[finished];
  return child === undefined ? { kind: 'make whole' } : { kind: 'look', container: child };
}
