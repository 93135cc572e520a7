import { at, jsonIn, listAt, textAt } from '../http/call.ts';

/** Photos as they are uploaded, unpublished, and the unpublished post that holds them all. */
export interface PostHandle {
  readonly kind: 'post';
  readonly photos: readonly string[];
  /** `<page>_<post>`; null until it is made. */
  readonly post: string | null;
  readonly since: number;
}

/**
 * A feed video in the session that uploads it: has bytes up to `from`, asks for those up to `to` next (not above
 * `from`: for any).
 */
export interface VideoHandle {
  readonly kind: 'video';
  readonly video: string;
  readonly session: string;
  readonly from: number;
  readonly to: number;
  /** Finishing it was requested twice. */
  readonly repeated: boolean;
  /** Facebook made a draft of it: it is published by its own id, because its session is finished. */
  readonly draft?: true;
  /** The Member's cover is set. */
  readonly covered?: true;
  readonly since: number;
}

/** A reel or a video Story. Its upload address may hold a secret. */
export interface ReelHandle {
  readonly kind: 'reel' | 'videoStory';
  readonly video: string;
  readonly uploadUrl: string;
  readonly from: number;
  /** Its bytes were not taken in pieces: Facebook fetches the file. */
  readonly fetched: boolean;
  /** A Story that was sent once and then not found is sent once more, no oftener. */
  readonly repeated: boolean;
  /** The Member's cover is set. */
  readonly covered?: true;
  readonly since: number;
}

export interface PhotoStoryHandle {
  readonly kind: 'photoStory';
  readonly photo: string;
  readonly repeated: boolean;
  readonly since: number;
}

/** What Facebook has of a Variant before it is published. `since`: when the first of it was made there. */
export type FacebookHandle = PostHandle | VideoHandle | ReelHandle | PhotoStoryHandle;

/** What is uploaded and not used is gone a day later. */
const KEPT_MS = 20 * 3_600_000;

/** Whether what the handle names has outlived what Facebook keeps of uploads; an unpublished post stays. */
export function isStale(handle: FacebookHandle, now: number): boolean {
  return now - handle.since > KEPT_MS && !(handle.kind === 'post' && handle.post !== null);
}

export function write(handle: FacebookHandle): string {
  return JSON.stringify(handle);
}

/** null: not one of ours. */
export function parseHandle(text: string | null): FacebookHandle | null {
  const json = jsonIn(text);
  const since = at(json, 'since');
  if (typeof since !== 'number') return null;
  const video = textAt(json, 'video');
  const kind = at(json, 'kind');
  if (kind === 'post') return postOf(json, since);
  if (kind === 'photoStory') {
    const photo = textAt(json, 'photo');
    return photo === null ? null : { kind, photo, repeated: at(json, 'repeated') === true, since };
  }
  const from = offsetOf(at(json, 'from'));
  const repeated = at(json, 'repeated') === true;
  const draft = at(json, 'draft') === true ? { draft: true as const } : {};
  const covered = at(json, 'covered') === true ? { covered: true as const } : {};
  if (video === null || from === null) return null;
  if (kind === 'video') {
    const session = textAt(json, 'session');
    return session === null
      ? null
      : { kind, video, session, from, to: offsetOf(at(json, 'to')) ?? from, repeated, ...covered, ...draft, since };
  }
  if (kind !== 'reel' && kind !== 'videoStory') return null;
  const uploadUrl = textAt(json, 'uploadUrl');
  if (uploadUrl === null) return null;
  return { kind, video, uploadUrl, from, fetched: at(json, 'fetched') === true, repeated, ...covered, since };
}

/** An offset as Facebook writes it, in digits, or as we do; null when it is none. */
export function offsetOf(value: unknown): number | null {
  const offset = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0 ? offset : null;
}

function postOf(json: unknown, since: number): PostHandle | null {
  const photos = listAt(json, 'photos').filter((photo) => typeof photo === 'string');
  return { kind: 'post', photos, post: textAt(json, 'post'), since };
}
