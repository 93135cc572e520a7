import type { SandboxFile } from '../files/files.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import type { VideoProblem } from './video-problems.ts';

export interface Photo {
  readonly id: string;
  readonly pageId: string;
  readonly file: Pick<SandboxFile, 'sha256' | 'bytes' | 'contentType' | 'width' | 'height'>;
  readonly altText: string | null;
  readonly createdAt: number;
  /** The post that it was attached to last, or was published with. */
  readonly postId: string | null;
  /** The Story it became. */
  readonly storyId: string | null;
}

export interface PagePost {
  /** `<page>_<post>` */
  readonly id: string;
  readonly pageId: string;
  readonly message: string;
  readonly photoIds: readonly string[];
  /** The address that it was made with. Left out: none. */
  readonly link?: string;
  /** The video that made this post; such a post is never unpublished. */
  readonly videoId: string | null;
  readonly createdAt: number;
  /** Null while it is not public. */
  readonly publishedAt: number | null;
}

export interface Thumbnail extends Pick<SandboxFile, 'sha256' | 'width' | 'height'> {
  readonly id: string;
  /** Whether it stands for the video. Of several, the newest does. */
  readonly isPreferred: boolean;
}

export interface FacebookVideo {
  readonly id: string;
  readonly pageId: string;
  readonly kind: 'feed' | 'reel' | 'story';
  readonly uploadId: string;
  /** The announced size; null: unknown until the upload states it. */
  readonly size: number | null;
  readonly createdAt: number;
  /** Set once it is complete. */
  readonly file: SandboxFile | null;
  /** Why processing fails, which may be decided before it begins; null: it succeeds. */
  readonly failure: VideoProblem | null;
  /** Null until it is to be published. */
  readonly finishedAt: number | null;
  /** When processing ends; null: never, or there is nothing to process yet. */
  readonly readyAt: number | null;
  /** The ids that it is published with, reserved at the finish. */
  readonly postId: string | null;
  readonly description: string;
  readonly title: string | null;
  /** Oldest first. Left out: none. */
  readonly thumbnails?: readonly Thumbnail[];
  /** What the status says of the upload until an instant, although more arrived. Left out: the present truth. */
  readonly shownUpload?: { readonly bytes: number; readonly until: number };
}

export interface Story {
  /** The id of the post. */
  readonly id: string;
  readonly pageId: string;
  readonly mediaId: string;
  readonly mediaType: 'photo' | 'video';
  readonly createdAt: number;
}

interface RecordShelf<T> {
  get(id: string): T | null;
  put(record: T): void;
  delete(id: string): void;
  /** Newest first. */
  ofPage(pageId: string, range?: { readonly above?: string }): readonly T[];
}

/** Ids ascend with time, so that a Page's objects are kept in the order of their creation. */
export interface FacebookRecords {
  readonly photos: RecordShelf<Photo>;
  readonly posts: RecordShelf<PagePost>;
  readonly videos: RecordShelf<FacebookVideo>;
  readonly stories: RecordShelf<Story>;
}

function kept<T extends { readonly id: string; readonly pageId: string }>(
  store: SandboxStore,
  name: string,
): RecordShelf<T> {
  const records = shelf<T>(store, `facebook.${name}`);
  const byPage = shelf<{ readonly id: string }>(store, `facebook.${name}-by-page`);
  const pageKey = ({ pageId, id }: T) => `${pageId}/${id}`;
  return {
    get: (id) => records.get(id),
    put(record) {
      records.put(record.id, record);
      byPage.put(pageKey(record), { id: record.id });
    },
    delete(id) {
      const record = records.get(id);
      if (record === null) return;
      records.delete(id);
      byPage.delete(pageKey(record));
    },
    ofPage(pageId, { above } = {}) {
      const prefix = `${pageId}/`;
      const bounds = above === undefined ? {} : { above: prefix + above };
      return byPage.scan({ prefix, ...bounds, descending: true }).flatMap(({ value }) => records.get(value.id) ?? []);
    },
  };
}

export function createRecords(store: SandboxStore): FacebookRecords {
  return {
    photos: kept(store, 'photos'),
    posts: kept(store, 'posts'),
    videos: kept(store, 'videos'),
    stories: kept(store, 'stories'),
  };
}
