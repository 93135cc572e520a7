import { at, countAt, jsonIn, textAt } from '../http/call.ts';

interface Given {
  /** The account's name in addresses; '' when TikTok did not say. */
  readonly creator: string;
  /** Who may see it, in TikTok's words. */
  readonly privacy: string;
  /** When TikTok was asked for leave, milliseconds since the epoch. */
  readonly since: number;
}

/** A video on its way up. Nothing is public before its last byte is there. */
export interface VideoHandle extends Given {
  readonly kind: 'video';
  readonly publishId: string;
  /** Holds a secret; dies an hour after `since`. */
  readonly uploadUrl: string;
  /** Of the file that is uploaded: its digest and length. */
  readonly file: string;
  readonly bytes: number;
  readonly chunkBytes: number;
  /** How many bytes TikTok has. */
  readonly from: number;
  /** How often in a row TikTok put our place right without our getting on. */
  readonly corrections: number;
  /** The upload address takes nothing any more. */
  readonly gone: boolean;
}

/** Photos have no name at TikTok before they are published. */
export interface PhotosHandle extends Given {
  readonly kind: 'photos';
  readonly publishId: string | null;
  readonly isCommentOff: boolean;
}

export type TikTokHandle = VideoHandle | PhotosHandle;

export function write(handle: TikTokHandle): string {
  return JSON.stringify(handle);
}

/** null: not one of ours. */
export function parseHandle(text: string | null): TikTokHandle | null {
  const json = jsonIn(text);
  const [creator, privacy, since, kind] = [
    at(json, 'creator'),
    textAt(json, 'privacy'),
    countAt(json, 'since'),
    at(json, 'kind'),
  ];
  if (typeof creator !== 'string' || privacy === null || since === null) return null;
  const publishId = textAt(json, 'publishId');
  if (kind === 'photos')
    return { kind, publishId, isCommentOff: at(json, 'isCommentOff') === true, creator, privacy, since };
  const [uploadUrl, file] = [textAt(json, 'uploadUrl'), textAt(json, 'file')];
  const [bytes, chunkBytes, from, corrections] = [
    countAt(json, 'bytes'),
    countAt(json, 'chunkBytes'),
    countAt(json, 'from'),
    countAt(json, 'corrections'),
  ];
  if (kind !== 'video' || publishId === null || uploadUrl === null || file === null) return null;
  if (bytes === null || chunkBytes === null || chunkBytes === 0 || from === null || corrections === null) return null;
  return {
    kind,
    publishId,
    uploadUrl,
    file,
    bytes,
    chunkBytes,
    from,
    corrections,
    gone: at(json, 'gone') === true,
    creator,
    privacy,
    since,
  };
}
