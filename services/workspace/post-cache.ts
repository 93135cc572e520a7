import { createBoundedMap, type BoundedMap } from '#concurrency/bounded-map.ts';
import type { Post } from '#domain/post/post.ts';
import { roughBytesOf } from '#domain/post/weight.ts';

interface Entry {
  /** The actor's load it was read under: an actor that was overtaken loads anew and sees none of its old entries. */
  readonly load: object;
  readonly post: Post;
}

/** Posts lately touched by any Workspace of this process, least lately used out first, bounded by rough bytes. */
export class PostCache {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = createBoundedMap(maxBytes, { sizeOf: ({ post }) => roughBytesOf(post) });
  }

  get(load: object, postId: string): Post | null {
    const entry = this.#entries.get(postId);
    return entry?.load === load ? entry.post : null;
  }

  delete(postId: string): void {
    this.#entries.delete(postId);
  }

  set(load: object, post: Post): void {
    this.#entries.set(post.id, { load, post });
  }
}
