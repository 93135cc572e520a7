import type { CarouselHandle } from '../graph/carousel.ts';
import { at, jsonIn, listAt, textAt } from '../http/call.ts';

/** What a post on Threads is, in the words that make one. */
export type ThreadsKind = 'TEXT' | 'IMAGE' | 'VIDEO' | 'CAROUSEL';

/** What Threads has of a post before it is published. */
export interface ThreadsHandle extends CarouselHandle {
  readonly kind: ThreadsKind;
  /** When the newest container was made; null: not known. */
  readonly since: number | null;
  /** When preparing first saw the container to publish ready; null, or left out: it did not yet. */
  readonly readyAt?: number | null;
}

/** Of the shape. */
const VERSION = 1;
/** Containers expire a day after they are made. */
const KEPT_MS = 20 * 3_600_000;
const KINDS: ReadonlySet<unknown> = new Set<ThreadsKind>(['TEXT', 'IMAGE', 'VIDEO', 'CAROUSEL']);
/** A handle of before there were files: the id of a text's container, nothing else. */
const BARE = /^\w+$/;

export function fresh(kind: ThreadsKind, now: number): ThreadsHandle {
  return { kind, children: [], finished: 0, container: null, since: now };
}

/** Whether parts that wait for their whole may have expired, or soon will; a whole says so itself. */
export function isStale({ container, since }: ThreadsHandle, now: number): boolean {
  return container === null && since !== null && now - since > KEPT_MS;
}

export function write(handle: ThreadsHandle): string {
  return JSON.stringify({ version: VERSION, ...handle });
}

/** null: not one of ours, or of a version that isn't ours. */
export function parseHandle(text: string | null): ThreadsHandle | null {
  if (text === null) return null;
  if (BARE.test(text)) return { kind: 'TEXT', children: [], finished: 0, container: text, since: null };
  const json = jsonIn(text);
  const [kind, finished, since] = [at(json, 'kind'), at(json, 'finished'), at(json, 'since')];
  const readyAt = at(json, 'readyAt');
  if (
    at(json, 'version') !== VERSION ||
    !KINDS.has(kind) ||
    typeof finished !== 'number' ||
    !(since === null || typeof since === 'number')
  )
    return null;
  const children = listAt(json, 'children').filter((child) => typeof child === 'string');
  return {
    ...{ kind: kind as ThreadsKind, children, finished, container: textAt(json, 'container'), since },
    ...(typeof readyAt === 'number' && { readyAt }),
  };
}
