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

/** What can come next; each takes the handle on. */
export interface CarouselSteps<Answer> {
  readonly lookAt: (container: string) => Promise<Answer>;
  readonly makeChild: (file: Rendition) => Promise<Answer>;
  readonly makeWhole: () => Promise<Answer>;
}

/**
 * Takes the next step: the containers of a carousel's files are all made, then looked at until each is ready, then the
 * whole is made of them and looked at. A publication of fewer than two files has the whole only.
 */
export function takeNextStep<Answer>(
  { children, finished, container }: CarouselHandle,
  media: readonly Rendition[],
  { lookAt, makeChild, makeWhole }: CarouselSteps<Answer>,
): Promise<Answer> {
  if (container !== null) return lookAt(container);
  if (media.length < 2) return makeWhole();
  const file = media[children.length];
  if (file !== undefined) return makeChild(file);
  const child = children[finished];
  return child === undefined ? makeWhole() : lookAt(child);
}
