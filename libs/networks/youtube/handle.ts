import { countAt, jsonIn, textAt } from '../http/call.ts';

/** A video on its way up, by its upload session. Nothing is public before its last byte is there. */
export interface UploadHandle {
  /** The session's address. Holds a secret. */
  readonly session: string;
  /** Of the file that is uploaded: its digest and length. */
  readonly file: string;
  readonly bytes: number;
  /** How many bytes YouTube has. */
  readonly from: number;
  /** When it said so; 0: it is to be asked before more is sent. Milliseconds since the epoch, as is `since`. */
  readonly toldAt: number;
  /** How often in a row YouTube put our place right without our getting on. */
  readonly corrections: number;
  /** When the session was begun. */
  readonly since: number;
  /** The video's id, once all of it is there. */
  readonly video: string | null;
  /** Who sees the video, as YouTube said when it had all of it; absent: it did not say. */
  readonly privacy?: string;
}

/** 32 times the 256 KiB that every part but the last is a multiple of; all that is held in memory at once. */
const PART_BYTES = 8 * 1024 * 1024;

/** Where the part ends that begins at `from`. */
export function partEnd({ from, bytes }: UploadHandle): number {
  return Math.min(from + PART_BYTES, bytes);
}

/** Whether the next part to send is the one that publishes; or nothing is left to send. */
export function isAtLastPart(handle: UploadHandle): boolean {
  return partEnd(handle) === handle.bytes;
}

const MAX_CORRECTIONS = 3;

/** The handle where YouTube says that it has `received` bytes; null: the session gets nowhere. */
export function placedAt(handle: UploadHandle, received: number, now: number): UploadHandle | null {
  const from = Math.min(received, handle.bytes);
  const corrections = from > handle.from ? 0 : handle.corrections + 1;
  return corrections > MAX_CORRECTIONS ? null : { ...handle, from, corrections, toldAt: now };
}

/** The handle once YouTube has all of the file and has named its video. */
export function namedAs(
  handle: UploadHandle,
  { video, privacy }: { readonly video: string; readonly privacy: string | null },
): UploadHandle {
  return { ...handle, video, ...(privacy === null ? {} : { privacy }) };
}

export function write(handle: UploadHandle): string {
  return JSON.stringify(handle);
}

/** null: not one of ours. */
export function parseHandle(text: string | null): UploadHandle | null {
  const json = jsonIn(text);
  const [session, file] = [textAt(json, 'session'), textAt(json, 'file')];
  const [bytes, from, toldAt, corrections, since] = (['bytes', 'from', 'toldAt', 'corrections', 'since'] as const).map(
    (key) => countAt(json, key),
  );
  if (
    session === null ||
    file === null ||
    bytes == null ||
    from == null ||
    toldAt == null ||
    corrections == null ||
    since == null
  )
    return null;
  const privacy = textAt(json, 'privacy');
  const told = privacy === null ? {} : { privacy };
  return { session, file, bytes, from, toldAt, corrections, since, video: textAt(json, 'video'), ...told };
}
