import type { Post } from '#domain/post/post.ts';
import { renderPost, type Channels, type MediaUrl, type PostBody } from '#domain/post/render.ts';
import { hasMetrics } from '#domain/variant/metrics.ts';
import type { MetricsOfPost } from './dependencies.ts';

export interface ShowPostsOptions {
  readonly metrics: MetricsOfPost;
  readonly mediaUrl: MediaUrl;
}

/** Posts as REST shows them, with the figures of those Variants that have any. Rejects with `PortError`. */
export function showPosts(
  posts: readonly Post[],
  channels: Channels,
  { metrics, mediaUrl }: ShowPostsOptions,
): Promise<readonly PostBody[]> {
  return Promise.all(
    posts.map(async (post) => renderPost(post, channels, mediaUrl, counts(post) ? await metrics(post.id) : new Map())),
  );
}

export async function showPost(post: Post, channels: Channels, showing: ShowPostsOptions): Promise<PostBody> {
  return (await showPosts([post], channels, showing))[0]!;
}

/** Few Posts have figures, so only those are read. */
function counts({ variants }: Post): boolean {
  return variants.some(({ network, status }) => status === 'published' && hasMetrics(network));
}
