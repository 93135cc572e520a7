import type { SandboxFile } from '../files/files.ts';
import { shelf } from '../store/store.ts';
import type { SandboxStore } from '../store/store.ts';

/** A video or photos on the way to the public. What state it is in follows from the clock; nothing here ticks. */
export interface Publication {
  readonly publishId: string;
  readonly accountId: string;
  readonly kind: 'video' | 'photo';
  readonly text: string;
  readonly title: string | null;
  /** Where bytes are sent to it; null where they are fetched. */
  readonly upload: { readonly uploadId: string; readonly size: number; readonly chunkSize: number; readonly chunks: number } | null;
  /** Once all of it came. */
  readonly files: readonly SandboxFile[] | null;
  readonly createdAt: number;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  readonly failReason: string | null;
  /** When the post's id is told; null: never. */
  readonly idShownAt: number | null;
  /** The post's, reserved when all came. */
  readonly postId: string | null;
}

export type Status = 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'PUBLISH_COMPLETE' | 'FAILED';

export function statusOf({ upload, readyAt, failReason }: Publication, now: number): Status {
  if (readyAt === null || now < readyAt) return upload === null ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD';
  return failReason === null ? 'PUBLISH_COMPLETE' : 'FAILED';
}

export interface Publications {
  get(publishId: string): Publication | null;
  byUpload(uploadId: string): Publication | null;
  put(publication: Publication): void;
}

export function createPublications(store: SandboxStore): Publications {
  const publications = shelf<Publication>(store, 'tiktok.publications');
  const uploads = shelf<{ readonly publishId: string }>(store, 'tiktok.uploads');
  return {
    get: (publishId) => publications.get(publishId),
    byUpload(uploadId) {
      const found = uploads.get(uploadId);
      return found === null ? null : publications.get(found.publishId);
    },
    put(publication) {
      publications.put(publication.publishId, publication);
      if (publication.upload !== null) uploads.put(publication.upload.uploadId, { publishId: publication.publishId });
    },
  };
}
