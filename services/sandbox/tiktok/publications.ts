import type { NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import { shelf } from '../store/store.ts';
import type { SandboxStore } from '../store/store.ts';

/** A video that is sent in chunks, the last of which takes what is left over. */
export interface ChunkedUpload {
  readonly uploadId: string;
  readonly size: number;
  readonly chunkSize: number;
  readonly chunks: number;
}

/** What a test wants to become of a publication. */
export interface Fate {
  readonly fault: NetworkFault;
  readonly reason: string | null;
}

/** A video or photos on the way to the public. What state it is in follows from the clock; nothing here ticks. */
export interface TiktokPublication {
  readonly publishId: string;
  readonly accountId: string;
  readonly kind: 'video' | 'photo';
  readonly text: string;
  readonly title: string | null;
  readonly privacy: string;
  /** Where bytes are sent to it; null where they are fetched. */
  readonly upload: ChunkedUpload | null;
  readonly fate: Fate | null;
  /** Once all of it came. */
  readonly files: readonly SandboxFile[] | null;
  readonly createdAt: number;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  readonly failReason: string | null;
  /** When the post's id is told; null: never. */
  readonly idShownAt: number | null;
  /** Once it is settled that it becomes one. */
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
  /** Uploads and posts, whose ids are of the same kind. */
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
