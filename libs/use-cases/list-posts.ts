import type { Pause, TimeSlices } from '#concurrency/time-slice.ts';
import type { Post } from '#domain/post/post.ts';
import type { Channels, PostBody } from '#domain/post/render.ts';
import { DEFAULT_PAGE_POSTS } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import type { Cursors } from './cursors.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import { FIRST_POSTS, postsAtOnce } from './posts-at-once.ts';
import type { ReadBackOptions } from './read-back.ts';
import { showPost } from './show-posts.ts';

export interface ListPostsInput {
  /**
   * Milliseconds since the epoch; a Post is in when it was written, or one of its Variants is scheduled, in [from, to).
   */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before, of the same Workspace and filter. */
  readonly cursor?: string | undefined;
}

export interface PostsPage<T> {
  readonly posts: readonly T[];
  readonly nextCursor: string | null;
}

/** What a page keeps of each Post, as it is shown and in JSON: all of it is held until the page is whole. */
export type KeepPost<T> = (post: PostBody, json: string) => T;

export interface ListPostsOptions extends ReadBackOptions {
  readonly cursors: Cursors;
  readonly slices: TimeSlices;
  /**
   * Of the Posts of a page in JSON, in UTF-8: what is beyond is of the next page. A page has one Post at least. 8 MB
   * when left out.
   */
  readonly maxPageBytes?: number;
}

const MAX_PAGE_BYTES = 8_000_000;
/** Of what is read in one go, so that reading and decoding it takes about a slice. */
const READ_BYTES = 64_000;

/**
 * A page of Posts, newest written first: as many as asked for, or as have room in it. Posts are read, rendered and
 * measured a few at a time. Rejects with the reason of the call's signal when the client no longer waits.
 */
export function listPosts<T>(
  call: ApiCall,
  input: ListPostsInput,
  options: ListPostsOptions,
  keep: KeepPost<T>,
): Promise<UseCaseResult<PostsPage<T>>> {
  return settled('read', async () => {
    const { posts, workspaces, cursors } = options;
    const { from = null, to = null, limit = DEFAULT_PAGE_POSTS, cursor } = input;
    const scope = { workspaceId: call.workspaceId, from, to };
    const before = cursor === undefined ? null : cursors.open(cursor, scope);
    if (cursor !== undefined && before === null) {
      return failed('invalid_request', 'cursor is not one that this list gave for the same from and to.');
    }
    if (from !== null && to !== null && from >= to) return done({ posts: [], nextCursor: null });
    const pause = options.slices.begin(call.workspaceId);
    const page = new FillingPage(options, keep, pause);
    const channels = workspaces.channels(call.workspaceId);
    // Awaited below; without this a rejection before that would end the process.
    channels.catch(() => {});
    for (let [last, asked] = [before, FIRST_POSTS]; ;) {
      asked = Math.min(limit - page.size, page.nextPosts(asked));
      await pause();
      call.signal.throwIfAborted();
      const read = await posts.list(call.workspaceId, { from, to, limit: asked, before: last });
      const isWhole = await page.add(read.posts, await channels, call.signal);
      last = page.last;
      if (isWhole && read.more && page.size < limit) continue;
      const isMore = (read.more || !isWhole) && last !== null;
      return done({ posts: page.posts, nextCursor: isMore ? cursors.seal(last!, scope) : null });
    }
  });
}

/** What a page has so far. */
class FillingPage<T> {
  readonly posts: T[] = [];
  readonly #options: ListPostsOptions;
  readonly #keep: KeepPost<T>;
  readonly #pause: Pause;
  #last: string | null = null;
  #bytes = 0;

  constructor(options: ListPostsOptions, keep: KeepPost<T>, pause: Pause) {
    this.#options = options;
    this.#keep = keep;
    this.#pause = pause;
  }

  get size(): number {
    return this.posts.length;
  }

  /** The id of its last Post; null: it has none. */
  get last(): string | null {
    return this.#last;
  }

  /** How many Posts to read in one go. */
  nextPosts(asked: number): number {
    return postsAtOnce({ asked, count: this.size, size: this.#bytes }, READ_BYTES);
  }

  /** False: not all of them have room. */
  async add(posts: readonly Post[], channels: Channels, signal: AbortSignal): Promise<boolean> {
    const { maxPageBytes = MAX_PAGE_BYTES } = this.#options;
    for (const post of posts) {
      await this.#pause();
      signal.throwIfAborted();
      const body = await showPost(post, channels, this.#options);
      const json = JSON.stringify(body);
      const bytes = Buffer.byteLength(json);
      if (this.size > 0 && this.#bytes + bytes > maxPageBytes) return false;
      this.#bytes += bytes;
      this.#last = post.id;
      this.posts.push(this.#keep(body, json));
    }
    return true;
  }
}
