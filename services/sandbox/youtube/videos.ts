import type { SandboxFile } from '../files/files.ts';
import { shelf } from '../store/store.ts';
import type { SandboxStore } from '../store/store.ts';

/** A resumable upload; its address is its key. */
export interface Session {
  readonly sessionId: string;
  readonly accountId: string;
  readonly title: string;
  readonly description: string;
  readonly privacy: string;
  readonly size: number;
  readonly createdAt: number;
  /** What it became with its last byte. */
  readonly videoId: string | null;
  readonly gone: boolean;
}

/** What state it is in follows from the clock; nothing here ticks. */
export interface Video {
  readonly videoId: string;
  readonly accountId: string;
  readonly title: string;
  readonly description: string;
  readonly privacy: string;
  readonly file: SandboxFile;
  readonly uploadedAt: number;
  /** When processing ends; null: never. */
  readonly readyAt: number | null;
  readonly failureReason: string | null;
  readonly rejectionReason: string | null;
}

export function uploadStatusOf({ readyAt, failureReason, rejectionReason }: Video, now: number): 'uploaded' | 'processed' | 'failed' | 'rejected' {
  if (readyAt === null || now < readyAt) return 'uploaded';
  return failureReason !== null ? 'failed' : rejectionReason !== null ? 'rejected' : 'processed';
}

export interface Videos {
  session(sessionId: string): Session | null;
  putSession(session: Session): void;
  get(videoId: string): Video | null;
  put(video: Video): void;
}

export function createVideos(store: SandboxStore): Videos {
  const sessions = shelf<Session>(store, 'youtube.sessions');
  const videos = shelf<Video>(store, 'youtube.videos');
  return {
    session: (sessionId) => sessions.get(sessionId),
    putSession: (session) => sessions.put(session.sessionId, session),
    get: (videoId) => videos.get(videoId),
    put: (video) => videos.put(video.videoId, video),
  };
}
