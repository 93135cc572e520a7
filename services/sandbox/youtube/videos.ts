import type { NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import type { ItemOptions } from '../items.ts';
import { shelf, type SandboxStore } from '../store/store.ts';

/** Why processing ends without a video. */
export const FAILURES: readonly string[] = [
  'codec',
  'conversion',
  'emptyFile',
  'invalidFile',
  'tooSmall',
  'uploadAborted',
];
/** Why a video is not shown. */
export const REJECTIONS: readonly string[] = [
  ...['claim', 'copyright', 'duplicate', 'inappropriate', 'legal', 'length', 'termsOfUse', 'trademark'],
  ...['uploaderAccountClosed', 'uploaderAccountSuspended'],
];

/** The prefix of such a reason in a fault. */
export const REJECTED = 'rejected ';

/** The title and the privacy of a video. */
export interface Metadata {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly categoryId: string;
  readonly privacy: string;
  readonly madeForKids: boolean;
  /** Left out by videos of an older sandbox, like `options`. */
  readonly isSynthetic?: boolean;
  /** What the request said beside the texts, in our names. */
  readonly options?: ItemOptions;
}

/** A resumable upload; its address is its key. */
export interface UploadSession {
  readonly sessionId: string;
  readonly accountId: string;
  readonly metadata: Metadata;
  readonly size: number;
  readonly createdAt: number;
  /** The outcome that a test wants for it. */
  readonly fate: { readonly fault: NetworkFault; readonly reason: string | null } | null;
  /** What its last byte made it. */
  readonly videoId: string | null;
  /** The status with which it is gone; null: it exists. */
  readonly gone: number | null;
}

/** Its state follows from the clock; no timer runs here. */
export interface YoutubeVideo {
  readonly videoId: string;
  readonly accountId: string;
  readonly metadata: Metadata;
  readonly file: SandboxFile;
  readonly uploadedAt: number;
  /** When processing ends; null: never. */
  readonly readyAt: number | null;
  readonly failureReason: string | null;
  readonly rejectionReason: string | null;
}

export function uploadStatusOf(
  { readyAt, failureReason, rejectionReason }: YoutubeVideo,
  now: number,
): 'uploaded' | 'processed' | 'failed' | 'rejected' {
  if (readyAt === null || now < readyAt) return 'uploaded';
  return failureReason !== null ? 'failed' : rejectionReason !== null ? 'rejected' : 'processed';
}

/** In the order of ASCII, so that ids ascend with age like the numbers that they encode. */
const DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const LENGTH = 11;

/** Eleven letters, as YouTube's ids have, for an id of 19 digits. */
export function videoIdOf(remoteId: string): string {
  const number = BigInt(remoteId);
  return Array.from(
    { length: LENGTH },
    (_, index) => DIGITS[Number((number >> BigInt(6 * (LENGTH - 1 - index))) & 63n)],
  ).join('');
}

export interface Videos {
  session(sessionId: string): UploadSession | null;
  putSession(session: UploadSession): void;
  get(videoId: string): YoutubeVideo | null;
  put(video: YoutubeVideo): void;
}

export function createVideos(store: SandboxStore): Videos {
  const sessions = shelf<UploadSession>(store, 'youtube.sessions');
  const videos = shelf<YoutubeVideo>(store, 'youtube.videos');
  return {
    session: (sessionId) => sessions.get(sessionId),
    putSession: (session) => sessions.put(session.sessionId, session),
    get: (videoId) => videos.get(videoId),
    put: (video) => videos.put(video.videoId, video),
  };
}
