import type { PostBody } from '#domain/post/render.ts';
import { DEFAULT_PAGE_POSTS } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import type { Cursors } from './cursors.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import type { ReadBackOptions } from './read-back.ts';
import { showPosts } from './show-posts.ts';

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

export interface PostsPage {
  readonly posts: readonly PostBody[];
  readonly nextCursor: string | null;
}

export interface ListPostsOptions extends ReadBackOptions {
  readonly cursors: Cursors;
}

/** A page of Posts, newest written first. */
export function listPosts(
  call: ApiCall,
  input: ListPostsInput,
  options: ListPostsOptions,
): Promise<UseCaseResult<PostsPage>> {
  return settled('read', async () => {
    const { posts, workspaces, cursors } = options;
    const { from = null, to = null, limit = DEFAULT_PAGE_POSTS, cursor } = input;
    const scope = { workspaceId: call.workspaceId, from, to };
    const before = cursor === undefined ? null : cursors.open(cursor, scope);
    if (cursor !== undefined && before === null) {
      return failed('invalid_request', 'cursor is not one that this list gave for the same from and to.');
    }
    if (from !== null && to !== null && from >= to) return done({ posts: [], nextCursor: null });
    const [page, channels] = await Promise.all([
      posts.list(call.workspaceId, { from, to, limit, before }),
      workspaces.channels(call.workspaceId),
    ]);
    const last = page.posts.at(-1);
    const nextCursor = page.more && last !== undefined ? cursors.seal(last.id, scope) : null;
    return done({ posts: await showPosts(page.posts, channels, options), nextCursor });
  });
}
