import type { NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import type { ItemOptions } from '../items.ts';
import { shelf, type SandboxStore } from '../store/store.ts';

/** A video that is sent in chunks; the last takes the remainder. */
export interface ChunkedUpload {
  readonly uploadId: string;
  readonly size: number;
  readonly chunkSize: number;
  readonly chunks: number;
}

/** The outcome that a test wants for a publication. */
export interface Fate {
  readonly fault: NetworkFault;
  readonly reason: string | null;
}

/** A video or photos before they are public. The state follows from the clock; no timer runs here. */
export interface TiktokPublication {
  readonly publishId: string;
  readonly accountId: string;
  readonly kind: 'video' | 'photo';
  readonly text: string;
  readonly title: string | null;
  readonly privacy: string;
  /** What its request said beside the text, in our names. Left out by publications of an older sandbox. */
  readonly options?: ItemOptions;
  /** The upload address; null where the files are fetched. */
  readonly upload: ChunkedUpload | null;
  readonly fate: Fate | null;
  /** Set once it is complete. */
  readonly files: readonly SandboxFile[] | null;
  readonly createdAt: number;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  readonly failReason: string | null;
  /** When the post's id is reported; null: never. */
  readonly idShownAt: number | null;
  /** Set once it is decided that it becomes a post. */
  readonly postId: string | null;
}

export type Status = 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'PUBLISH_COMPLETE' | 'FAILED';

export function statusOf({ upload, readyAt, failReason }: TiktokPublication, now: number): Status {
  if (readyAt === null || now < readyAt) return upload === null ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD';
  return failReason === null ? 'PUBLISH_COMPLETE' : 'FAILED';
}

export interface Publications {
  get(publishId: string): TiktokPublication | null;
  byUpload(uploadId: string): TiktokPublication | null;
  byPost(postId: string): TiktokPublication | null;
  put(publication: TiktokPublication): void;
}

export function createPublications(store: SandboxStore): Publications {
  const publications = shelf<TiktokPublication>(store, 'tiktok.publications');
  /** Uploads and posts, which share one kind of id. */
  const parts = shelf<{ readonly publishId: string }>(store, 'tiktok.parts');
  const byPart = (id: string) => {
    const found = parts.get(id);
    return found === null ? null : publications.get(found.publishId);
  };
  return {
    get: (publishId) => publications.get(publishId),
    byUpload: byPart,
    byPost: byPart,
    put(publication) {
      const { publishId, upload, postId } = publication;
      publications.put(publishId, publication);
      for (const part of [upload?.uploadId, postId])
        if (part !== undefined && part !== null) parts.put(part, { publishId });
    },
  };
}
