import type { CarouselHandle } from '../graph/carousel.ts';
import { at, jsonIn, listAt, textAt } from '../http/call.ts';

/** What Instagram has of a Variant before it is published. */
export interface InstagramHandle extends CarouselHandle {
  /** How often in a row the container that is looked at could not be seen. */
  readonly unseen: number;
  /** When the newest container was made. */
  readonly since: number;
}

export function write(handle: InstagramHandle): string {
  return JSON.stringify(handle);
}

export function fresh(now: number): InstagramHandle {
  return { children: [], finished: 0, container: null, unseen: 0, since: now };
}

/** null: not one of ours. */
export function parseHandle(text: string | null): InstagramHandle | null {
  const json = jsonIn(text);
  const [finished, unseen, since] = [at(json, 'finished'), at(json, 'unseen'), at(json, 'since')];
  if (typeof finished !== 'number' || typeof unseen !== 'number' || typeof since !== 'number') return null;
  const children = listAt(json, 'children').filter((child) => typeof child === 'string');
  return { children, finished, container: textAt(json, 'container'), unseen, since };
}
