import { at, jsonIn, listAt, textAt } from '../http/call.ts';

/**
 * One file at X: `sending` until its upload is ended, `processing` while X works on it, `uploaded` until
 * it has its description, then `ready`.
 */
export interface XFile {
  readonly media: string;
  /** The same file as posts name it; null: X did not say. */
  readonly key: string | null;
  readonly state: 'sending' | 'processing' | 'uploaded' | 'ready';
  /** Bytes that X has, from the first. */
  readonly sent: number;
  /** When it came into this state. */
  readonly since: number;
}

/** What X has of a post's files, in order, before the post is made. */
export interface XHandle {
  readonly files: readonly XFile[];
  /** When the first of them was begun. */
  readonly since: number;
  /** An upload that X no longer knew was begun again. */
  readonly again: boolean;
}

/** Of the shape, and of the size of the pieces that `sent` counts in. */
const VERSION = 1;
/** X forgets files a day after their upload. */
const KEPT_MS = 20 * 3_600_000;
const STATES: ReadonlySet<unknown> = new Set<XFile['state']>(['sending', 'processing', 'uploaded', 'ready']);

export function fresh(now: number): XHandle {
  return { files: [], since: now, again: false };
}

/** Whether X may have forgotten the files, or soon will. */
export function isStale({ since }: XHandle, now: number): boolean {
  return now - since > KEPT_MS;
}

/** With `file` in its place, and none after it. */
export function withFile(handle: XHandle, index: number, file: XFile): XHandle {
  return { ...handle, files: [...handle.files.slice(0, index), file] };
}

export function write(handle: XHandle): string {
  return JSON.stringify({ version: VERSION, ...handle });
}

/** null: not one of ours, or of a version that isn't ours. */
export function parseHandle(text: string | null): XHandle | null {
  const json = jsonIn(text);
  const since = at(json, 'since');
  if (at(json, 'version') !== VERSION || typeof since !== 'number') return null;
  const files = listAt(json, 'files').map(fileOf);
  return files.every((file) => file !== null) ? { files, since, again: at(json, 'again') === true } : null;
}

function fileOf(json: unknown): XFile | null {
  const [media, state, sent, since] = [textAt(json, 'media'), at(json, 'state'), at(json, 'sent'), at(json, 'since')];
  if (media === null || !STATES.has(state) || typeof sent !== 'number' || typeof since !== 'number') return null;
  return { media, key: textAt(json, 'key'), state: state as XFile['state'], sent, since };
}
