import type { SandboxFile } from '../files/files.ts';
import { shelf, type SandboxStore } from '../store/store.ts';

/** A medium that is prepared for publishing. Its state follows from the clock; no timer runs here. */
export interface Container {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'TEXT' | 'IMAGE' | 'VIDEO' | 'CAROUSEL';
  /** An item of a carousel, never published by itself. */
  readonly isChild: boolean;
  readonly text: string;
  readonly altText: string | null;
  readonly file: SandboxFile | null;
  readonly children: readonly string[];
  /** The post or reply that it becomes a reply to. Left out: it becomes a post. */
  readonly replyTo?: string;
  readonly topicTag?: string;
  /** In the words of Threads. */
  readonly replyControl?: string;
  readonly linkAttachment?: string;
  readonly createdAt: number;
  /** When processing ends; null: never. */
  readonly readyAt: number | null;
  /** Why processing fails; null: it succeeds. */
  readonly failure: string | null;
  /** The published item's id; null while it was not published. */
  readonly mediaId: string | null;
  /** When it was published. */
  readonly publishedAt?: number;
  /** Set once it was lost: it reads as finished, and is never found at publish. */
  readonly isLost?: boolean;
}

/** The values of `error_message`. */
export const ERROR_MESSAGES = [
  'UNKNOWN',
  'FAILED_DOWNLOADING_VIDEO',
  'FAILED_PROCESSING_AUDIO',
  'FAILED_PROCESSING_VIDEO',
  'INVALID_ASPEC_RATIO',
  'INVALID_BIT_RATE',
  'INVALID_DURATION',
  'INVALID_FRAME_RATE',
  'INVALID_AUDIO_CHANNELS',
  'INVALID_AUDIO_CHANNEL_LAYOUT',
] as const;
export type ErrorMessage = (typeof ERROR_MESSAGES)[number];

export interface Containers {
  get(id: string): Container | null;
  put(container: Container): void;
  /** The container of a reply, or of a post with files. */
  ofMedia(mediaId: string): Container | null;
}

export function createContainers(store: SandboxStore): Containers {
  const containers = shelf<Container>(store, 'threads.containers');
  const byMedia = shelf<{ readonly containerId: string }>(store, 'threads.containers-by-media');
  return {
    get: (id) => containers.get(id),
    put(container) {
      containers.put(container.id, container);
      if (container.mediaId !== null && (container.kind !== 'TEXT' || container.replyTo !== undefined))
        byMedia.put(container.mediaId, { containerId: container.id });
    },
    ofMedia(mediaId) {
      const found = byMedia.get(mediaId);
      return found === null ? null : containers.get(found.containerId);
    },
  };
}
