import type { Post } from '#domain/post/post.ts';
import { roughBytesOf } from '#domain/post/weight.ts';

interface Entry {
  /** The actor's load it was read under: an actor that was overtaken loads anew and sees none of its old entries. */
  readonly load: object;
  readonly post: Post;
  readonly bytes: number;
}

/** Posts lately touched by any Workspace of this process, least lately used out first, bounded by rough bytes. */
export class PostCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(load: object, postId: string): Post | null {
    const entry = this.#entries.get(postId);
    if (entry === undefined || entry.load !== load) return null;
    this.#entries.delete(postId);
    this.#entries.set(postId, entry);
    return entry.post;
  }

  set(load: object, post: Post): void {
    this.#remove(post.id);
    const bytes = roughBytesOf(post);
    this.#entries.set(post.id, { load, post, bytes });
    this.#bytes += bytes;
    for (const id of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(id);
    }
  }

  #remove(postId: string): void {
    const entry = this.#entries.get(postId);
    if (entry === undefined) return;
    this.#entries.delete(postId);
    this.#bytes -= entry.bytes;
  }
}
