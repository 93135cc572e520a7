import type { SandboxFile } from '../files/files.ts';
import type { ItemOptions } from '../items.ts';
import { idFloor } from '../remote-ids.ts';
import { shelf, type SandboxStore } from '../store/store.ts';

export type ContainerKind = 'image' | 'reel' | 'story' | 'child' | 'carousel';

/** A medium that is prepared for publishing. Its state follows from the clock; no timer runs here. */
export interface Container {
  readonly id: string;
  readonly accountId: string;
  readonly kind: ContainerKind;
  readonly caption: string;
  readonly altText: string | null;
  /** Null: it has none, or it was not uploaded yet. */
  readonly file: SandboxFile | null;
  /** The upload address; null: its file was fetched, or it has none. */
  readonly uploadId: string | null;
  /** What it was made with beside these, in our names. Left out: nothing. */
  readonly options?: ItemOptions;
  /** The position of the cover in the video. */
  readonly thumbOffsetMs: number;
  readonly children: readonly string[];
  readonly createdAt: number;
  /** When processing ends; null: never, or the bytes have not arrived. */
  readonly readyAt: number | null;
  /** Why processing fails; null: it succeeds. */
  readonly failure: string | null;
  /** The published item's id; null while it was not published. */
  readonly mediaId: string | null;
}

export interface Containers {
  get(id: string): Container | null;
  put(container: Container): void;
  /** The container of a medium. */
  ofMedia(mediaId: string): Container | null;
  /** When an account's containers were made, from `since` on, ascending. */
  madeSince(accountId: string, since: number): readonly number[];
}

export function createContainers(store: SandboxStore): Containers {
  const containers = shelf<Container>(store, 'instagram.containers');
  const byMedia = shelf<{ readonly containerId: string }>(store, 'instagram.containers-by-media');
  const byAccount = shelf<{ readonly createdAt: number }>(store, 'instagram.containers-by-account');
  return {
    get: (id) => containers.get(id),
    put(container) {
      containers.put(container.id, container);
      byAccount.put(`${container.accountId}/${container.id}`, { createdAt: container.createdAt });
      if (container.mediaId !== null) byMedia.put(container.mediaId, { containerId: container.id });
    },
    ofMedia(mediaId) {
      const found = byMedia.get(mediaId);
      return found === null ? null : containers.get(found.containerId);
    },
    madeSince(accountId, since) {
      const prefix = `${accountId}/`;
      return byAccount.scan({ prefix, above: prefix + idFloor(since) }).map(({ value }) => value.createdAt);
    },
  };
}
