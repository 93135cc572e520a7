import type { SandboxFile } from '../files/files.ts';
import { idFloor } from '../remote-ids.ts';
import { shelf } from '../store/store.ts';
import type { SandboxStore } from '../store/store.ts';

export type ContainerKind = 'image' | 'reel' | 'story' | 'child' | 'carousel';

/** Something made ready to be published. What state it is in follows from the clock; nothing here ticks. */
export interface Container {
  readonly id: string;
  readonly accountId: string;
  readonly kind: ContainerKind;
  readonly caption: string;
  readonly altText: string | null;
  /** Null: none of its own, or not uploaded yet. */
  readonly file: SandboxFile | null;
  /** Where bytes are sent to it; null: it was fetched, or has none. */
  readonly uploadId: string | null;
  /** Where the cover is taken from the video. */
  readonly thumbOffsetMs: number;
  readonly children: readonly string[];
  readonly createdAt: number;
  /** When processing ends; null: never, or the bytes have not come. */
  readonly readyAt: number | null;
  /** Why processing ends badly; null: it ends well. */
  readonly failure: string | null;
  /** What it became; null while it was not published. */
  readonly mediaId: string | null;
}

export interface Containers {
  get(id: string): Container | null;
  put(container: Container): void;
  /** The container that a medium was made of. */
  ofMedia(mediaId: string): Container | null;
  /** When those of an account were made, from `since` on, ascending. */
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
